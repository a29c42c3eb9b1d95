/** The prefixes that a short form may begin with. Some are two characters, because other bots listen to the single ones. */
export const PREFIXES = ['!', '.', '?', '>', '<', ';', '$', '-', '+', '~', 'm!', 'o!'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** In a private chat everything is meant for Medley, so short forms work there without anyone's choice. */
export const PRIVATE_PREFIX: Prefix = '!';

/** Groups of words that players know, each with the line that they stand for: a command of two words, then its options. */
export const LINES: readonly (readonly [words: string, line: string])[] = [
  ['rs recent', 'osu recent'],
  ['rp recentpass', 'osu recent pass:on'],
  ['rt recenttaiko', 'osu recent mode:taiko'],
  ['rc recentctb', 'osu recent mode:catch'],
  ['rm recentmania', 'osu recent mode:mania'],
  ['rl', 'osu scores type:recent'],
  ['rb recentbest', 'osu scores sort:date'],
  ['rbt', 'osu scores sort:date mode:taiko'],
  ['rbc', 'osu scores sort:date mode:catch'],
  ['rbm', 'osu scores sort:date mode:mania'],
  ['ob', 'osu scores sort:date reverse:on'],
  ['c compare cs score scompare gap', 'osu compare'],
  ['m map strains', 'beatmap info'],
  ['with', 'beatmap info mods:'],
  ['s search', 'beatmap search'],
  ['lb glb leaderboard', 'beatmap leaderboard'],
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
  ['topt toptaiko taikotop', 'osu scores mode:taiko'],
  ['topc topctb ctbtop', 'osu scores mode:catch'],
  ['topm topmania maniatop', 'osu scores mode:mania'],
  ['pins pinned', 'osu scores type:pinned'],
  ['firsts', 'osu scores type:firsts'],
  ['mapper', 'osu scores mapper:'],
  ['nc nochoke nochokes', 'osu nochoke'],
  ['topif ti', 'osu topif'],
  ['topold', 'osu topold'],
  ['vs versus osuvs osucompare', 'osu versus'],
  ['daily dc dailychallenge', 'osu daily'],
  ['whatif wi addpp', 'osu whatif'],
  ['target', 'osu target'],
  ['rank reach', 'osu target rank:'],
  ['ranking', 'osu ranking'],
  ['maps', 'osu maps'],
  ['mostplayed mp', 'osu maps type:most_played'],
  ['favs favourites', 'osu maps type:favourite'],
  ['track', 'osu track'],
  ['link', 'osu link'],
  ['unlink', 'osu unlink'],
];

const LINE_OF: ReadonlyMap<string, string> = new Map(
  LINES.flatMap(([words, line]) => words.split(' ').map(word => [word, line] as const)),
);

/** A whole number behind `pp`, or behind a name there, is a total to reach; anything else behind it describes a play. */
const TOTAL = /^(?:\d+(?:\s|$)|[\w[\]-]+\s\d{4,5}$)/;
/** On other bots the number stands behind the name: `rank lamp post 1000`. */
const NUMBER_LAST = /^(\D.*?)\s+(\d+)$/;
const NUMBER_FIRST: ReadonlySet<string> = new Set(['osu target', 'osu target rank:', 'osu whatif']);

function lineOf(word: string, rest: string): string | undefined {
  if (word === 'pp') return TOTAL.test(rest) ? 'osu target' : 'beatmap simulate';
  return LINE_OF.get(word);
}

export interface ShortForm {
  /** The name of the command. */
  readonly command: string;
  readonly rest: string;
}

const WORD = /^([a-z]{1,14})(\d{1,3})?$/i;

/** The command that a players' word stands for; a number right behind the word is the place in a list: `rs2 lamp post`. */
export function readShortWord(typed: string, behind: string): ShortForm | undefined {
  const [, word = '', index] = WORD.exec(typed) ?? [];
  const line = lineOf(word.toLowerCase(), behind);
  const [group, name, ...options] = line?.split(' ') ?? [];
  if (line === undefined || group === undefined || name === undefined) return undefined;
  // With nothing behind the word, an option that takes its value from there is left out.
  const said = options.filter(option => behind !== '' || !option.endsWith(':'));
  const values = NUMBER_FIRST.has(line) ? behind.replace(NUMBER_LAST, '$2 $1') : behind;
  const rest = [...said, ...(index === undefined ? [] : [`#${index}`]), values].join(' ').trim();
  return { command: `${group} ${name}`, rest };
}

const SHORT_FORM = new RegExp(
  `^(${PREFIXES.map(prefix => prefix.replace(/[.?$+]/g, '\\$&')).join('|')})([a-z]{1,14}\\d{0,3})(?=\\s|$)`,
  'i',
);

/**
 * Reads `!rs lamp post`, with any of the prefixes; undefined for all other text, at little cost, because it reads every message of every
 * chat.
 */
export function parseShortForm(text: string): (ShortForm & { readonly prefix: string }) | undefined {
  const [whole = '', prefix = '', word = ''] = SHORT_FORM.exec(text) ?? [];
  const read = readShortWord(word, text.slice(whole.length).trim());
  return read && { ...read, prefix: prefix.toLowerCase() };
}

export interface CommandLine {
  /** The command's name in lower case, without the slash. */
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
