/** The strategies that ask by the operator's accounts: for stories, and last for posts. */
import type { CookieJar } from 'tough-cookie';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { Accounts } from '../../extract/accounts.ts';
import type { PostRef, Strategy } from '../../extract/source.ts';
import { siteAnswer } from '../../parse/body.ts';
import { parseJson } from '../../parse/json-search.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { weakNotFound } from '../kit/refusal.ts';
import { type Asking, createAccountCaller, createStrategy, type Way } from '../kit/source.ts';
import type { InstagramClient } from './client.ts';
import type { InstagramConstants } from './constants.ts';
import { failureOfHead, failureOfJson, isChallenge, redirectWithinSite } from './failures.ts';
import { userIdOf } from './parse/media.ts';

const HOME = 'https://www.instagram.com/';

export function isStoryLink(ref: PostRef): boolean {
  return ref.form === 'story';
}

function isAccountChallenge(answer: HttpResponse): boolean {
  const isSuspended = redirectWithinSite(answer)?.pathname.startsWith('/accounts/suspended') === true;
  return isSuspended || isChallenge(siteAnswer(answer));
}

/** The answer, unless it says that the account is logged out. */
function acceptedAnswer(answer: HttpResponse, now: number): HttpResponse {
  const failure = failureOfHead(answer, now);
  if (failure?.code !== 'login_required') return answer;
  const stated = failureOfJson(parseJson(answer.text));
  throw stated?.code === 'upstream_rate_limited' ? stated : failure;
}

export interface AccountStrategyOptions extends Asking {
  readonly accounts: Accounts | undefined;
  readonly client: InstagramClient;
  readonly profiles: InstagramConstants['profiles'];
}

export function createAccountStrategies(options: AccountStrategyOptions): readonly Strategy[] {
  const { accounts, client, profiles, now } = options;
  const askByAccount = createAccountCaller(accounts, 'instagram.com', isAccountChallenge);
  const accepted = (answer: HttpResponse) => acceptedAnswer(answer, now());

  function askForMedia({ parts }: PostRef, jar: CookieJar, signal: AbortSignal): Promise<HttpResponse> {
    return client.script(`/api/v1/media/${parts.mediaId ?? ''}/info/`, HOME, 'media-info', signal, jar);
  }

  async function askForStory(ref: PostRef, jar: CookieJar, check: typeof accepted, signal: AbortSignal) {
    const { highlightId, mediaId, username = '' } = ref.parts;
    const askStories = (path: string, query: Readonly<Record<string, string>>, referer: string) =>
      client.script(`/api/v1/${path}/?${new URLSearchParams(query)}`, referer, 'stories', signal, jar);
    const reels = (id: string) => askStories('feed/reels_media', { reel_ids: id }, `${HOME}stories/`);
    if (highlightId !== undefined) return reels(`highlight:${highlightId}`);
    if (mediaId !== undefined) return askForMedia(ref, jar, signal);
    const profile = await askStories('users/web_profile_info', { username }, `${HOME}${username}/`);
    const userId = userIdOf(accepted(check(profile)).text);
    if (userId === null) throw weakNotFound('the user of the story is unknown');
    return reels(userId);
  }

  const strategy = (name: 'media-info' | 'stories', kind: AnswerKind, ask: typeof askForStory): Omit<Way, 'fits'> => ({
    name,
    profile: profiles[name],
    kind,
    ask: (ref, signal) => askByAccount((jar, check) => ask(ref, jar, check, signal), accepted),
  });
  return [
    createStrategy(options, {
      ...strategy('media-info', 'query', (ref, jar, _, signal) => askForMedia(ref, jar, signal)),
      isLastResort: true,
      byAccount: true,
      fits: ref => !isStoryLink(ref) && accounts?.isReady() === true,
    }),
    createStrategy(options, {
      ...strategy('stories', 'story', askForStory),
      fits: ref => isStoryLink(ref) && accounts?.isEmpty === false,
    }),
  ];
}
