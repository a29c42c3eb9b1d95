/** The strategies that ask by the operator's accounts: for stories, and last for posts. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { Account, Accounts } from '../../extract/accounts.ts';
import type { PostRef, Strategy } from '../../extract/source.ts';
import { parseJson } from '../../parse/json-search.ts';
import { weakNotFound } from '../kit/refusal.ts';
import { InstagramClient, type InstagramClientOptions } from './client.ts';
import { postOfDraft } from './parse/answer.ts';
import { failureOfHead, failureOfJson, isChallenge, redirectWithinSite } from './parse/failures.ts';
import { parseStories, userIdOf } from './parse/stories.ts';
import { readMarked } from './read-answer.ts';

export function isStoryLink(ref: PostRef): boolean {
  return ref.form === 'story';
}

/** The answer, unless it refuses the account itself, which is then left alone for a while. */
function acceptedAnswer(response: HttpResponse, account: Account, now: number): HttpResponse {
  const isSuspended = redirectWithinSite(response)?.pathname.startsWith('/accounts/suspended');
  if (isChallenge(response) || isSuspended) {
    account.pause('challenge');
    throw new AppError('login_required', 'the account is to prove that a person uses it');
  }
  const failure = failureOfHead(response, now);
  if (failure?.code !== 'login_required') return response;
  const stated = failureOfJson(parseJson(response.text));
  if (stated?.code === 'upstream_rate_limited') throw stated;
  account.pause('logged-out');
  throw failure;
}

const HOME = 'https://www.instagram.com/';
const STORIES = `${HOME}stories/`;

function askForMedia(client: InstagramClient, mediaId: string, signal: AbortSignal): Promise<HttpResponse> {
  return client.script(`/api/v1/media/${mediaId}/info/`, HOME, 'media-info', signal);
}

export interface AccountStrategyOptions extends InstagramClientOptions {
  readonly accounts: Accounts | undefined;
}

export function createAccountStrategies({
  accounts,
  ...options
}: AccountStrategyOptions): readonly [Strategy, Strategy] {
  const { now, constants } = options;
  const visitor = new InstagramClient(options);
  /** Each account has cookies of its own, which the site renews. */
  const clients = new Map<string, InstagramClient>();

  async function ask(request: (client: InstagramClient, account: Account) => Promise<HttpResponse>) {
    if (accounts === undefined) throw new AppError('login_required', 'no account is configured');
    return accounts.use(async account => {
      const client = clients.get(account.name) ?? new InstagramClient({ ...options, cookies: account.cookies });
      clients.set(account.name, client);
      return acceptedAnswer(await request(client, account), account, now());
    });
  }

  async function askForStory(ref: PostRef, client: InstagramClient, account: Account, signal: AbortSignal) {
    const { highlightId, mediaId, username = '' } = ref.parts;
    const reels = (id: string) =>
      client.script(`/api/v1/feed/reels_media/?${new URLSearchParams({ reel_ids: id })}`, STORIES, 'stories', signal);
    if (highlightId !== undefined) return reels(`highlight:${highlightId}`);
    if (mediaId !== undefined) return askForMedia(client, mediaId, signal);
    const path = `/api/v1/users/web_profile_info/?${new URLSearchParams({ username })}`;
    const profile = await client.script(path, `${HOME}${username}/`, 'stories', signal);
    const userId = userIdOf(acceptedAnswer(profile, account, now()).text);
    if (userId === null) throw weakNotFound('the user of the story is unknown');
    return reels(userId);
  }

  const mediaInfo: Strategy = {
    name: 'media-info',
    profile: constants.profiles['media-info'],
    isAvailable: ref => !isStoryLink(ref) && accounts?.isReady() === true && visitor.canAsk('media-info'),
    isLastResort: true,
    byAccount: true,
    async run(ref, signal) {
      const response = await ask(client => askForMedia(client, ref.parts.mediaId ?? '', signal));
      return readMarked(response, { ref, kind: 'query', strategy: 'media-info', now: now() });
    },
  };
  const stories: Strategy = {
    name: 'stories',
    profile: constants.profiles.stories,
    isAvailable: ref => isStoryLink(ref) && accounts?.isEmpty === false && visitor.canAsk('stories'),
    async run(ref, signal) {
      const response = await ask((client, account) => askForStory(ref, client, account, signal));
      const failure = failureOfHead(response, now());
      if (failure !== null) throw failure;
      return postOfDraft(parseStories(response.text, ref), { ref, strategy: 'stories', now: now() });
    },
  };
  return [mediaInfo, stories];
}
