import type { Command } from '../command.ts';
import { about } from './about.ts';
import { download } from './download.ts';
import { forget } from './forget.ts';
import { createHelp } from './help.ts';
import { settings } from './settings.ts';

/** Every command of Medley, in the order of its help. */
export const commandList: readonly Command[] = [download, settings, forget, createHelp(() => commandList), about];
