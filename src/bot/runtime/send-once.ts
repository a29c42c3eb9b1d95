import { type ChatPlatform, type Sending, Superseded } from '../contract/chat-platform.ts';
import type { Progress } from './progress.ts';
import type { Reservation } from './throttle.ts';

/** A message may stand in the chat, and a repeat of it would not be recognised. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}

const MOST_REPEAT_MS = 24 * 3_600_000;

export interface SendOnceOptions {
  readonly progress: Progress;
  /** Of the messages that are put: no other message of the request has it. */
  readonly phase: string;
  /** The part after those that these messages belong to. */
  readonly next: number;
  readonly signal: AbortSignal;
  readonly outcomeOf: ChatPlatform['outcomeOf'];
  /** Of what the platform's pace allows. */
  readonly reservation: Pick<Reservation, 'take'>;
  /** Writes progress down. @throws Superseded, StoreAway */
  readonly save: () => Promise<void>;
  readonly mayUpload: () => boolean;
  /** Called when a message has arrived. */
  readonly onSent: () => void;
  readonly now: () => number;
}

/**
 * Puts messages into a chat so that each stands there once: before a call it is written down that the message may arrive, after it that it
 * stands or certainly does not. A message whose fate is not known is only sent again where the platform knows it again.
 */
export function createSendOnce(options: SendOnceOptions): Sending['put'] {
  const { progress, phase, next, signal, outcomeOf, reservation, save, mayUpload, onSent, now } = options;

  /** From here until the message stands, nothing but the platform could say, if this process died, whether it arrived. */
  async function announce(key: string, repeatMs: number): Promise<void> {
    const { sending } = progress;
    if (sending !== undefined && (sending.key !== key || now() >= sending.until))
      throw new Unsure(`fate of ${sending.key}`);
    if (sending !== undefined) return;
    progress.sending = { key, until: now() + Math.min(repeatMs, MOST_REPEAT_MS), next };
    try {
      await save();
      signal.throwIfAborted();
    } catch (error) {
      delete progress.sending;
      throw error;
    }
  }

  return async (key, call, { repeatMs = 0, messages = 1, isUpload = false } = {}) => {
    if (progress.stands.includes(key)) return undefined;
    signal.throwIfAborted();
    const isRepeat = progress.sending !== undefined;
    const taken = await reservation.take(messages, signal);
    let result: Awaited<ReturnType<typeof call>>;
    let isBegun = false;
    try {
      if (isUpload && !mayUpload()) throw new Superseded('Medley stops');
      await announce(key, repeatMs);
      isBegun = true;
      result = await call(`${phase}-${key}`);
      taken.arrived();
    } catch (error) {
      if (!isBegun || outcomeOf(error)?.outcome === 'notSent') taken.giveBack();
      else taken.arrived();
      if (!isBegun) throw error;
      // That this attempt did not arrive says nothing of the one before.
      if (!isRepeat && outcomeOf(error)?.outcome === 'notSent') {
        delete progress.sending;
        await save();
      }
      throw error;
    }
    delete progress.sending;
    progress.stands.push(key);
    progress.tries = 0;
    onSent();
    await save();
    return result;
  };
}
