import type { Messages } from '../messages.ts';
import { canary } from './canary.ts';
import { cards } from './cards.ts';
import { commands } from './commands.ts';
import { errors, hints, wait } from './errors.ts';
import { about, forget, help } from './help.ts';
import { osu } from './osu.ts';
import { discord, telegram } from './platforms.ts';
import { notices, post, progress, requests } from './post.ts';
import { diagnosis, settings } from './settings.ts';
import { web, webExamples } from './web.ts';

/** Indonesian. */
export const messages: Messages = {
  languageName: 'Bahasa Indonesia',
  sites: { instagram: 'Instagram', facebook: 'Facebook' },
  errors,
  wait,
  hints,
  notices,
  requests,
  post,
  progress,
  commands,
  osu,
  help,
  settings,
  diagnosis,
  about,
  forget,
  discord,
  telegram,
  webExamples,
  web,
  cards,
  canary,
};
