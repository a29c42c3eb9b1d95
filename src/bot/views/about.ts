import type { Translator } from '../../i18n/translate.ts';
import { type Block, type Reply, reply } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

/** The version, and privacy in four lines. */
export function renderAbout(version: string, t: Translator): Reply {
  const words = t.messages.about;
  const { text, settings, work, forget } = words.privacy;
  const lines = [text, settings, work, forget].map((line): Block => ({ kind: 'text', text: sentence(line) }));
  return reply({
    blocks: [
      { kind: 'heading', text: [`Medley ${version}`] },
      { kind: 'text', text: sentence(words.what) },
      { kind: 'divider' },
      { kind: 'heading', text: [words.privacyTitle] },
      ...lines,
    ],
    visibility: 'caller',
  });
}
