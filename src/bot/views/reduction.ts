import type { Translator } from '../../i18n/translate.ts';
import type { Reduction } from '../../media/delivery/delivery.ts';
import type { Text } from '../contract/reply.ts';

const MEGABYTE = 1_000_000;

/** That a video is smaller than the site's, and the way to the whole one. `which` names it beside others. */
export function reductionText({ bytes, url, leadsTo }: Reduction, t: Translator, which?: string): Text {
  const { reduced, playWhole, openOriginal } = t.messages.post;
  const said = reduced({ size: `${t.decimal(Math.max(bytes / MEGABYTE, 0.1), 1)} MB` });
  const label = leadsTo === 'original' ? openOriginal : playWhole;
  return [which === undefined ? `${said} ` : `${which}: ${said} `, { kind: 'link', url, children: [label] }];
}
