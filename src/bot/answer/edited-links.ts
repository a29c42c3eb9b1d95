import { LRUCache } from 'lru-cache';
import type { Ask } from '../contract/ask.ts';

/** Links that come into a message by an edit are answered, those that were in it before are not answered again. */
export interface EditedLinks {
  /** Those that an edit adds; all of them where nothing was accepted of the message before, as far as this process knows. */
  added(messageKey: string, links: Links): { readonly links: Links; readonly isKnown: boolean };
  /** Remembers what was accepted of a message, so that an edit of it is known. */
  accepted(messageKey: string, ask: Ask): void;
}

type Links = Extract<Ask, { kind: 'links' }>['what'];

/** Platforms report changes that bots cannot see as edits too; those of old messages are none that a person waits for. */
export const EDITABLE_MS = 3_600_000;
const MAX_MESSAGES = 10_000;

export function createEditedLinks({ now }: { readonly now: () => number }): EditedLinks {
  /** By message, in memory alone: after a restart the message's own event id tells whether it was answered. */
  const answered = new LRUCache<string, ReadonlySet<string>>({ max: MAX_MESSAGES, ttl: EDITABLE_MS, perf: { now } });

  return {
    added(messageKey, links) {
      const known = answered.get(messageKey);
      return { links: links.filter(({ url }) => known?.has(url) !== true), isKnown: known !== undefined };
    },
    accepted(messageKey, ask) {
      const links = ask.kind === 'links' ? ask.what.map(({ url }) => url) : [];
      answered.set(messageKey, new Set([...(answered.get(messageKey) ?? []), ...links]));
    },
  };
}
