/** The words of a post as people read them: addresses written out, those of what the post shows beside them left out. */
import { readList, readText } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../../parse/json-search.ts';

const SHORT_TAIL = /(?:\s*https?:\/\/t\.co\/\w{1,30})+\s*$/;

/** The part between the names of those whom a reply answers and the addresses behind the words; its bounds count characters. */
function withinRange(text: string, range: unknown): string {
  const [start, end] = readList(range);
  if (typeof start !== 'number' || typeof end !== 'number') return text;
  const characters = Array.from(text);
  const from = /^(?:@\w{1,50}\s*)*$/.test(characters.slice(0, start).join('')) ? start : 0;
  return characters.slice(from, SHORT_TAIL.test(characters.slice(end).join('')) ? end : undefined).join('');
}

/**
 * @param media what the answer says of its media: their short addresses are no words
 * @param isShown tells the addresses of what is shown beside the words: the post itself, and the one that it quotes
 * @returns with an ellipsis where the answer has the beginning of a long text alone
 */
export function wordsOf(tweet: JsonObject, media: readonly JsonObject[], isShown: (target: string) => boolean) {
  const notes = child(tweet, 'note_tweet', 'note_tweet_results') ?? tweet.note_tweet;
  const note = child(notes, 'result') ?? notes;
  const long = readText(child(note, 'text'));
  const isCut = long === null && (isJsonObject(note) || tweet.truncated === true);
  const addresses = new Map<unknown, string>(media.map(({ url }) => [url, '']));
  const listed = [child(tweet, 'entities', 'urls'), child(note, 'entity_set', 'urls')];
  for (const one of listed.flatMap(urls => readList(urls)).filter(isJsonObject)) {
    const target = readText(one.expanded_url) ?? '';
    if (/^https?:\/\/\S{1,2000}$/.test(target)) addresses.set(one.url, isShown(target) ? '' : target);
  }
  const written =
    long ?? withinRange(readText(tweet.full_text) ?? readText(tweet.text) ?? '', tweet.display_text_range);
  const whole = written
    .replace(/&(amp|lt|gt);/g, (_, name) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
    .replace(/(\s*)(https?:\/\/t\.co\/\w{1,30})/g, (found, space, short) => {
      const target = addresses.get(short);
      return target === undefined ? found : target && space + target;
    });
  const text = (media.length > 0 ? whole.replace(SHORT_TAIL, '') : whole).trim();
  const ended = isCut ? `${text.replace(/\s*(?:\u2026|\.{3})$/, '')}\u2026` : text;
  return { caption: text === '' ? null : ended, isCut };
}
