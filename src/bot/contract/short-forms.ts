/** A short form may begin with one of these. Some are two letters: other bots listen to the single ones. */
export const PREFIXES = ['!', '.', '?', '>', '$', '-', '+', '~', 'm!', 'o!'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** Alone with Medley all that is said is meant for it, and needs no one's choice. */
export const PRIVATE_PREFIX: Prefix = '!';

/** The command that each stands for, as players know them. */
const COMMANDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    rs: 'osu recent',
    recent: 'osu recent',
    c: 'osu compare',
    compare: 'osu compare',
    map: 'beatmap info',
    m: 'beatmap info',
    search: 'beatmap search',
    lb: 'beatmap leaderboard',
    leaderboard: 'beatmap leaderboard',
    sim: 'beatmap simulate',
    simulate: 'beatmap simulate',
    r: 'beatmap recommend',
    rec: 'beatmap recommend',
    recommend: 'beatmap recommend',
    osu: 'osu profile',
    profile: 'osu profile',
    top: 'osu scores',
    scores: 'osu scores',
    nc: 'osu nochoke',
    nochoke: 'osu nochoke',
    whatif: 'osu whatif',
    target: 'osu target',
    ranking: 'osu ranking',
  }),
);

export interface ShortForm {
  readonly prefix: string;
  /** Name of the command. */
  readonly command: string;
  readonly rest: string;
}

const SHORT_FORM = new RegExp(
  `^(${PREFIXES.map(prefix => prefix.replace(/[.?$+]/g, '\\$&')).join('|')})([a-z]{1,12})(?=\\s|$)`,
  'i',
);

/** `!rs lamp post`, with whichever prefix; undefined for all else, at little cost: it sees every message of every chat. */
export function parseShortForm(text: string): ShortForm | undefined {
  const [whole = '', prefix = '', name = ''] = SHORT_FORM.exec(text) ?? [];
  const command = COMMANDS.get(name.toLowerCase());
  return command === undefined
    ? undefined
    : { prefix: prefix.toLowerCase(), command, rest: text.slice(whole.length).trim() };
}
