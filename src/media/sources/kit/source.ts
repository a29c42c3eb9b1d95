/** Builds a source from the description of its site: endpoints, a reader of answers, accounts. */
import { type Cookie, CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import { releaseBody } from '../../../infra/http/body.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Accounts } from '../../extract/accounts.ts';
import { pauseOfAccount, refusal } from '../../extract/refusal.ts';
import type { MediaSource, PostRef, RequestProfile, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import { isLarge, type PackedAnswer, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { createParseThread } from '../../parse/parse-thread.ts';
import type { Post } from '../../post.ts';
import type { AnswerKind, ReadContext } from './draft.ts';

/** @throws AppError when the post is not in the answer. */
export type AnswerReader = (answer: SiteAnswer, context: ReadContext) => Post;

export interface PageTask {
  readonly response: PackedAnswer;
  readonly context: ReadContext;
}

/** An endpoint and a profile, from which a strategy is made. */
export interface Way extends Pick<Strategy, 'name' | 'timeoutMs' | 'isLastResort' | 'byAccount'> {
  readonly profile: RequestProfile;
  readonly kind: AnswerKind;
  /** Says whether the endpoint can show a post. Default: it can show every post that is no story. */
  fits?(ref: PostRef): boolean;
  /** @param jar the cookies of the account, or of this post's requests */
  ask(ref: PostRef, signal: AbortSignal, jar: CookieJar): Promise<HttpResponse>;
  /** Completes the post by more requests. */
  complete?(post: Post, signal: AbortSignal, jar: CookieJar): Promise<Post>;
}

export interface Asking {
  readonly http: HttpClient;
  readonly read: AnswerReader;
  readonly now: () => number;
}

export function createStrategy({ http, read, now }: Asking, { fits, ask, complete, kind, ...way }: Way) {
  return {
    ...way,
    isAvailable: (ref: PostRef) => isUsable(way.profile, http) && (fits?.(ref) ?? ref.form !== 'story'),
    async run(ref: PostRef, signal: AbortSignal, jar = new CookieJar()): Promise<Post> {
      const answer = await ask(ref, signal, jar);
      const post = await readSiteAnswer(read, answer, { ref, kind, strategy: way.name, now: now() });
      return complete === undefined ? post : complete(post, signal, jar);
    },
  };
}

export function isUsable(profile: RequestProfile, http: Pick<HttpClient, 'hasBrowserTransport'>): boolean {
  return profile.transport === 'plain' || http.hasBrowserTransport;
}

export interface SourceParts extends Omit<MediaSource, 'fetch' | 'isRefused' | 'figures' | 'learn'> {
  /** Asks the site why a post is not shown. */
  diagnose?(ref: PostRef, signal: AbortSignal): Promise<void>;
  /** Replaces a failure, if `diagnose` learned more about the post during the same call of `fetch`. */
  explain?(ref: PostRef, failure: AppError): AppError;
}

export function createSource(options: SourceOptions, parts: SourceParts): MediaSource {
  const { diagnose, explain = (_, failure) => failure, ...source } = parts;
  const fetchPost = createStrategyChain({ ...options, diagnose, source: source.id, strategies: source.strategies });
  return {
    ...source,
    async fetch(asked, context) {
      if (asked.form === 'story' && !source.canFetchStories) {
        throw new AppError('login_required', 'stories need an account', { params: { what: 'story' } });
      }
      const ref = { ...asked };
      return fetchPost(ref, context).catch(error => {
        throw error instanceof AppError ? explain(ref, error) : error;
      });
    },
    figures: fetchPost.figures,
    learn: fetchPost.learn,
  };
}

/**
 * Strategies that use accounts. Each account has its own cookie jar, which only this site gets and may change. An
 * account that is challenged or logged out is paused.
 */
export function createAccountStrategies(
  asking: Asking & { readonly accounts: Accounts | undefined; readonly site: string },
  ways: readonly Way[],
): readonly Strategy[] {
  const { accounts, site } = asking;
  if (accounts === undefined || accounts.isEmpty) return [];
  const jars = new Map<string, CookieJar>();
  return ways.map(way => {
    const strategy = createStrategy(asking, way);
    const run: Strategy['run'] = (ref, signal) =>
      accounts.use(account => {
        const jar = jars.get(account.name) ?? jarOf(account.cookies, site);
        jars.set(account.name, jar);
        return strategy.run(ref, signal, jar).catch(cause => {
          const reason = cause instanceof AppError ? pauseOfAccount(cause) : null;
          if (reason !== null) account.pause(reason);
          if (reason !== 'challenge') throw cause;
          throw refusal('login', 'the account is to prove that a person uses it', { cause });
        });
      });
    return { ...strategy, run };
  });
}

function jarOf(cookies: readonly Cookie[], site: string): CookieJar {
  const jar = new CookieJar();
  for (const cookie of cookies) {
    const domain = cookie.domain ?? '';
    if (domain !== site && !domain.endsWith(`.${site}`)) continue;
    jar.setCookieSync(cookie.toString(), `https://${domain}/`, { ignoreError: true });
  }
  return jar;
}

/** The worker's file. A bundle has all files in one folder; without a bundle, the worker is in the folder above. */
const WORKER = import.meta.url.endsWith('/kit/source.js') ? '../page-worker.js' : './page-worker.js';
/** Without a build there is no compiled worker, so large answers are read in the main thread. */
const readInThread = import.meta.url.endsWith('.ts')
  ? null
  : createParseThread<PageTask, Post>(new URL(WORKER, import.meta.url), 'readLargePage');

/**
 * Reads the post from an answer, whose bytes cannot be used afterwards. A worker thread reads answers of many
 * megabytes; it finds `read` by the source's id.
 * @throws AppError like the reader
 * @public The tests measure it with large pages.
 */
export async function readSiteAnswer(read: AnswerReader, response: HttpResponse, context: ReadContext): Promise<Post> {
  const answer = siteAnswer(response);
  const { id, parts } = context.ref;
  const { status, headers, url, bytes } = response;
  try {
    if (readInThread === null || !isLarge(answer.body, [id, parts.mediaId ?? id])) return read(answer, context);
    return await readInThread({ response: { status, headers, url, bytes }, context });
  } finally {
    releaseBody(bytes);
  }
}
