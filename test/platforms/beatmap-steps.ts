import { menuName } from '../../src/platforms/telegram/render/formatted-text.ts';
import { commandList } from '../bot/command-list.ts';

/** One use of a command, and words that its answer must hold. */
export interface Step {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
  readonly says: RegExp;
}

const ALL: readonly Step[] = [
  { command: 'beatmap search', options: { query: 'paper comet' }, says: /Marble Lanterns - Paper Comet/ },
  { command: 'beatmap search', options: { query: 'stars>1', mode: 'mania' }, says: /\d BPM/ },
  { command: 'beatmap info', options: { map: 'https://osu.ppy.sh/beatmapsets/900001' }, says: /Paper Comet[\s\S]*AR/ },
  { command: 'beatmap info', options: { map: 'https://osu.ppy.sh/b/9000014' }, says: /Paper Comet/ },
  { command: 'beatmap download', options: { map: '900001' }, says: /Paper Comet/ },
  { command: 'osu link', options: { player: 'lamp_post' }, says: /lamp post/ },
  { command: 'osu profile', options: {}, says: /lamp post[\s\S]*6[.,]24/ },
  { command: 'osu scores', options: { player: 'lamp_post' }, says: /lamp post/ },
  { command: 'osu score', options: { play: 'https://osu.ppy.sh/scores/5000000001' }, says: /lamp post[\s\S]*Normal/ },
  { command: 'osu maps', options: { player: 'lamp_post', type: 'most_played' }, says: /lamp post/ },
  { command: 'osu recent', options: {}, says: /lamp post[\s\S]*#12/ },
  { command: 'osu recent', options: { player: 'lamp_post', index: '2' }, says: /lamp post[\s\S]*%/ },
  { command: 'beatmap leaderboard', options: { map: '9000014' }, says: /salt shaker[\s\S]*Window Seat/ },
  { command: 'osu compare', options: {}, says: /lamp post[\s\S]*Insane/ },
  { command: 'osu compare', options: { player: 'night_bus', map: '9000013' }, says: /night bus[\s\S]*Hard/ },
  { command: 'beatmap simulate', options: { map: '9000014', accuracy: '98.5', misses: '1' }, says: /Paper Comet/ },
  { command: 'osu scores', options: { player: 'lamp_post', mods: 'HD', sort: 'accuracy' }, says: /\+HD/ },
  { command: 'osu scores', options: { player: 'lamp_post', search: 'comet', reverse: 'true' }, says: /Comet/ },
  { command: 'osu nochoke', options: { player: 'lamp_post' }, says: /lamp post[\s\S]*pp/ },
  { command: 'osu topif', options: { mods: '+HD', player: 'lamp_post' }, says: /lamp post[\s\S]*\+HD/ },
  { command: 'osu versus', options: { player: 'lamp_post', other: 'tea_kettle' }, says: /lamp post[\s\S]*tea kettle/ },
  { command: 'osu daily', options: { player: 'lamp_post' }, says: /lamp post[\s\S]*12/ },
  { command: 'osu ranking', options: { of: 'world' }, says: /ranked 1/ },
  { command: 'osu whatif', options: { pp: '300', times: '2' }, says: /300 pp/ },
  { command: 'osu target', options: { pp: '7000' }, says: /7[.,]000/ },
  { command: 'osu target', options: { pp: '8000', player: 'lamp_post' }, says: /8[.,]000/ },
  { command: 'osu ranking', options: { mode: 'osu' }, says: /lamp post|in groups/ },
  { command: 'osu track', options: { player: 'lamp_post' }, says: /in groups|Only admins/ },
  { command: 'osu unlink', options: {}, says: /\S/ },
  { command: 'osu profile', options: { player: 'nobody_of_that_name' }, says: /\S/ },
];

/** Every `/beatmap ...` and `/osu ...`, in an order that makes sense to one person. */
export const BEATMAP_STEPS: readonly Step[] = ALL.filter(({ command }) =>
  commandList.some(({ name }) => name === command),
);

/** The same as a person types it. */
export function lineOf({ command, options }: Step): string {
  const [first = '', ...others] = Object.entries(options);
  const words = first === '' ? [] : [first[1], ...others.map(([name, value]) => `${name}:${value}`)];
  return [`/${menuName(command)}`, ...words].join(' ');
}
