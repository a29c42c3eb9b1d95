import type { Messages } from '../messages.ts';
import { canary } from './canary.ts';
import { cards } from './cards.ts';
import { commands } from './commands.ts';
import { errors, hints, wait } from './errors.ts';
import { about, forget, help, privacy, start } from './help.ts';
import { linking } from './linking.ts';
import { osu } from './osu.ts';
import { owner } from './owner.ts';
import { discord, telegram } from './platforms.ts';
import { plays } from './plays.ts';
import { notices, post, progress, requests } from './post.ts';
import { diagnosis, settings } from './settings.ts';
import { web, webExamples } from './web.ts';

/** Indonesian. */
export const messages: Messages = {
  languageName: 'Bahasa Indonesia',
  sites: { instagram: 'Instagram', facebook: 'Facebook' },
  switchWords: { on: ['nyala', 'aktif', 'ya'], off: ['mati', 'nonaktif', 'tidak'] },
  errors,
  wait,
  hints,
  notices,
  requests,
  post,
  progress,
  commands,
  osu,
  linking,
  plays,
  help,
  start,
  settings,
  diagnosis,
  about,
  forget,
  privacy,
  discord,
  telegram,
  webExamples,
  web,
  cards,
  canary,
  owner,
};
