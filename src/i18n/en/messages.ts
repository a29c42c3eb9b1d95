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

/** By the source's id; a site that is not here goes by its own name. */
const sites: Readonly<Record<string, string>> = { instagram: 'Instagram', facebook: 'Facebook' };

/** How people say that something is to be on or off. */
const switchWords = { on: ['on', 'yes', 'true'], off: ['off', 'no', 'false'] };

/**
 * English, and the contract: every other language has exactly these keys with these parameters (`Messages`). Sentences are
 * calm, say what happened and what the reader can do, and never blame them. Values are inserted as plain text.
 */
export const messages = {
  languageName: 'English',
  sites,
  switchWords,
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
