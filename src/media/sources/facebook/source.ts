import type { CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { Account, Accounts } from '../../extract/accounts.ts';
import { isUsable } from '../../extract/request-profile.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import type { Post } from '../../post.ts';
import { createAccountJar } from '../kit/account-jar.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { readSiteAnswer } from '../kit/page-thread.ts';
import { failureOfPublicPost, isCalledPublic, readFacebookPage } from './answer.ts';
import { createFacebookClient, type FacebookClient } from './client.ts';
import { createFacebookConstants, FACEBOOK_EXAMPLES, type FacebookConstants } from './constants.ts';
import { isCheckpoint } from './failures.ts';
import { ADDRESSES, facebookRefOf, matchFacebookLink, oembedQuestion } from './link.ts';

export interface FacebookSourceOptions extends Omit<SourceOptions, 'upstreamConstants'> {
  readonly constants?: FacebookConstants;
  readonly now?: () => number;
}

type Context = Required<Pick<FacebookSourceOptions, 'http' | 'constants' | 'now'>> & {
  readonly client: FacebookClient;
};

async function readPage({ now }: Context, answer: HttpResponse, strategy: string, ref: PostRef): Promise<Post> {
  try {
    return await readSiteAnswer(readFacebookPage, answer, { ref, kind: 'page', strategy, now: now() });
  } finally {
    answer.release();
  }
}

function createPageStrategies(context: Context): readonly Strategy[] {
  const { http, constants, client } = context;
  return Object.entries(constants.profiles).flatMap(([name, profile]) => {
    const addressOf = ADDRESSES.get(name.replace(/\/.*/, ''));
    if (addressOf === undefined || profile.session === 'account') return [];
    return {
      name,
      profile,
      timeoutMs: profile.timeoutMs,
      isAvailable: (ref: PostRef) => isUsable(profile, http) && addressOf(ref) !== null,
      run: async (ref: PostRef, signal: AbortSignal) =>
        readPage(context, await client.page(addressOf(ref) ?? ref.url, profile, signal), name, ref),
    };
  });
}

/** An account is asked last, for the page of the post itself. */
function createAccountStrategy(context: Context, accounts: Accounts): Strategy {
  const { http, constants, client } = context;
  const name = 'post-page/account';
  const profile = constants.profiles[name];
  /** Each account has cookies of its own, which the site renews. */
  const jars = new Map<string, CookieJar>();

  async function readAs(account: Account, ref: PostRef, signal: AbortSignal): Promise<Post> {
    const jar = jars.get(account.name) ?? createAccountJar(account.cookies, 'facebook.com');
    jars.set(account.name, jar);
    const answer = await client.page(ref.url, profile, signal, jar);
    if (isCheckpoint(answer)) {
      account.pause('challenge');
      throw new AppError('login_required', 'the account is to prove that a person uses it');
    }
    return readPage(context, answer, name, ref).catch(error => {
      if (error instanceof AppError && error.code === 'login_required') account.pause('logged-out');
      throw error;
    });
  }

  return {
    name,
    profile,
    timeoutMs: profile.timeoutMs,
    isLastResort: true,
    byAccount: true,
    isAvailable: () => accounts.isReady() && isUsable(profile, http),
    run: (ref, signal) => accounts.use(account => readAs(account, ref, signal)),
  };
}

export function createFacebookSource(options: FacebookSourceOptions): MediaSource {
  const { http, constants = createFacebookConstants(), accounts, extraStrategies = [], now = Date.now } = options;
  const client = createFacebookClient({ http, constants, now });
  const context = { http, constants, now, client };
  const byAccount = accounts === undefined ? [] : [createAccountStrategy(context, accounts)];
  const strategies = [...createPageStrategies(context), ...extraStrategies, ...byAccount];
  /** The posts that the Graph API calls public, by the reference of one call. */
  const publicPosts = new WeakSet<PostRef>();

  /** Asks whether the post is public, where the first page did not show it. */
  async function diagnose(ref: PostRef, signal: AbortSignal): Promise<void> {
    const { endpoint, url } = oembedQuestion(ref);
    if (isCalledPublic(await client.oembed(endpoint, url, signal), now())) publicPosts.add(ref);
  }

  const fetchPost = createStrategyChain({ ...options, source: 'facebook', strategies, diagnose });

  return {
    id: 'facebook',
    match: matchFacebookLink,
    refOf: facebookRefOf,
    resolveShort: (url, { signal }) => client.resolveShort(url, signal),
    async fetch(ref, asked) {
      if (ref.form === 'story')
        throw new AppError('login_required', 'stories need an account', { params: { what: 'story' } });
      const own = { ...ref };
      return fetchPost(own, asked).catch(error => {
        throw error instanceof AppError && publicPosts.has(own) ? failureOfPublicPost(error) : error;
      });
    },
    strategies,
    figures: fetchPost.figures,
    learn: fetchPost.learn,
    examples: FACEBOOK_EXAMPLES,
    canFetchStories: false,
    mediaHosts: META_MEDIA_HOSTS,
  };
}
