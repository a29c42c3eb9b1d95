import { EVENING, spoken } from '../platforms/evening.ts';
import { SITES } from '../sandbox/sites.ts';
import type { Deed } from './stage.ts';

export interface Subject {
  readonly name: string;
  /** For the tour, and for those who cannot see it. */
  readonly about: string;
  readonly discord: Deed;
  readonly telegram: Deed;
  /** Absent where it builds on what was asked before: each picture of the web chat is a visitor of its own. */
  readonly web?: string;
}

const REEL = 'https://www.instagram.com/reel/DVclaybowl1/';
const CAROUSEL = 'https://www.instagram.com/p/DWlightkeep/';
const GONE = 'https://www.instagram.com/p/DZdoesnotexist/';

function command(line: string, name: string, options: Readonly<Record<string, string>> = {}) {
  const [first = '', second = '', ...words] = line.slice(1).split(' ');
  const telegram = second === '' ? line : `/${first}_${second} ${words.join(' ')}`.trim();
  return { discord: { text: line, command: { name, options } }, telegram: { text: telegram }, web: line };
}

function pasted(link: string) {
  return { discord: { text: link }, telegram: { text: link }, web: link };
}

/** What the tour shows, on every platform. */
export const SUBJECTS: readonly Subject[] = [
  { name: 'reel', about: 'A reel, from its pasted link', ...pasted(REEL) },
  { name: 'carousel', about: 'A post with photos and videos', ...pasted(CAROUSEL) },
  { name: 'error', about: 'A link that leads nowhere', ...pasted(GONE) },
  { name: 'help', about: 'Help', ...command('/help', 'help') },
  { name: 'settings', about: 'Settings', ...command('/settings', 'settings') },
  {
    name: 'search',
    about: 'A search for beatmaps',
    ...command('/beatmap search lantern', 'beatmap search', { query: 'lantern' }),
  },
  {
    name: 'profile',
    about: 'A player',
    ...command('/osu profile lamp_post', 'osu profile', { player: 'lamp_post' }),
  },
  {
    name: 'recommendation',
    about: 'What to play next',
    ...command('/beatmap recommend lamp_post', 'beatmap recommend', { player: 'lamp_post' }),
  },
];

/** An evening of a player, drawn when it is asked for by name (`evening`); one step builds on the others. */
export const EVENING_SUBJECTS: readonly Subject[] = EVENING.filter(({ who }) => who === 'admin').map((step, place) => {
  const options = Object.fromEntries(Object.entries(step.options).map(([name, value]) => [name, String(value)]));
  const text = spoken(step, 'menu');
  return {
    name: `evening-${String(place + 1).padStart(2, '0')}-${step.command.replace(' ', '-')}`,
    about: text,
    discord: { text, command: { name: step.command, options } },
    telegram: { text },
  };
});

/** The posts of the newer sites, drawn when they are asked for by name (`sites`). In groups these sites are off at first, so a command asks. */
export const SITE_SUBJECTS: readonly Subject[] = SITES.flatMap(({ links }) => links).map(({ url, about }, place) => ({
  name: `site-${String(place + 1).padStart(2, '0')}`,
  about,
  ...pasted(url),
  discord: { text: `/download ${url}`, command: { name: 'download', options: { link: url } } },
}));

/** The image cards about osu!, drawn when they are asked for by name (`osu`): what is compared is the map of the play before. */
export const OSU_SUBJECTS: readonly Subject[] = [
  command('/osu recent lamp_post', 'osu recent', { player: 'lamp_post' }),
  command('/osu score https://osu.ppy.sh/scores/5000000001', 'osu score', {
    play: 'https://osu.ppy.sh/scores/5000000001',
  }),
  command('/osu compare lamp_post', 'osu compare', { player: 'lamp_post' }),
  command('/beatmap leaderboard', 'beatmap leaderboard'),
  command('/beatmap simulate mods:HD accuracy:98.5 misses:1', 'beatmap simulate', {
    mods: 'HD',
    accuracy: '98.5',
    misses: '1',
  }),
  command('/osu scores lamp_post', 'osu scores', { player: 'lamp_post' }),
  command('/osu profile lamp_post', 'osu profile', { player: 'lamp_post' }),
  command('/beatmap recommend lamp_post', 'beatmap recommend', { player: 'lamp_post' }),
].map(({ web, ...deeds }) => ({ name: `osu-${deeds.discord.command.name.replace(' ', '-')}`, about: web, ...deeds }));
