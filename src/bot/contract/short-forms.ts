/** A short form may begin with one of these. Some are two letters: other bots listen to the single ones. */
export const PREFIXES = ['!', '.', '?', '>', '$', '-', '+', '~', 'm!', 'o!'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** Alone with Medley all that is said is meant for it, and needs no one's choice. */
export const PRIVATE_PREFIX: Prefix = '!';

/** The line that each group of words stands for, as players know them: a command of two words, then what is said with it. */
export const LINES: readonly (readonly [words: string, line: string])[] = [
  ['rs recent', 'osu recent'],
  ['rp recentpass', 'osu recent pass:on'],
  ['rt', 'osu recent mode:taiko'],
  ['rc', 'osu recent mode:catch'],
  ['rm', 'osu recent mode:mania'],
  ['rl', 'osu scores type:recent'],
  ['rb', 'osu scores sort:date'],
  ['c compare cs score gap', 'osu compare'],
  ['m map', 'beatmap info'],
  ['with', 'beatmap info mods:'],
  ['s search', 'beatmap search'],
  ['lb leaderboard', 'beatmap leaderboard'],
  ['sim simulate', 'beatmap simulate'],
  ['acc', 'beatmap simulate accuracy:'],
  ['r rec recommend', 'beatmap recommend'],
  ['dl', 'beatmap download'],
  ['osu profile', 'osu profile'],
  ['std', 'osu profile mode:osu'],
  ['taiko', 'osu profile mode:taiko'],
  ['ctb catch fruits', 'osu profile mode:catch'],
  ['mania', 'osu profile mode:mania'],
  ['top osutop scores', 'osu scores'],
  ['toptaiko taikotop', 'osu scores mode:taiko'],
  ['topctb ctbtop', 'osu scores mode:catch'],
  ['topmania maniatop', 'osu scores mode:mania'],
  ['pins pinned', 'osu scores type:pinned'],
  ['firsts', 'osu scores type:firsts'],
  ['nc nochoke nochokes', 'osu nochoke'],
  ['topif ti', 'osu topif'],
  ['vs versus osuvs', 'osu versus'],
  ['daily dc', 'osu daily'],
  ['whatif wi', 'osu whatif'],
  ['target', 'osu target'],
  ['rank', 'osu target rank:'],
  ['ranking', 'osu ranking'],
  ['maps', 'osu maps'],
  ['mostplayed', 'osu maps type:most_played'],
  ['favs favourites', 'osu maps type:favourite'],
  ['track', 'osu track'],
  ['link', 'osu link'],
  ['unlink', 'osu unlink'],
];

const LINE_OF: ReadonlyMap<string, string> = new Map(
  LINES.flatMap(([words, line]) => words.split(' ').map(word => [word, line] as const)),
);

/** A whole number behind `pp` is a total to reach; all else behind it describes a play. */
const TOTAL = /^\d+(?:\s|$)/;

function lineOf(word: string, rest: string): string | undefined {
  if (word === 'pp') return TOTAL.test(rest) ? 'osu target' : 'beatmap simulate';
  return LINE_OF.get(word);
}

export interface ShortForm {
  /** Name of the command. */
  readonly command: string;
  readonly rest: string;
}

const WORD = /^([a-z]{1,12})(\d{1,3})?$/i;

/** The command that a word of players stands for, a number behind it being the place in a list: `rs2 lamp post`. */
export function readShortWord(typed: string, behind: string): ShortForm | undefined {
  const [, word = '', index] = WORD.exec(typed) ?? [];
  const [group, name, ...said] = lineOf(word.toLowerCase(), behind)?.split(' ') ?? [];
  if (group === undefined || name === undefined) return undefined;
  const rest = [...said, ...(index === undefined ? [] : [`#${index}`]), behind].join(' ').trim();
  return { command: `${group} ${name}`, rest };
}

const SHORT_FORM = new RegExp(
  `^(${PREFIXES.map(prefix => prefix.replace(/[.?$+]/g, '\\$&')).join('|')})([a-z]{1,12}\\d{0,3})(?=\\s|$)`,
  'i',
);

/** `!rs lamp post`, with whichever prefix; undefined for all else, at little cost: it sees every message of every chat. */
export function parseShortForm(text: string): (ShortForm & { readonly prefix: string }) | undefined {
  const [whole = '', prefix = '', word = ''] = SHORT_FORM.exec(text) ?? [];
  const read = readShortWord(word, text.slice(whole.length).trim());
  return read && { ...read, prefix: prefix.toLowerCase() };
}

export interface CommandLine {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The `botname` of `/name@botname`. */
  readonly mention: string | undefined;
  readonly rest: string;
}

const COMMAND = /^\s*\/([\p{L}\p{N}_-]{1,64})(?:@(\w{1,64}))?(?=\s|$)/u;

/** `/name what follows`, or undefined when the text is no command. */
export function parseCommandLine(text: string): CommandLine | undefined {
  const match = COMMAND.exec(text);
  if (!match?.[1]) return undefined;
  return { name: match[1].toLowerCase(), mention: match[2], rest: text.slice(match[0].length).trim() };
}
