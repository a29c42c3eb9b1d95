/** Puts a source together from what it says of its site: ways to ask, a reader of answers, accounts. */
import { type Cookie, CookieJar } from 'tough-cookie';
import { AppError, type ErrorParams } from '../../../errors.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Accounts } from '../../extract/accounts.ts';
import { isUsable, type RequestProfile } from '../../extract/request-profile.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import type { AnswerKind } from './draft.ts';
import { type AnswerReader, readSiteAnswer } from './page-thread.ts';

export interface TimedSourceOptions extends SourceOptions {
  readonly now?: () => number;
}

/** One endpoint, asked by one kind of caller. */
export interface Way extends Pick<Strategy, 'name' | 'timeoutMs' | 'isLastResort' | 'byAccount'> {
  readonly profile: RequestProfile;
  readonly kind: AnswerKind;
  fits(ref: PostRef): boolean;
  ask(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
}

export interface Asking {
  readonly http: HttpClient;
  readonly read: AnswerReader;
  readonly now: () => number;
}

export function createStrategy({ http, read, now }: Asking, { fits, ask, kind, ...way }: Way): Strategy {
  return {
    ...way,
    isAvailable: ref => isUsable(way.profile, http) && fits(ref),
    run: async (ref, signal) =>
      readSiteAnswer(read, await ask(ref, signal), { ref, kind, strategy: way.name, now: now() }),
  };
}

interface SourceParts
  extends Pick<
    MediaSource,
    'id' | 'match' | 'refOf' | 'resolveShort' | 'strategies' | 'examples' | 'canFetchStories' | 'mediaHosts'
  > {
  /** Asks why a post is not shown. */
  diagnose(ref: PostRef, signal: AbortSignal): Promise<void>;
  /** A failure may mean something else by what `diagnose` learned of the post of the same call. */
  explain?(ref: PostRef, failure: AppError): AppError;
  /** Named when a story is refused for want of an account. */
  readonly storyParams?: ErrorParams;
}

export function createSource(options: TimedSourceOptions, parts: SourceParts): MediaSource {
  const { diagnose, explain = (_, failure) => failure, storyParams, ...source } = parts;
  const fetchPost = createStrategyChain({ ...options, source: source.id, strategies: source.strategies, diagnose });
  return {
    ...source,
    async fetch(asked, context) {
      if (asked.form === 'story' && !source.canFetchStories) {
        throw new AppError('login_required', 'stories need an account', { params: storyParams });
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

/** The cookies of an account for one site; those of others are left out. */
function jarOf(cookies: readonly Cookie[], site: string): CookieJar {
  const jar = new CookieJar();
  for (const cookie of cookies) {
    const domain = cookie.domain ?? '';
    if (domain !== site && !domain.endsWith(`.${site}`)) continue;
    jar.setCookieSync(cookie.toString(), `https://${domain}/`, { ignoreError: true });
  }
  return jar;
}

class AccountChallenged extends AppError {}

/** Each account has cookies of its own, which the site renews; one that is challenged or logged out is left alone for a while. */
export function createAccountCaller(
  accounts: Accounts | undefined,
  site: string,
  isChallenge: (answer: HttpResponse) => boolean,
) {
  const jars = new Map<string, CookieJar>();
  function check(answer: HttpResponse): HttpResponse {
    if (!isChallenge(answer)) return answer;
    throw new AccountChallenged('login_required', 'the account is to prove that a person uses it');
  }

  return async function askByAccount<T>(
    ask: (jar: CookieJar, check: (answer: HttpResponse) => HttpResponse) => Promise<HttpResponse>,
    read: (answer: HttpResponse) => T | Promise<T>,
  ): Promise<T> {
    if (accounts === undefined) throw new AppError('login_required', 'no account is configured');
    return accounts.use(async account => {
      const jar = jars.get(account.name) ?? jarOf(account.cookies, site);
      jars.set(account.name, jar);
      try {
        return await read(check(await ask(jar, check)));
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'login_required';
        if (isRefused) account.pause(error instanceof AccountChallenged ? 'challenge' : 'logged-out');
        throw error;
      }
    });
  };
}
