/** How the operator's accounts are asked: for stories, and last for posts. */
import type { CookieJar } from 'tough-cookie';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { Accounts } from '../../extract/accounts.ts';
import type { PostRef, Strategy } from '../../extract/source.ts';
import { siteAnswer } from '../../parse/body.ts';
import { parseJson } from '../../parse/json-search.ts';
import { weakNotFound } from '../kit/refusal.ts';
import { type AccountWay, type Asking, createAccountStrategies } from '../kit/source.ts';
import type { InstagramClient } from './client.ts';
import type { InstagramConstants } from './constants.ts';
import { failureOfHead, failureOfJson, isChallenge, redirectWithinSite } from './failures.ts';
import { userIdOf } from './parse/media.ts';

const HOME = 'https://www.instagram.com/';

function isAccountChallenge(answer: HttpResponse): boolean {
  const isSuspended = redirectWithinSite(answer)?.pathname.startsWith('/accounts/suspended') === true;
  return isSuspended || isChallenge(siteAnswer(answer));
}

export function instagramAccounts(
  asking: Asking,
  accounts: Accounts,
  client: InstagramClient,
  profiles: InstagramConstants['profiles'],
): readonly Strategy[] {
  function askForMedia({ parts }: PostRef, signal: AbortSignal, jar: CookieJar): Promise<HttpResponse> {
    return client.script(`/api/v1/media/${parts.mediaId ?? ''}/info/`, HOME, 'media-info', signal, jar);
  }

  const askForStory: AccountWay['ask'] = async (ref, signal, jar, check) => {
    const { highlightId, mediaId, username = '' } = ref.parts;
    const askStories = (path: string, query: Readonly<Record<string, string>>, referer: string) =>
      client.script(`/api/v1/${path}/?${new URLSearchParams(query)}`, referer, 'stories', signal, jar);
    const reels = (id: string) => askStories('feed/reels_media', { reel_ids: id }, `${HOME}stories/`);
    if (highlightId !== undefined) return reels(`highlight:${highlightId}`);
    if (mediaId !== undefined) return askForMedia(ref, signal, jar);
    const profile = check(await askStories('users/web_profile_info', { username }, `${HOME}${username}/`));
    const userId = userIdOf(profile.text);
    if (userId !== null) return reels(userId);
    const failure = failureOfJson(parseJson(profile.text)) ?? failureOfHead(profile, asking.now());
    throw failure ?? weakNotFound('the user of the story is unknown');
  };

  return createAccountStrategies({ ...asking, accounts, site: 'instagram.com', isChallenge: isAccountChallenge }, [
    {
      name: 'media-info',
      profile: profiles['media-info'],
      kind: 'query',
      isLastResort: true,
      byAccount: true,
      fits: ({ form }) => form !== 'story' && accounts.isReady(),
      ask: askForMedia,
    },
    {
      name: 'stories',
      profile: profiles.stories,
      kind: 'story',
      fits: ({ form }) => form === 'story' && !accounts.isEmpty,
      ask: askForStory,
    },
  ]);
}
