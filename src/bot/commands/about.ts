import { type CommandContext, defineCommand } from '../contract/command.ts';
import { renderAbout } from '../views/about.ts';

/** Who Medley is, and what it keeps. */
export const about = defineCommand({
  name: 'about',
  options: {},
  visibility: 'caller',
  cost: 0,
  run: async (_values, { services, t }: CommandContext) => renderAbout(services.version, t),
});
