import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { matchOsuLink, setPage } from '../../beatmaps/model/link.ts';
import { findVersion, splitVersion } from '../../beatmaps/query/named-difficulty.ts';
import { findNamed, type NamedMap } from '../../beatmaps/set-lookup.ts';
import { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { type CommandContext, type Mode, type OptionSuggestion, TERMS, usageError } from '../contract/command.ts';
import { looksLikeLink } from '../contract/command-spec.ts';
import { callerKey, chatKey } from '../contract/request.ts';
import type { AskedMap } from '../views/osu/facts.ts';

/** The visibility, cost and subject that most osu! commands have. */
export const ABOUT_BEATMAP = { visibility: 'chat', cost: 1, subject: 'beatmap' } as const;
export const ABOUT_PLAYER = { visibility: 'chat', cost: 1, subject: 'player' } as const;

/**
 * A command's option for a ruleset. In commands about a player, a line may also end in the ruleset without the option's
 * name: `rs lamp post taiko`.
 */
export const MODE_OPTION = TERMS.mode;

export function rulesetOf(mode: Mode): Ruleset;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined {
  return mode === 'catch' ? 'fruits' : mode;
}

/**
 * The words that other osu! bots use for the choices of the option `of`, which says whose plays or players are listed.
 */
export const REACH_WORDS: ReadonlyMap<string, string> = new Map([
  ['global', 'world'],
  ['server', 'here'],
  ['national', 'country'],
]);

const MAX_SUGGESTIONS = 25;

/** A command's option for a player. People who linked theirs may leave the name out. */
export const PLAYER_OPTION = { type: 'string', form: 'name', maxLength: 200, suggest: suggestPlayers } as const;

/** Matches a mention of a person by their id on the chat's platform, as Discord writes it. */
const MENTION = /^<@!?(\d{1,20})>$/;

export type AskedPlayer = Awaited<ReturnType<typeof askedPlayer>>;

/**
 * The player's id or name, and the ruleset for a caller who names none: null for the one that the player plays most.
 * `isProven` is true when the caller, or the person whom they mention, has proved to be this player.
 * @throws AppError `credentials_required`, or `invalid_request` with a hint when no player is named or linked
 */
export async function askedPlayer(given: string | undefined, context: CommandContext) {
  requirePlayers(context.services.beatmaps);
  return namedPlayer(given, context);
}

/**
 * Like {@link askedPlayer}, but it needs no credentials of the osu! API. A mention means the player whom that member
 * has linked.
 */
export async function namedPlayer(given: string | undefined, { caller, services }: CommandContext) {
  const [, mentioned] = MENTION.exec(given ?? '') ?? [];
  if (given !== undefined && mentioned === undefined) return { user: given, mode: null, isProven: false };
  const { memory, settings } = services;
  const person = callerKey({ ...caller, userId: mentioned ?? caller.userId });
  const isOwn = person === callerKey(caller);
  // Others may learn whom a person has linked only in a group in which that person has used an osu! command of Medley.
  const isKnown = isOwn || (caller.chatKind === 'group' && (await memory.members.has(chatKey(caller), person)));
  const { player } = isKnown ? await settings.user(person) : { player: null };
  if (player === null) throw usageError(isOwn ? 'noPlayer' : 'notLinked');
  return { user: player.id, username: player.name, mode: player.mode, isProven: player.proven };
}

/** The profile of the requested player and ruleset. @throws as `askedPlayer` does, `not_found`, an upstream's error */
export async function askedUser(
  given: { readonly player: string | undefined; readonly mode?: Mode | undefined },
  context: CommandContext,
) {
  const { user, mode, isProven } = await askedPlayer(given.player, context);
  const ruleset = rulesetOf(given.mode) ?? mode ?? undefined;
  return { ...(await context.services.beatmaps.user(user, ruleset, context.signal)), isProven };
}

/** @throws AppError `credentials_required` when the osu! API, which alone knows players, is not configured */
export function requirePlayers({ hasPlayers }: { readonly hasPlayers: boolean }): void {
  if (!hasPlayers) throw new AppError('credentials_required', 'no credentials of the osu! API');
}

/** Suggests the linked player first, then players who were requested lately. */
async function suggestPlayers(
  partial: string,
  { caller, services, t }: CommandContext,
): Promise<readonly OptionSuggestion[]> {
  const { player } = await services.settings.user(callerKey(caller));
  const isOwn = player?.name.toLowerCase().startsWith(partial.toLowerCase()) === true;
  const own =
    player !== null && isOwn ? [{ label: t.messages.osu.yours({ name: player.name }), value: player.name }] : [];
  const others = services.beatmaps
    .suggestPlayers(partial, MAX_SUGGESTIONS)
    .filter(({ id }) => own.length === 0 || id !== player?.id)
    .map(({ username }) => ({ label: username, value: username }));
  return [...own, ...others];
}

/**
 * The two letters of the country that is named; without a name, of the country of the caller's own player.
 * @throws AppError `invalid_request` with a hint, or an upstream's error
 */
export async function askedCountry(
  named: string | undefined,
  { caller, services, signal, t }: CommandContext,
): Promise<string> {
  const code = named === undefined ? undefined : (countryCode(named) ?? countryCode(named, t.locale));
  if (code !== undefined) return code;
  if (named !== undefined) throw usageError('notCountry', { name: named });
  const { player } = await services.settings.user(callerKey(caller));
  if (player === null) throw usageError('noPlayer');
  const { user } = await services.beatmaps.user(player.id, undefined, signal);
  if (user.country === null) throw usageError('notCountry', { name: user.username });
  return user.country.code;
}

/** The two letters of a country that is written as two letters or by its name; undefined for any other word. */
export function countryCode(named: string, locale = 'en'): string | undefined {
  if (/^[a-z]{2}$/i.test(named)) return currentCode(named);
  const codes = codesByName.get(locale) ?? listCodes(locale);
  codesByName.set(locale, codes);
  return codes.get(fold(named));
}

/** The code that osu! lists for a country, which may have two codes: GB for UK. */
function currentCode(letters: string): string | undefined {
  return new Intl.Locale(`und-${letters}`).region;
}

/** The codes of all countries by their folded names, for each language that was used. */
const codesByName = new Map<string, ReadonlyMap<string, string | undefined>>();

function listCodes(locale: string): ReadonlyMap<string, string | undefined> {
  const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap(first => letters.map(second => first + second));
  const codes = new Map<string, string | undefined>();
  for (const pair of pairs) {
    const name = names.of(pair);
    if (name !== undefined) codes.set(fold(name), currentCode(pair));
  }
  return codes;
}

/** A name without accents, case, spaces and punctuation, which people leave out. */
function fold(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();
}

/**
 * A command's option for a map; default: the one last shown in the chat. A map's address is taken for this option
 * wherever it stands in the line.
 */
export const MAP_OPTION = {
  type: 'string',
  form: 'map',
  maxLength: 300,
  suggest: suggestMaps,
  bare: (word: string): string | undefined => (isMapLink(word) ? word : undefined),
} as const;

export function isMapLink(word: string): boolean {
  const kind = matchOsuLink(word)?.kind;
  return kind === 'map' || kind === 'set';
}

/** In commands about a map the ruleset needs its option's name, `mode:taiko`: a bare word may belong to the title. */
export const MAP_MODE_OPTION = { ...MODE_OPTION, named: true } as const;

/** The map and the ruleset as the person wrote them. */
interface MapWish {
  readonly map: string | undefined;
  readonly mode: Mode | undefined;
}

/**
 * The difficulty that a person names, or the hardest of a set; without a name, the one last shown in this chat. What is
 * found becomes the last shown difficulty.
 * @throws AppError `invalid_request` with a hint, `not_found`, or an upstream's error
 */
export async function askedMap(wish: MapWish, context: CommandContext): Promise<AskedMap> {
  const found = await wishedMap(wish, context);
  const beatmap = found.beatmap ?? hardestOf(found.set, found.ruleset);
  if (beatmap === undefined) throw usageError('noDifficulty');
  const map = { ...found, beatmap, ruleset: beatmap.mode === 'osu' ? (found.ruleset ?? 'osu') : beatmap.mode };
  await context.services.memory.maps.remember(context.caller, { id: beatmap.id, ruleset: map.ruleset });
  return map;
}

/**
 * Like {@link askedMap}, but it may find a whole set, and does not become the chat's last shown map. @throws as
 * `askedMap` does
 */
export async function wishedMap({ map, mode }: MapWish, context: CommandContext): Promise<NamedMap> {
  const { caller, services, signal } = context;
  const last = map === undefined ? await services.memory.maps.last(caller) : undefined;
  if (map === undefined && last === undefined) throw usageError('noMap');
  const found =
    last === undefined
      ? await findMap(map ?? '', services.beatmaps, signal)
      : { ...(await services.beatmaps.setOfMap(last.id, signal)), ruleset: last.ruleset };
  return { ...found, ruleset: rulesetOf(mode) ?? found.ruleset };
}

/** The hardest difficulty of that ruleset; if the set has none of it, the hardest of the set's first ruleset. */
export function hardestOf({ beatmaps }: Beatmapset, ruleset?: Ruleset): Beatmap | undefined {
  const wanted = ruleset !== undefined && beatmaps.some(({ mode }) => mode === ruleset) ? ruleset : beatmaps[0]?.mode;
  return beatmaps.findLast(({ mode }) => mode === wanted);
}

/** @throws AppError `invalid_request` with a hint, `not_found`, or an upstream's error */
async function findMap(text: string, beatmaps: Beatmaps, signal: AbortSignal): Promise<NamedMap> {
  // A bare number is a set's id first, because people copy ids of sets from search pages.
  const named = await findNamed(text, beatmaps, 'set', signal);
  if (named !== undefined) return named;
  if (matchOsuLink(text) !== undefined || /^https?:\/\//i.test(text)) throw usageError('notBeatmapLink');
  return findWords(text, beatmaps, signal);
}

/** How many sets are searched for a difficulty of the stated name. */
const MOST_NAMED = 20;

async function findWords(text: string, beatmaps: Beatmaps, signal: AbortSignal): Promise<NamedMap> {
  const named = splitVersion(text);
  if (named !== undefined) {
    const found = await beatmaps.search({ q: named.words, status: 'any', limit: MOST_NAMED, signal });
    const map = findVersion(found.sets, named.version);
    if (map !== undefined) return { ...map, source: found.source, stale: found.stale };
  }
  const { sets, source, stale } = await beatmaps.search({ q: text, status: 'any', limit: 1, signal });
  const [best] = sets;
  if (best === undefined) {
    if (looksLikeLink(text) && text.includes('/')) throw usageError('notBeatmapLink');
    throw new AppError('not_found', 'no set has these words', { params: { what: 'words' } });
  }
  return { set: best, source, stale };
}

type SetLine = Awaited<ReturnType<Beatmaps['suggestSets']>>[number];

/** Suggests sets by the typed part of a name, without asking an upstream. */
async function suggestMaps(partial: string, { services, t }: CommandContext): Promise<readonly OptionSuggestion[]> {
  const sets = await services.beatmaps.suggestSets(partial, MAX_SUGGESTIONS);
  return sets.map(set => {
    const { id, artist, title, creator } = set;
    return { label: `${artist} - ${title} (${creator})`, detail: detailOf(set, t), value: setPage(id) };
  });
}

/** A line such as `1.60★ – 6.40★ · 2:00 · ranked`. */
function detailOf({ min_stars, max_stars, length, status }: SetLine, t: Translator): string {
  const stars = [...new Set([min_stars, max_stars])].flatMap(each =>
    each === null ? [] : [`${t.decimal(each, 2, 2)}★`],
  );
  const parts = [stars.join(' – '), length === null ? '' : t.duration(length * 1000), t.messages.osu.statuses[status]];
  return parts.filter(part => part !== '').join(' · ');
}
