import type { CookieJar } from 'tough-cookie';
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpClient } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Account, Accounts } from '../../extract/accounts.ts';
import { isUsable } from '../../extract/request-profile.ts';
import type { SiteState } from '../../extract/site-state.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import type { Post } from '../../post.ts';
import { createAccountJar } from '../kit/account-jar.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { readAnswer } from '../kit/page-thread.ts';
import { FACEBOOK_ADDRESSES, oembedQuestion } from './addresses.ts';
import { createFacebookClient } from './client.ts';
import {
  createFacebookConstants,
  FACEBOOK_EXAMPLES,
  type FacebookConstants,
  type FacebookProfileName,
} from './constants.ts';
import { isCheckpoint } from './failures.ts';
import { facebookRefOf, matchFacebookLink } from './link.ts';
import { ofPublicPost, readVerdict, type Verdict } from './oracle.ts';
import { readPage } from './parse/answer.ts';

export interface FacebookSourceOptions {
  readonly http: HttpClient;
  readonly constants?: FacebookConstants;
  /** Asked last. */
  readonly accounts?: Accounts | undefined;
  /** Asked after all others, e.g. yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** What the site wants left alone. */
  readonly site?: SiteState | undefined;
  /** For all strategies together. */
  readonly deadlineMs?: number;
  readonly log: Logger;
  readonly now?: () => number;
  readonly onOutcome?: (strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
}

export function createFacebookSource(options: FacebookSourceOptions): MediaSource {
  const { http, constants = createFacebookConstants(), accounts, extraStrategies = [], log, now = Date.now } = options;
  const client = createFacebookClient({ http, constants, now });

  /** What the oracle says, by the reference of one call. */
  const verdicts = new WeakMap<PostRef, Verdict>();

  async function readAt(url: string, name: FacebookProfileName, ref: PostRef, signal: AbortSignal): Promise<Post> {
    const answer = await client.page(url, constants.profiles[name], signal);
    try {
      return await readAnswer(readPage, answer, { ref, kind: 'page', strategy: name, now: now() });
    } finally {
      answer.release();
    }
  }

  const pages: readonly Strategy[] = FACEBOOK_ADDRESSES.map(([name, addressOf]) => {
    const profile = constants.profiles[name];
    return {
      name,
      profile,
      timeoutMs: profile.timeoutMs,
      isAvailable: ref => isUsable(profile, http) && addressOf(ref) !== null,
      run: (ref, signal) => readAt(addressOf(ref) ?? ref.url, name, ref, signal),
    };
  });
  /** Each account has cookies of its own, which the site renews. */
  const jars = new Map<string, CookieJar>();

  async function readAsAccount(account: Account, ref: PostRef, signal: AbortSignal): Promise<Post> {
    const name = 'post-page/account';
    const jar = jars.get(account.name) ?? createAccountJar(account.cookies, 'facebook.com');
    jars.set(account.name, jar);
    const answer = await client.page(ref.url, constants.profiles[name], signal, jar);
    try {
      if (isCheckpoint(answer)) {
        account.pause('challenge');
        throw new AppError('login_required', 'the account is to prove that a person uses it');
      }
      return await readAnswer(readPage, answer, { ref, kind: 'page', strategy: name, now: now() });
    } catch (error) {
      if (error instanceof AppError && error.code === 'login_required' && !isCheckpoint(answer))
        account.pause('logged-out');
      throw error;
    } finally {
      answer.release();
    }
  }

  const ofAccounts: readonly Strategy[] =
    accounts === undefined
      ? []
      : [
          {
            name: 'post-page/account',
            profile: constants.profiles['post-page/account'],
            timeoutMs: constants.profiles['post-page/account'].timeoutMs,
            isLastResort: true,
            byAccount: true,
            isAvailable: () => accounts.isReady() && isUsable(constants.profiles['post-page/account'], http),
            run: (ref, signal) => accounts.use(account => readAsAccount(account, ref, signal)),
          },
        ];
  const strategies = [...pages, ...extraStrategies, ...ofAccounts];

  /** Whether the post is public, where the first page did not show it. */
  async function diagnose(ref: PostRef, signal: AbortSignal): Promise<void> {
    const { endpoint, url } = oembedQuestion(ref);
    verdicts.set(ref, readVerdict(await client.oembed(endpoint, url, signal), now()));
  }

  const fetchPost = createStrategyChain({
    source: 'facebook',
    strategies,
    site: options.site,
    diagnose,
    log,
    now,
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
    ...(options.onOutcome === undefined ? {} : { onOutcome: options.onOutcome }),
  });

  return {
    id: 'facebook',
    match: matchFacebookLink,
    refOf: facebookRefOf,
    resolveShort: (url, { signal }) => client.resolveShort(url, signal),
    async fetch(ref, context) {
      if (ref.form === 'story')
        throw new AppError('login_required', 'stories need an account', { params: { what: 'story' } });
      const own = { ...ref };
      try {
        return await fetchPost(own, context);
      } catch (error) {
        throw error instanceof AppError && verdicts.get(own) === 'public' ? ofPublicPost(error) : error;
      }
    },
    strategies,
    figures: fetchPost.figures,
    learn: fetchPost.learn,
    examples: FACEBOOK_EXAMPLES,
    canFetchStories: false,
    mediaHosts: META_MEDIA_HOSTS,
  };
}
