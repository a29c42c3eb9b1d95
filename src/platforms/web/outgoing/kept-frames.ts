import { LRUCache } from 'lru-cache';
import type { ChatLimits } from '../protocol/limits.ts';

/** Frames that were sent, for a page that lost them on the way: whole answers for some minutes, late frames for as long as work waits for its page. */
export class KeptFrames {
  /** Lines of UTF-8, outside the heap: as strings they take twice as much, and half as much again until they are collected. */
  readonly #answers: LRUCache<string, Uint8Array>;
  readonly #late: LRUCache<string, readonly string[]>;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  constructor({ answeredBytes, answeredMs, orphanMs }: ChatLimits, now: () => number) {
    const shared = { maxSize: answeredBytes, perf: { now } };
    this.#answers = new LRUCache({ ...shared, sizeCalculation: ({ length }) => length, ttl: answeredMs });
    this.#late = new LRUCache({ ...shared, sizeCalculation: sizeOf, ttl: orphanMs });
  }

  /** The frames of a whole answer; undefined when it is not kept any more. */
  answerTo(session: string, messageId: string): readonly string[] | undefined {
    const frames = this.#answers.get(`${session} ${messageId}`);
    return frames && this.#decoder.decode(frames).split('\n');
  }

  keepAnswer(session: string, messageId: string, frames: readonly string[]): void {
    this.#answers.set(`${session} ${messageId}`, this.#encoder.encode(frames.join('\n')));
    // An answer that is too old would otherwise stay until others need its place.
    this.#answers.purgeStale();
  }

  lateFor(session: string): readonly string[] {
    return this.#late.get(session) ?? [];
  }

  addLate(session: string, frame: string): void {
    this.#late.set(session, [...this.lateFor(session), frame]);
    this.#late.purgeStale();
  }
}

function sizeOf(frames: readonly string[]): number {
  return frames.reduce((total, frame) => total + frame.length, 64);
}
