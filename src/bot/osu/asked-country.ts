import type { CommandContext } from '../contract/command.ts';
import { callerKey } from '../contract/request.ts';
import { usageError } from '../contract/usage-error.ts';

/**
 * The two letters of the country that is named, or of the caller's own player.
 * @throws AppError `invalid_request` with a hint, or an upstream's
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

/** The current code of a country that has two, as osu! lists it: GB for UK. */
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
