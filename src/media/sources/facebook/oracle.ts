/** Asks the Graph API whether a post is public: it holds no media, but answers where the pages show a login wall. */
import * as z from 'zod';
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { parseJson } from '../../parse/json-search.ts';
import { siteAnswer } from '../../parse/site-answer.ts';
import { failureOfAnswer } from './failures.ts';

/** `unknown`: the answer proves neither. */
export type Verdict = 'public' | 'unknown';

const embedCode = z.object({ html: z.string().min(1) });
const refusal = z.object({
  error: z.object({
    message: z.string().catch(''),
    error_user_title: z.string().catch(''),
    error_user_msg: z.string().catch(''),
  }),
});
/** Reasons that its words can prove. That it knows no such post proves nothing: it says so of what it may not show, too. */
const PROVEN: ReadonlySet<ErrorCode> = new Set(['private', 'age_restricted', 'region_blocked']);

/**
 * Reads an answer of `oembed_video` or `oembed_post` asked without a token (2026-07: `html` and no media for what is public,
 * status 400 and `error` for anything else).
 * @throws AppError `private`, `age_restricted` or `region_blocked`, when the words of a refusal say so.
 */
export function readVerdict(answer: HttpResponse, now: number): Verdict {
  const json = parseJson(answer.text);
  if (answer.status === 200 && embedCode.safeParse(json).success) return 'public';
  const { error } = refusal.safeParse(json).data ?? {};
  if (error === undefined) return 'unknown';
  const text = [error.error_user_title, error.error_user_msg, error.message].join('\n');
  const failure = failureOfAnswer(siteAnswer({ ...answer, bytes: Buffer.from(text) }), now);
  if (failure !== null && PROVEN.has(failure.code)) throw failure;
  return 'unknown';
}

/** What the site's refusal means of a post that the oracle calls public; the failure itself where that changes nothing. */
export function ofPublicPost(failure: AppError): AppError {
  if (failure.code === 'login_required') {
    return new AppError('login_required', 'the post is public; the site shows its login wall to this server', {
      params: { ...failure.params, what: 'wall' },
      cause: failure,
    });
  }
  // What is public exists: our addresses or our reading are out of date.
  if (failure.code === 'not_found' && failure.params.what === undefined) {
    return new AppError('upstream_changed', 'the post is public, but no page shows it', { cause: failure });
  }
  return failure;
}
