/**
 * Field readers that accept whatever Instagram and Facebook put there: a value of the right kind comes out, anything else is `null`.
 * One odd field must never cost the post.
 */
import { z } from 'zod';
import { META_MEDIA_HOSTS, mediaAddress } from './media-address.ts';

const anything = z.unknown().optional();
const MAX_TEXT_CHARS = 1_000_000;
/** More than any list of theirs that is read here. */
const MAX_LIST = 200;

function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT_CHARS) : null;
}

/** Non-empty text. */
export const text = anything.transform(toText);

/** A count; -1, their word for a hidden one, is null. */
export const count = anything.transform(value => {
  const number = toNumber(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
});

/** A number above zero: pixels, seconds, bits. */
export const size = anything.transform(value => {
  const number = toNumber(value);
  return number !== null && number > 0 ? number : null;
});

export const flag = anything.transform(value => {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
});

/** A decimal id as text; `PK_OWNER` and `POLARIS_PK` give PK. A number too large to be exact is null. */
export const numericId = anything.transform(value => {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string') return null;
  return /^(?:[A-Z]+_)?(\d{1,24})(?:_\d{1,24})?$/.exec(id)?.[1] ?? null;
});

/** Unix seconds (or milliseconds, told by their size) as unix milliseconds. */
export const instant = anything.transform(value => {
  const number = toNumber(value);
  if (number === null || number <= 0) return null;
  return Math.round(number > 100_000_000_000 ? number : number * 1000);
});

/** An address on the CDN; any other is null. */
export const address = anything.transform(value => mediaAddress(value, META_MEDIA_HOSTS));

/** The elements that fit `element`, in order; no list at all is an empty one. */
export function listOf<Out>(element: z.ZodType<Out>) {
  return anything.transform((value): Out[] => {
    if (!Array.isArray(value)) return [];
    return value.slice(0, MAX_LIST).flatMap(entry => {
      const result = element.safeParse(entry);
      return result.success ? [result.data] : [];
    });
  });
}

/** An object of these fields; anything else is null. */
export function objectOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).nullable().catch(null);
}
