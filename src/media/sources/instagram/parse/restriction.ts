import { AppError, type ErrorCode } from '../../../../errors.ts';
import { firstOf, isJsonObject, type JsonObject, readText } from '../../../parse/json-fields.ts';
import { plainWords } from '../../kit/failures.ts';

const MAX_WORDS_CHARS = 1_000;

/** The texts of these properties in plain letters, cut where they are long. */
export function wordsOf(said: JsonObject, ...keys: readonly string[]): string {
  return plainWords(keys.map(key => (readText(said[key]) ?? '').slice(0, MAX_WORDS_CHARS)).join(' '));
}

const REGION = /\bcountry\b|\bcountries\b|\bregion\b|location|where you (?:are|live)/;
const AGE = /\bage\b|min_age|years? old|\b(?:under|over) (?:1\d|2\d)\b|\b(?:1\d|2\d) (?:and|or) (?:over|older)\b/;
/** Words that the site uses for several restrictions; without others they mean age or sensitivity. */
const RESTRICTED = /restricted|sensitive/;
const WITHHELD = /(?:isn't|is not|not|un)\s?available|restricted|blocked|can't (?:see|view)/;

/**
 * The failure by an answer's texts. Region and age restrictions have the same titles. `isWithheld`: the answer is a
 * refusal, in which the code for a region counts before texts, and "restricted" proves nothing.
 */
export function failureOfWords(said: JsonObject, isWithheld: boolean): AppError | null {
  const words = wordsOf(said, 'title', 'description', 'subtitle', 'blocks_logging_data');
  const rules: readonly (readonly [boolean, ErrorCode])[] = [
    [/private/.test(wordsOf(said, 'title')), 'private'],
    [isWithheld && /\bgeo/.test(wordsOf(said, 'blocks_logging_data')), 'region_blocked'],
    [AGE.test(words), 'age_restricted'],
    [(isWithheld || WITHHELD.test(words)) && REGION.test(words), 'region_blocked'],
    [!isWithheld && RESTRICTED.test(words), 'age_restricted'],
  ];
  const code = rules.find(([fits]) => fits)?.[1];
  return code === undefined ? null : new AppError(code, `its words mean ${code}`);
}

/** Properties of a media that say why the site hides it from a visitor (`gating_ruling`: seen in 2026-09). */
const RESTRICTION_KEY = /gating|ruling|geo_?block|country_block|region_block|age_(?:gate|restrict)/;

/** The failure that a media itself states; null when it states none. */
export function restrictionOf(media: JsonObject): AppError | null {
  const keys = Object.keys(media).filter(key => RESTRICTION_KEY.test(key));
  return firstOf(keys, key => {
    const value = media[key];
    if (isJsonObject(value)) return failureOfWords(value, false);
    const code = /geo|country|region/.test(key) ? 'region_blocked' : /age/.test(key) ? 'age_restricted' : null;
    return value === true && code !== null ? new AppError(code, `the media says ${key}`) : null;
  });
}
