import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Caller } from '../../../bot/contract/caller.ts';
import type { Sink } from '../../../bot/contract/invocation.ts';
import { type Reply, reply } from '../../../bot/contract/reply.ts';
import { createReplyEdits } from '../../../bot/runtime/send-once.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Outlet } from '../outgoing/send.ts';
import type { ServerMessage, WebReply } from '../page/base/protocol.ts';
import type { ChatLimits } from '../protocol/limits.ts';

export type ChatInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly token: string };

export type ChatLog = Pick<Logger, 'debug' | 'warn' | 'error'>;

/** One page after its hello. */
export interface Line {
  readonly session: string;
  readonly caller: Caller;
  /** Of the browser's language until the settings are read. */
  t: Translator;
  readonly outlet: Outlet;
  /** Called when an answer is complete: it may have changed the language. */
  settled(): void;
}

export interface ConversationOptions {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly render: (reply: Reply) => WebReply;
  readonly limits: ChatLimits;
  readonly log: ChatLog;
  readonly now: () => number;
}

/**
 * Questions and their answers, across connections: an answer whose page was cut off waits for it, and a question asked
 * again under the same id is not answered twice. An answer is done when it stands; what is mended in it later takes no other's turn.
 */
export interface Conversations {
  /** A page has said hello: what comes late for its session is sent to it, and what came while it was away for a moment. */
  join(line: Line): void;
  ask(line: Line, id: string, input: ChatInput): void;
  cancel(line: Line, id: string): void;
  leave(line: Line): void;
  /** Takes nothing new; resolved when what runs has ended, or was ended after `limits.drainMs`. */
  drain(): Promise<void>;
}

interface Job {
  readonly key: string;
  readonly id: string;
  readonly session: string;
  readonly input: ChatInput;
  readonly caller: Caller;
  readonly t: Translator;
  readonly controller: AbortController;
  /** Of its answer, so far. */
  readonly frames: string[];
  replies: number;
  line: Line | undefined;
  /** What the person reads while they wait for it. */
  progress: string | undefined;
  /** Whether it waits for the limit of the person: then it keeps no place from what else they ask. */
  isPaused: boolean;
  orphaned: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
}

const LEAST_PAUSE_MS = 1_000;

export function createConversations(options: ConversationOptions): Conversations {
  const { dispatcher, render, limits, log, now } = options;
  const jobs = new Map<string, Job>();
  /** Frames as lines of UTF-8, outside the heap: as strings they take twice as much, and half as much again until they are collected. */
  const answered = new LRUCache<string, Uint8Array>({
    maxSize: limits.answeredBytes,
    sizeCalculation: frames => frames.length,
    ttl: limits.answeredMs,
    perf: { now },
  });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const lines = new Set<Line>();
  const laterEdits = createReplyEdits({ log });
  /** What came late, by session. */
  const late = new LRUCache<string, readonly string[]>({
    maxSize: limits.answeredBytes,
    sizeCalculation: sizeOf,
    ttl: limits.orphanMs,
    perf: { now },
  });
  /** Sessions that were told that links of theirs wait, for as long as those do. */
  const told = new LRUCache<string, true>({ max: limits.jobs, perf: { now } });
  let draining = false;

  function join(line: Line): void {
    lines.add(line);
    for (const frame of late.get(line.session) ?? []) line.outlet.sendText(frame);
  }

  function ask(line: Line, id: string, input: ChatInput): void {
    const key = `${line.session} ${id}`;
    const frames = answered.get(key);
    if (frames) {
      for (const frame of decoder.decode(frames).split('\n')) line.outlet.sendText(frame);
      return;
    }
    const known = jobs.get(key);
    if (known) attach(known, line);
    // A page that hears nothing asks again when it has found the next server.
    else if (!draining) accept(line, key, id, input);
  }

  function attach(job: Job, line: Line): void {
    clearTimeout(job.orphaned);
    job.line = line;
    line.outlet.send({ type: 'accepted', id: job.id });
    for (const frame of job.frames) line.outlet.sendText(frame);
    if (job.progress !== undefined) sendProgress(job, job.progress);
  }

  function accept(line: Line, key: string, id: string, input: ChatInput): void {
    const { messages } = line.t;
    if (input.kind === 'text' && input.text.length > limits.messageLength) {
      refuse(line, id, messages.web.tooLong.replace('{n}', String(limits.messageLength)));
      return;
    }
    const isFull = jobs.size >= limits.jobs || ofSession(line.session).length >= limits.running + limits.queued;
    if (isFull) {
      refuse(line, id, messages.errors.rate_limited({}));
      return;
    }
    const job: Job = {
      key,
      id,
      session: line.session,
      input,
      caller: line.caller,
      t: line.t,
      controller: new AbortController(),
      frames: [],
      replies: 0,
      line,
      progress: undefined,
      isPaused: false,
      orphaned: undefined,
      running: undefined,
    };
    jobs.set(key, job);
    line.outlet.send({ type: 'accepted', id });
    startWaiting(line.session);
  }

  function refuse(line: Line, id: string, text: string): void {
    line.outlet.send({ type: 'reply', id, index: 0, reply: render(notice(text)) });
    line.outlet.send({ type: 'done', id });
  }

  function ofSession(session: string): readonly Job[] {
    return [...jobs.values()].filter(job => job.session === session);
  }

  function startWaiting(session: string): void {
    const own = ofSession(session);
    const room = limits.running - own.filter(job => job.running && !job.isPaused).length;
    const waiting = own.filter(job => !job.running).slice(0, Math.max(0, room));
    for (const job of waiting) job.running = run(job);
  }

  async function run(job: Job): Promise<void> {
    const { caller, t, controller, input } = job;
    try {
      await dispatcher.dispatch({ ...input, caller, signal: controller.signal }, sinkOf(job));
    } catch (error) {
      if (!controller.signal.aborted) {
        log.error({ err: error }, 'web chat: dispatch failed');
        deliver(job, notice(t.messages.errors.internal));
      }
    }
    settle(job);
  }

  function sinkOf(job: Job): Sink {
    return {
      progress(stage) {
        if (job.controller.signal.aborted) return;
        sendProgress(job, job.t.messages.progress[stage]);
      },
      reply(value) {
        if (!job.controller.signal.aborted) deliver(job, value);
      },
      wait: (links, afterMs) => pause(job, links, Math.max(LEAST_PAUSE_MS, afterMs)),
    };
  }

  function sendProgress(job: Job, text: string): void {
    job.progress = text;
    job.line?.outlet.send({ type: 'progress', id: job.id, text });
  }

  /** Each question shows that it waits; for all that a person sent together it is said aloud once. */
  async function pause(job: Job, links: number, afterMs: number): Promise<void> {
    const { signal } = job.controller;
    // The page asks the next server.
    if (draining) end(job);
    if (signal.aborted) return;
    const text = job.t.messages.requests.waiting({ links, wait: job.t.wait(afterMs) });
    sendProgress(job, text);
    if (!told.has(job.session)) job.line?.outlet.send({ type: 'notice', text });
    told.set(job.session, true, { ttl: afterMs });
    job.isPaused = true;
    startWaiting(job.session);
    // It fails only when the answer is not wanted any more.
    await sleep(afterMs, undefined, { signal }).catch(() => undefined);
    job.isPaused = false;
  }

  function deliver(job: Job, value: Reply): void {
    const index = job.replies++;
    emit(job, { type: 'reply', id: job.id, index, reply: render(value) });
    if (value.later) laterEdits.add(value.later, async better => mend(job, index, better));
  }

  /** Another page of the session does not know the answer, and passes over it. */
  function mend(job: Job, index: number, better: Reply): void {
    if (job.controller.signal.aborted) return;
    const frame: ServerMessage = { type: 'better', id: job.id, index, reply: render(better) };
    if (jobs.get(job.key) === job) {
      emit(job, frame);
      return;
    }
    const text = JSON.stringify(frame);
    job.frames.push(text);
    keepAnswer(job);
    late.set(job.session, [...(late.get(job.session) ?? []), text]);
    late.purgeStale();
    for (const line of lines) if (line.session === job.session) line.outlet.sendText(text);
  }

  function emit(job: Job, frame: ServerMessage): void {
    const text = JSON.stringify(frame);
    job.frames.push(text);
    job.line?.outlet.sendText(text);
  }

  function settle(job: Job): void {
    clearTimeout(job.orphaned);
    jobs.delete(job.key);
    // Ended by a stop or by its page going away, it may still be asked again.
    if (!job.controller.signal.aborted) {
      emit(job, { type: 'done', id: job.id });
      keepAnswer(job);
      job.line?.settled();
    }
    if (!draining) startWaiting(job.session);
  }

  function keepAnswer(job: Job): void {
    answered.set(job.key, encoder.encode(job.frames.join('\n')));
    // What is too old to be asked for would else stay until others need its place.
    answered.purgeStale();
  }

  function cancel(line: Line, id: string): void {
    const job = jobs.get(`${line.session} ${id}`);
    if (job) end(job);
    line.outlet.send({ type: 'done', id });
  }

  function end(job: Job): void {
    job.controller.abort();
    if (!job.running) settle(job);
  }

  function leave(line: Line): void {
    lines.delete(line);
    for (const job of jobs.values()) {
      if (job.line !== line) continue;
      job.line = undefined;
      job.orphaned = setTimeout(() => end(job), limits.orphanMs);
      job.orphaned.unref();
    }
  }

  async function drain(): Promise<void> {
    draining = true;
    laterEdits.close();
    for (const job of jobs.values()) if (!job.running || job.isPaused) end(job);
    const running = [...jobs.values()];
    const deadline = setTimeout(() => running.forEach(end), limits.drainMs);
    await Promise.all(running.map(job => job.running));
    clearTimeout(deadline);
  }

  return { join, ask, cancel, leave, drain };
}

function notice(text: string): Reply {
  return reply({ tone: 'error', blocks: [{ kind: 'text', text: [text] }] });
}

function sizeOf(frames: readonly string[]): number {
  return frames.reduce((total, frame) => total + frame.length, 64);
}
