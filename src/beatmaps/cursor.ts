/** Opaque cursors: base64url of a small JSON. A cursor from a client is a stranger's text until it has been parsed. */
import * as z from 'zod';
import { invalidRequest } from '../errors.ts';
import { parseJson } from '../infra/parse-json.ts';
import { SOURCE_IDS, type SourceId } from './upstreams/source.ts';

/** The position at which a search goes on. */
export interface SearchPosition {
  /** The upstream of the page; undefined at the beginning of a search. */
  readonly source: SourceId | undefined;
  /** The token of `source` for the page; undefined for its first page. */
  readonly token: string | undefined;
  /** The number of the page, from 0, by which another upstream goes on if this one fails. */
  readonly page: number;
  /** How many sets of the page were returned already. */
  readonly skip: number;
}

const MAX_LENGTH = 2_000;
const place = z.number().int().min(0).max(100_000);
const searchShape = z.object({ s: z.enum(SOURCE_IDS), c: z.string().max(1_000).optional(), p: place, k: place });
const offsetShape = z.object({ o: place });

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws AppError `invalid_request` */
function decode<T>(cursor: string, shape: z.ZodType<T>): T {
  const text = cursor.length > MAX_LENGTH ? '' : Buffer.from(cursor, 'base64url').toString();
  const read = shape.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw invalidRequest('cursor', 'cursor must be one that an earlier answer gave', {}, read.error);
}

export const SEARCH_START: SearchPosition = { source: undefined, token: undefined, page: 0, skip: 0 };

export function renderSearchCursor({ source, token, page, skip }: SearchPosition): string {
  return encode({ s: source, c: token, p: page, k: skip });
}

/** @throws AppError `invalid_request` */
export function parseSearchCursor(cursor: string): SearchPosition {
  const { s, c, p, k } = decode(cursor, searchShape);
  return { source: s, token: c, page: p, skip: k };
}

export function renderOffsetCursor(offset: number): string {
  return encode({ o: offset });
}

/** @throws AppError `invalid_request` */
export function parseOffsetCursor(cursor: string): number {
  return decode(cursor, offsetShape).o;
}
