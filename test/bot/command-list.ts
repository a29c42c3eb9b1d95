import { createCommandList } from '../../src/bot/commands/index.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';

/** As the program has it. */
export const commandList = createCommandList({
  sources: sourceDescriptors,
  example: 'https://www.instagram.com/reel/DYnightsky7/',
});

/** Those that menus and help have. */
export const listedCommands = commandList.filter(({ listed }) => listed === undefined);
