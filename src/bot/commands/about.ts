import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import { headingBlock, reply, textBlock } from '../contract/reply.ts';

/** Says what Medley is, and what data it keeps. */
export const about = defineCommand({
  name: 'about',
  options: {},
  visibility: 'caller',
  cost: 0,
  async run(_values, { services, t }: CommandContext) {
    const words = t.messages.about;
    const { text, settings, work, forget } = words.privacy;
    return reply({
      blocks: [
        headingBlock([`Medley ${services.version}`]),
        textBlock(sentence(words.what({ sites: t.sites(services.sites) }))),
        { kind: 'divider' },
        headingBlock([words.privacyTitle]),
        ...[text, settings, work, forget].map(line => textBlock(sentence(line))),
      ],
      visibility: 'caller',
    });
  },
});
