import { AppError, type ErrorCode, LOG_LEVELS } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Subject } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import type { Inline, Reply, Text } from '../contract/reply.ts';
import { labelled, listed, reply, shortened, textBlock } from '../contract/reply-parts.ts';

interface ErrorNoticeOptions {
  readonly visibility: Reply['visibility'];
  /** The subject of the failed command, if that is not about posts. */
  readonly subject?: Subject | undefined;
  /** Short forms of the links that the notice is about, if the message has several. */
  readonly about?: readonly string[] | undefined;
  /** The link that the notice is about, if the message has several. */
  readonly link?: string | undefined;
}

/** Errors that matter only to the person who asked: only that person sees them, where the platform supports it. */
const FOR_CALLER: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'rate_limited', 'forbidden']);
/** Failures that may pass, so that trying again later makes sense. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'upstream_rate_limited',
  'upstream_unavailable',
  'timeout',
  'rate_limited',
  'internal',
]);
/** The most links that one sentence names. */
const MAX_NAMED = 5;

/** One calm sentence about a failure, in the reader's language. */
export function errorSentence(error: AppError, t: Translator, subject?: Subject): string {
  const { code, params, retryAfterMs } = error;
  const { sites } = params;
  const values = {
    ...params,
    ...(retryAfterMs !== undefined && { wait: t.wait(retryAfterMs) }),
    ...(typeof sites === 'string' && {
      sites: t.sites(sites.split(' ').map(id => ({ id, name: id }))),
    }),
  };
  return t.find(`hints.${params.hint}`, params) ?? t.error(code, values, subject);
}

export function errorNotice(
  error: AppError,
  t: Translator,
  { visibility, subject, about = [], link }: ErrorNoticeOptions,
): Reply {
  return reply({
    tone: LOG_LEVELS[error.code] === 'error' ? 'error' : 'notice',
    blocks: [textBlock(aboutLinks(about, sentence(errorSentence(error, t, subject)), t))],
    visibility: FOR_CALLER.has(error.code) ? 'caller' : visibility,
    ...(error.code === 'rate_limited' && error.retryAfterMs !== undefined ? { outdatedMs: error.retryAfterMs } : {}),
    ...(mayPass(error) && { retry: { afterMs: error.retryAfterMs ?? 0, ...(link !== undefined && { link }) } }),
  });
}

/** Says whether trying again may help: not for a live stream, but for a login wall, which may be gone soon. */
function mayPass({ code, params }: AppError): boolean {
  return PASSING.has(code) ? params.what !== 'stream' : params.what === 'wall';
}

/** Puts the short forms of links before the words about them. */
export function aboutLinks(about: readonly string[], words: Text, t: Translator): Text {
  if (about.length === 0) return words;
  const named = about.slice(0, MAX_NAMED).map((label): Inline => ({ kind: 'code', children: [label] }));
  return labelled(listed(about.length > MAX_NAMED ? [...named, '…'] : named, t), words, t);
}

/** A notice that is not about a failure. */
export function notice(words: string): Reply {
  return reply({ tone: 'notice', blocks: [textBlock(sentence(words))], visibility: 'caller' });
}

interface RequestNotice {
  readonly kind: 'unsure' | 'failed' | 'timeout' | 'limited' | 'waiting';
  readonly links?: number | undefined;
  readonly afterMs?: number | undefined;
}

/** Renders a notice that is sent instead of a request's answer, or instead of a part of the answer. */
export function renderRequestNotice({ kind, links = 1, afterMs = 0 }: RequestNotice, t: Translator): Reply {
  switch (kind) {
    case 'unsure':
      return notice(t.messages.requests.unsure);
    case 'waiting':
      return { ...notice(t.messages.requests.waiting({ links, wait: t.wait(afterMs) })), outdatedMs: afterMs };
    case 'limited':
      return refusal(new AppError('rate_limited', 'no time to wait', { retryAfterMs: afterMs }), t);
    case 'failed':
      return refusal(new AppError('internal', 'an answer failed'), t);
    case 'timeout':
      return refusal(new AppError('timeout', 'an answer took too long'), t);
  }
}

function refusal(error: AppError, t: Translator): Reply {
  return errorNotice(error, t, { visibility: 'caller' });
}

/** Renders the notice that a request cannot be accepted now. */
export function renderBusy(t: Translator): Reply {
  return refusal(new AppError('rate_limited', 'too much waits', { params: { reason: 'busy' } }), t);
}

const SHORT = 40;
const STEP = 8;

/**
 * Short forms of links, for use in sentences: without `https://www.`, and shortened only as far as different links
 * still look different. They are no addresses, so they are shown as code.
 */
export function linkLabels(links: readonly string[]): readonly string[] {
  const whole = links.map(link => link.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, ''));
  const longest = Math.max(0, ...whole.map(({ length }) => length));
  const distinct = new Set(whole).size;
  let length = SHORT;
  let labels = whole.map(label => shortened(label, length));
  while (length < longest && new Set(labels).size < distinct) {
    length += STEP;
    labels = whole.map(label => shortened(label, length));
  }
  return labels;
}
