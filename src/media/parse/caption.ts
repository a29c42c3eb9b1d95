/** The names in a caption: `#tags` and `@people`, with their sign, in order, without repeats. */
export interface CaptionTags {
  readonly hashtags: readonly string[];
  readonly mentions: readonly string[];
}

const MAX_CAPTION_CHARS = 100_000;
/** Letters of any script with their marks, digits, `_`; a keycap or emoji is no part of a tag. */
const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&/])[#\uff03]([\p{L}\p{M}\p{N}_]{1,150})/gu;
/** Names are ASCII letters, digits, `_` and single inner dots, at most 30; an address's `@` follows a letter or digit. */
const MENTION = /(?<![\p{L}\p{N}_.+-])[@\uff20]([A-Za-z0-9_](?:\.?[A-Za-z0-9_]){0,29})(?![A-Za-z0-9_])/gu;

function distinct(tags: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.toLowerCase();
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}

/** Reads hashtags (not purely numeric) and mentions of a caption in linear time. Repeats in other letter case count as repeats. */
export function captionTags(caption: string | null): CaptionTags {
  if (!caption) return { hashtags: [], mentions: [] };
  const text = caption.slice(0, MAX_CAPTION_CHARS);
  const words = [...text.matchAll(HASHTAG)].map(match => match[1] ?? '');
  const names = [...text.matchAll(MENTION)].map(match => match[1] ?? '');
  return {
    hashtags: distinct(words.filter(word => /[^\p{N}\p{M}]/u.test(word)).map(word => `#${word}`)),
    mentions: distinct(names.map(name => `@${name}`)),
  };
}
