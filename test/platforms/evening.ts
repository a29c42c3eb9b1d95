/** An evening of two people who play osu!, on whichever platform they chat. */
import { createHash } from 'node:crypto';
import { createSvgRasterizer } from '../../src/bot/cards/svg-rasterizer.ts';
import type { Services } from '../../src/bot/contract/services.ts';
import { openOsuServices } from '../bot/osu/osu-stage.ts';

export interface EveningStep {
  readonly who: 'admin' | 'member';
  readonly command: string;
  readonly options: Readonly<Record<string, string | number>>;
  /** The same in the words of players. */
  readonly short?: string;
  /** Words that the answer must hold. */
  readonly says: RegExp;
  /** Where there is no group. */
  readonly saysAlone?: RegExp;
  /** Whether an image card comes with it. */
  readonly hasCard?: boolean;
}

/** In the order in which one thing leads to the next: what is compared is the map that was played last. */
export const EVENING: readonly EveningStep[] = [
  { who: 'admin', command: 'osu link', options: { player: 'lamp_post' }, says: /lamp post/ },
  { who: 'member', command: 'osu link', options: { player: 'night_bus' }, says: /night bus/ },
  {
    who: 'admin',
    command: 'osu profile',
    options: {},
    short: '!osu',
    says: /lamp post/,
    hasCard: true,
  },
  { who: 'admin', command: 'osu recent', options: {}, short: '!rs', says: /lamp post[\s\S]*#12/, hasCard: true },
  {
    who: 'member',
    command: 'osu compare',
    options: { player: 'lamp_post' },
    short: '!c lamp_post',
    says: /lamp post/,
    hasCard: true,
  },
  {
    who: 'member',
    command: 'beatmap leaderboard',
    options: {},
    short: '!lb',
    says: /Best of the world/,
    saysAlone: /salt shaker[\s\S]*Window Seat/,
    hasCard: true,
  },
  {
    who: 'member',
    command: 'beatmap simulate',
    options: { accuracy: '98.5', misses: 1 },
    short: '!sim accuracy:98.5 misses:1',
    says: /What a play would be worth[\s\S]*Beatmap/,
    hasCard: true,
  },
  {
    who: 'admin',
    command: 'beatmap info',
    options: { map: '9000014' },
    short: '!map 9000014',
    says: /Paper Comet[\s\S]*AR/,
    hasCard: true,
  },
  {
    who: 'admin',
    command: 'osu scores',
    options: { mods: 'HD', sort: 'accuracy' },
    short: '!top mods:HD sort:accuracy',
    // The web chat has mods as badges beside the grade, without a plus.
    says: /(?:\+|SS|[SABCD])HD/,
  },
  { who: 'admin', command: 'osu scores', options: {}, short: '!top', says: /lamp post/, hasCard: true },
  { who: 'admin', command: 'osu whatif', options: { pp: 300, times: 2 }, short: '!whatif 300 2', says: /300 pp/ },
  { who: 'admin', command: 'beatmap recommend', options: {}, short: '!rec', says: /pp/, hasCard: true },
  {
    who: 'member',
    command: 'osu ranking',
    options: {},
    short: '!ranking',
    says: /1\\?\. [\s\S]*lamp post[\s\S]*2\\?\. [\s\S]*night bus/,
    saysAlone: /in groups/,
  },
  {
    who: 'member',
    command: 'osu track',
    options: { player: 'night_bus' },
    says: /Only admins/,
    saysAlone: /in groups|cannot post here/,
  },
  {
    who: 'admin',
    command: 'osu track',
    options: { player: 'night_bus' },
    says: /night bus/,
    saysAlone: /in groups|cannot post here/,
  },
];

/** `/osu scores mods:HD`, or as Telegram's menu writes it, `/osu_scores mods:HD`. */
export function spoken({ command, options }: EveningStep, form: 'words' | 'menu'): string {
  const [first, ...others] = Object.entries(options);
  const named = ([name, value]: readonly [string, string | number]) => `${name}:${value}`;
  // What commands are about needs no name.
  const head = first === undefined ? [] : [['player', 'map', 'pp'].includes(first[0]) ? `${first[1]}` : named(first)];
  return [`/${form === 'menu' ? command.replace(' ', '_') : command}`, ...head, ...others.map(named)].join(' ');
}

export interface Evening {
  readonly services: Partial<Services>;
  /** SHA-256 of the image cards that were drawn, in order. */
  readonly drawn: readonly string[];
}

/** More than ratings are ever waited for. */
const LONGEST_MS = 60_000;

/** Real services over the sandbox, for the length of a test. */
export async function openEvening(workerFile: URL): Promise<Evening> {
  // Of few maps one recommendation may take all that suit the player, and the next would find none.
  const { osu } = await openOsuServices({ workerFile, beatmapsets: 400 });
  // A new catalogue is filled from the mirrors.
  osu.catalogue.remember((await osu.beatmaps.search({ q: 'No.', limit: 50 })).sets);
  await osu.catalogue.flush();
  const { beatmaps, recommend, recommendationHistory, artwork } = osu;
  // A card without its figures would be drawn again later, so they get the longest time that there is.
  const ratings: typeof osu.ratings = { ...osu.ratings, within: () => osu.ratings.within(LONGEST_MS) };
  const drawn: string[] = [];
  const rasterizer = createSvgRasterizer();
  const painter: typeof rasterizer = {
    picture(name, render, size) {
      const picture = rasterizer.picture(name, render, size);
      return {
        ...picture,
        async draw(theme) {
          const png = await picture.draw(theme);
          drawn.push(createHash('sha256').update(png).digest('hex'));
          return png;
        },
      };
    },
  };
  return { services: { beatmaps, ratings, recommend, recommendationHistory, painter, artwork }, drawn };
}
