/** The prefixes of short commands (`!rs`). Some have two characters, because other bots use single characters. */
export const PREFIXES = ['!', '.', '?', '>', '<', ';', '$', '-', '+', '~', 'm!', 'o!'] as const;
export type Prefix = (typeof PREFIXES)[number];

/**
 * The only prefix of short commands in private chats: other prefixes are not needed, since no other bot reads what is
 * typed there.
 */
export const PRIVATE_PREFIX: Prefix = '!';

/** Words that players type, each list with the line that they stand for: a command of two words and its options. */
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
  ['lb glb rlb leaderboard', 'beatmap leaderboard'],
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
  ['link osuset', 'osu link'],
  ['unlink', 'osu unlink'],
];

/** Words behind a short command that make it mean another command, as players write them for other bots. */
const REWRITES: readonly (readonly [command: string, words: RegExp, meant: string])[] = [
  ['osu track', /^(?:add\s+(?=\S)|list$)/i, 'osu track'],
  ['osu track', /^(?:remove|stop)\s+(?=\S)/i, 'osu track stop:on'],
  ['osu link', /^(?:user\s+(?=\S)|mode\s+(?=\S+$))/i, 'osu link'],
  ['osu compare', /(?<!\S)\*(?!\S)/, 'beatmap leaderboard'],
  ['osu compare', /^(?=\S*ppy\.sh\/scores\/)/i, 'osu score'],
  ['beatmap download', /(?<!\S)(?:no ?|without )video(?!\S)/i, 'beatmap download video:off'],
  // Lower-case `-nc` means "no choke"; `-NC` in capitals excludes plays with the mod Nightcore.
  ['osu scores', /(?<!\S)-nc(?!\S)/, 'osu nochoke'],
];

const LINE_OF: ReadonlyMap<string, string> = new Map(
  LINES.flatMap(([words, line]) => words.split(' ').map(word => [word, line] as const)),
);

/**
 * Matches the text behind the short command `pp` if it asks for a total to reach: a whole number, alone or behind a
 * player's name. Any other text describes a play to simulate.
 */
const TOTAL =
  /^(?:\d+(?:pp)?(?:\s|$)|(?!.*\s(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD)+\s)[\w[\]-][\w[\] -]{0,14}\s\d{4,5}(?:pp)?$)/i;
/** Matches a number behind a name, as players write it for other bots: `rank lamp post 1000`, `rank 7lamps #1000`. */
const NUMBER_LAST = /^((?!\d[\d.,]*(?:pp|%)?\s)\S.*?)(?<=\S)\s+#?(\d+(?:[.,]\d+)?%?)$/i;
const NUMBER_FIRST: ReadonlySet<string> = new Set([
  'osu target',
  'osu target rank:',
  'osu whatif',
  'beatmap simulate accuracy:',
]);

function lineOf(word: string, rest: string): string | undefined {
  if (word === 'pp') return TOTAL.test(rest) ? 'osu target' : 'beatmap simulate';
  return LINE_OF.get(word);
}

export interface ShortForm {
  /** The name of the command that the word stands for. */
  readonly command: string;
  readonly rest: string;
}

const WORD = /^([a-z]{1,14})(\d{1,3})?$/i;

/**
 * The command that a short word of players stands for: `rs` is `osu recent`. A number at the word's end is a position
 * in a list: `rs2 lamp post`.
 */
export function readShortWord(typed: string, behind: string): ShortForm | undefined {
  const [, word = '', index] = WORD.exec(typed) ?? [];
  const line = lineOf(word.toLowerCase(), behind);
  if (line === undefined) return undefined;
  return readFullForm(line, NUMBER_FIRST.has(line) ? behind.replace(NUMBER_LAST, '$2 $1') : behind, index);
}

/**
 * Matches a command for a list of plays. A number alone behind it is a position or a page: hardly any player has so
 * short an id.
 */
const LIST = /^osu (?:recent|scores|nochoke|topold)\b(?!.*:$)/;
const POSITION = /^(?:[1-9]\d?|1\d\d|200)$/;

/**
 * Matches mods that a play must have exactly, without any other mods, as players write it for other bots: `-mx HDDT`,
 * here `+HDDT!`.
 */
const EXACT_MODS = /(?<!\S)-mx\s+\+?([a-z\d,+]{2,})!?(?!\S)/i;

/** Reads the words behind a command of two words, which may make it mean another one: `osu track` with `add NAME`. */
export function readFullForm(first: string, behind: string, index?: string): ShortForm | undefined {
  const rewrite = REWRITES.find(([command, words]) => first.startsWith(command) && words.test(behind));
  const line = rewrite === undefined ? first : first.replace(rewrite[0], rewrite[2]);
  const text = (rewrite === undefined ? behind : behind.replace(rewrite[1], '').trim()).replace(EXACT_MODS, '+$1!');
  const [group, name, ...options] = line.split(' ');
  if (group === undefined || name === undefined) return undefined;
  // An option that ends in a colon takes its value from the text behind the word; without text it is left out.
  const said = options.filter(option => text !== '' || !option.endsWith(':'));
  const words = LIST.test(line) ? text.replace(POSITION, '#$&') : text;
  const rest = [...said, ...(index === undefined ? [] : [`#${index}`]), words].join(' ').trim();
  return { command: `${group} ${name}`, rest };
}

const SHORT_FORM = new RegExp(
  `^(${PREFIXES.map(prefix => prefix.replace(/[.?$+]/g, '\\$&')).join('|')})([a-z]{1,14}\\d{0,3})(?=\\s|$)`,
  'i',
);

/**
 * Reads a short command such as `!rs lamp post`, whatever its prefix; undefined for other text. It must be cheap,
 * because it reads every message of every chat.
 */
export function parseShortForm(text: string): (ShortForm & { readonly prefix: string }) | undefined {
  const [whole = '', prefix = '', word = ''] = SHORT_FORM.exec(text) ?? [];
  const read = readShortWord(word, text.slice(whole.length).trim());
  return read && { ...read, prefix: prefix.toLowerCase() };
}

export interface CommandLine {
  /** The command's name in lower case, without the slash. */
  readonly name: string;
  /** The bot's name in `/name@botname`; undefined without one. */
  readonly mention: string | undefined;
  readonly rest: string;
}

const COMMAND = /^\s*\/([\p{L}\p{N}_-]{1,64})(?:@(\w{1,64}))?(?=\s|$)/u;

/** Splits `/name and the rest`; undefined for a text that is no command. */
export function parseCommandLine(text: string): CommandLine | undefined {
  const match = COMMAND.exec(text);
  if (!match?.[1]) return undefined;
  return { name: match[1].toLowerCase(), mention: match[2], rest: text.slice(match[0].length).trim() };
}
