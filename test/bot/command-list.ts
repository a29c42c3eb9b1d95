import { createCommandList } from '../../src/bot/commands/index.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';

/** As the program has it. */
export const commandList = createCommandList({ sources: sourceDescriptors });
