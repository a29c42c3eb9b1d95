import type { Translator } from '../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { type Block, headingBlock, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from '../views/sentence.ts';

/** Says what Medley is, and what it keeps. */
export const about = defineCommand({
  name: 'about',
  options: {},
  visibility: 'caller',
  cost: 0,
  run: async (_values, { services, t }: CommandContext) => renderAbout(services.version, t),
});

/** The version, and privacy in four lines. */
function renderAbout(version: string, t: Translator): Reply {
  const words = t.messages.about;
  const { text, settings, work, forget } = words.privacy;
  const lines = [text, settings, work, forget].map((line): Block => textBlock(sentence(line)));
  return reply({
    blocks: [
      headingBlock([`Medley ${version}`]),
      textBlock(sentence(words.what)),
      { kind: 'divider' },
      headingBlock([words.privacyTitle]),
      ...lines,
    ],
    visibility: 'caller',
  });
}
