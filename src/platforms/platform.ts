import type { FastifyInstance } from 'fastify';
import type { ChatPlatform } from '../bot/contract/chat-platform.ts';

/**
 * A chat platform implements this: it receives events, sends messages, and says what a failure means. The runtime
 * (`bot/runtime`) does the rest for all platforms: it stores requests, runs them in turn, retries, resumes after a
 * restart, reconnects, and ends running work before the process stops.
 *
 * **Receiving.** `connect(host)` resolves when events are received, and throws the error that prevented it; the runtime
 * calls it again with growing pauses. When the connection is lost for good, call `host.lost(reason)`. For each event
 * that concerns Medley (`dispatcher.read` decides that from a message's text and links), call `host.accept(draft)` with
 * the event's own id, so that a repeat is recognised:
 *
 * - `replyTo` is all that another process needs to answer: ids, topic, token, rights, upload limit. It is written as
 *   JSON and read back by the zod schema `replyTo`; put no text of people into it.
 * - Confirm the event to the platform (by an offset or a sequence number) when `accept` has resolved, but not when it
 *   resolved with `closed`: then the request was not stored.
 * - A confirmation that the platform requires within seconds goes into `acknowledge`: it is called when the request is
 *   stored, and nothing is sent before it has resolved. `refuse` is called instead if the queue has no room.
 * - `until` is the moment after which no answer can arrive, such as the end of an interaction's token.
 *
 * Autocomplete, inline queries and the like are not requests: answer them at once.
 *
 * **Sending.** `send(replies, sending)` renders replies and makes the calls. Prepare whatever takes time (files,
 * pictures) first; then wrap each call that puts a message into the chat, and nothing else, in `sending.sendOnce(key,
 * call)`:
 *
 * - `key` is the message's place in this `send`: `'0'`, `'1'`, ... It must come out the same when `send` is repeated,
 *   because messages that were sent already are recognised by it and skipped.
 * - If the platform recognises repeats, pass the call's tag as the nonce, and the time for which repeats are recognised
 *   as `repeatMs`; an edit of a known message can be repeated at any time.
 * - Do not catch failures. Only after a call that was certainly refused, the same content may be sent in another form
 *   under the same key.
 * - Do not wait inside for a flood limit: throw an error that `outcomeOf` reads as `flood`. If the platform documents
 *   its rate limits, declare them as `pace`, return from `messagesOf` how many messages a reply may take, and tell
 *   `sendOnce` how many a call sends: room for all of them is reserved before the first is sent.
 *
 * **Failures.** `outcomeOf(error)` reads failures of calls, of `connect` and of `verify`: `notSent` only when
 * it is certain that nothing arrived (refused, connection never made, upload cut short from here), with the reason and
 * the time to wait if the platform says one; `unknown` when it may have arrived; undefined for errors that come from
 * elsewhere.
 *
 * The runtime acts on the reason: after `away`, `flood` or `token` the request waits without holding a worker, for a
 * day or until `until`. After `refused` a notice says so; after `gone` nothing is sent. After `unknown` the call is
 * repeated as long as `repeatMs` allows, else the person is notified once that something may be missing.
 */
export interface RuntimePlatform<To = unknown> extends ChatPlatform<To> {
  /** The platform's HTTP routes, registered before the server listens. */
  readonly plugin?: (server: FastifyInstance) => Promise<void>;
  /**
   * Sends plain text to a person in a private chat. A failure is thrown, and the text is not sent again.
   * @throws errors that `outcomeOf` reads
   */
  readonly tell?: (userId: string, text: string) => Promise<void>;
}

/** A result of `npm run doctor`. `wrong` prevents Medley from working, `note` only affects a part of it. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'wrong';
  /** One line of plain text without secrets. */
  readonly what: string;
  /** How the operator can correct what is wrong, where there is advice. */
  readonly remedy?: string;
}

function findingOf(state: Finding['state']) {
  return (what: string, remedy?: string): Finding => ({ state, what, ...(remedy !== undefined && { remedy }) });
}

export const ok = findingOf('ok');
export const note = findingOf('note');
export const wrong = findingOf('wrong');
