import { setTimeout as sleep } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import { userPage } from '../../beatmaps/model/link.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import { createTranslator } from '../../i18n/translate.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { TrackedPlayer, TrackedPlayers, TrackingChat } from '../contract/chat-memory.ts';
import type { PostToChat } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { headingBlock, labelled, link, reply } from '../contract/reply-parts.ts';
import type { Services } from '../contract/services.ts';
import { openPlayedToken, playerButtons } from '../osu/buttons.ts';
import { ratePlays } from '../osu/plays.ts';
import { placeKey, playerKey } from '../stores/tracked-players.ts';
import { inMode } from '../views/osu/facts.ts';
import { estimateBlocks, scoreCard } from '../views/osu/score.ts';

/** New best plays of a player, the best first. */
interface TrackNews {
  readonly player: TrackedPlayer;
  readonly scores: readonly Score[];
}

export interface TrackPollerOptions {
  readonly tracked: Pick<TrackedPlayers, 'chats' | 'mark' | 'setMark' | 'drop'>;
  readonly beatmaps: Pick<Beatmaps, 'hasPlayers' | 'userScores'>;
  /** Renders a post about new plays in the chat's language. */
  readonly render: (news: TrackNews, chat: TrackingChat, signal: AbortSignal) => Promise<Reply>;
  readonly post: PostToChat;
  /** True when this process, among several, is the one that polls. Default: it is. */
  readonly isSole?: () => boolean;
  readonly log: Pick<Logger, 'warn'>;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
  /** How often to look for players who are due. Default half a minute. */
  readonly tickMs?: number;
}

export interface TrackingOptions extends Pick<TrackPollerOptions, 'post' | 'isSole' | 'log' | 'now' | 'tickMs'> {
  readonly services: Services;
}

/** Posts new best plays of tracked players to the chats that track them, in the language of each chat. */
export function createTracking({ services, ...options }: TrackingOptions) {
  async function render({ player, scores }: TrackNews, chat: TrackingChat, signal: AbortSignal): Promise<Reply> {
    const { language } = await services.settings.chat(chat.group);
    const t = createTranslator(language === null ? [] : [language]);
    const shown = scores.slice(0, MAX_SHOWN);
    const ratings = await ratePlays(shown, { services, signal });
    const [only, second] = scores;
    if (only !== undefined && only.beatmap_id !== null && second === undefined) {
      const place = { ...chat, chatKind: 'group', userId: '' } as const;
      await services.memory.maps.remember(place, { id: only.beatmap_id, ruleset: only.mode });
    }
    const words = t.messages.plays.track;
    const { id, name, mode } = player;
    const title = scores.length === 1 ? words.news : words.manyNews({ n: scores.length });
    const isListed = scores.length > 1;
    const openToken = (score: Score) => openPlayedToken(services, score);
    const news = reply({
      blocks: [
        headingBlock(labelled([link(userPage(id, mode), name)], [inMode(title, mode, t)], t)),
        ...shown.map(score => scoreCard(score, { rating: ratings.get(score), isListed, openToken }, t)),
        ...estimateBlocks([...ratings.values()], t),
      ],
      actions: playerButtons(player, ['profile', 'best', 'recent'], services, t),
    });
    await services.actions.stored();
    return news;
  }

  return createTrackPoller({ ...options, tracked: services.memory.tracked, beatmaps: services.beatmaps, render });
}

const HOUR_MS = 3_600_000;
/** How many best plays are requested; lower ones hardly count towards a player's total. */
const BEST = 100;
/** How old a new play may be. An older play is new to the list only because another play left it or its pp changed. */
const NEWEST_MS = 3 * 24 * HOUR_MS;
/** How many posted plays are remembered. */
const MAX_POSTED = 10_000;
/** The most plays that a post shows; the post's title counts all new plays. */
const MAX_SHOWN = 5;

interface Followed {
  readonly player: TrackedPlayer;
  readonly chats: readonly TrackingChat[];
}

/**
 * Reads the best plays of each tracked player once an hour, however many chats track the player: a few at a time, so
 * that requests are spread over the hour. The last list is stored, so a restart neither repeats nor loses a post.
 */
export function createTrackPoller(options: TrackPollerOptions) {
  const { beatmaps, isSole = () => true, log, now = Date.now, tickMs = 30_000 } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const poll: Poll = {
    ...options,
    now,
    tickMs,
    signal,
    missed: new Map(),
    posted: createLru({ max: MAX_POSTED, ttl: NEWEST_MS }),
  };
  let running: Promise<void> = Promise.resolve();

  async function tick(): Promise<void> {
    if (!beatmaps.hasPlayers || !isSole()) return;
    for (const each of await due(poll)) {
      signal.throwIfAborted();
      try {
        await look(each, poll);
      } catch (error) {
        signal.throwIfAborted();
        poll.missed.set(playerKey(each.player), now());
        log.warn({ err: error, player: each.player.id }, 'a tracked player could not be looked at');
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await sleep(tickMs, undefined, { signal, ref: false });
        await tick();
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'tracked players could not be read');
      }
    }
  }

  return {
    start() {
      running = run();
    },
    /** Polls the players who are due now. `start` calls it regularly; tests call it too. */
    tick,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

interface Poll extends TrackPollerOptions {
  readonly now: () => number;
  readonly tickMs: number;
  readonly signal: AbortSignal;
  /** For each player, when requests last failed. They are not repeated before the hour is over. */
  readonly missed: Map<string, number>;
  /** The plays that were posted, by chat: when a post to one chat failed, the next attempt skips the other chats. */
  readonly posted: LRUCache<string, true>;
}

/**
 * The players who were not requested for an hour, longest ago first; as many as one tick may request. A time in the
 * future is from before the clock was set back, so it counts as long ago.
 */
async function due({ tracked, missed, now, tickMs }: Poll): Promise<readonly Followed[]> {
  const all = followedIn(await tracked.chats());
  const looked = await Promise.all(
    all.map(async each => {
      const polledAt = (await tracked.mark(each.player))?.polledAt ?? 0;
      return { each, at: Math.max(polledAt, missed.get(playerKey(each.player)) ?? 0) };
    }),
  );
  const keys = new Set(all.map(({ player }) => playerKey(player)));
  for (const key of missed.keys()) if (!keys.has(key)) missed.delete(key);
  const share = Math.ceil((all.length * tickMs) / HOUR_MS);
  return looked
    .filter(({ at }) => Math.abs(now() - at) >= HOUR_MS)
    .sort((a, b) => a.at - b.at)
    .slice(0, share)
    .map(({ each }) => each);
}

async function look({ player, chats }: Followed, poll: Poll): Promise<void> {
  const { tracked, beatmaps, missed, posted, now, signal } = poll;
  const before = await tracked.mark(player);
  const options = { ruleset: player.mode, limit: BEST, signal };
  const { scores, stale } = await beatmaps.userScores(player.id, 'best', options);
  const fresh = stale || before === undefined ? [] : scores.filter(score => isNew(score, before.scoreIds, now()));
  let isPostedEverywhere = true;
  for (const chat of chats) {
    const idOf = (score: Score) => `${placeKey(chat)} ${score.id}`;
    const scores = fresh.filter(score => !posted.has(idOf(score)));
    if (scores.length === 0) continue;
    if (await postNews({ player, scores }, chat, poll)) {
      for (const score of scores) posted.set(idOf(score), true);
    } else isPostedEverywhere = false;
  }
  if (stale || !isPostedEverywhere) {
    missed.set(playerKey(player), now());
    return;
  }
  // The list is stored after posting, so that a crash in between loses no post: it is sent again with the same id.
  await tracked.setMark(player, { polledAt: now(), scoreIds: scores.map(({ id }) => id) });
}

/** Posts to one chat. Returns false on a failure, so that other chats still get the post. */
async function postNews(news: TrackNews, chat: TrackingChat, poll: Poll): Promise<boolean> {
  const { tracked, render, post, log, signal } = poll;
  const { platform, chatId, group, topicId } = chat;
  try {
    const reply = await render(news, chat, signal);
    const eventId = `track:${platform}:${chatId}:${news.scores[0]?.id ?? 0}`;
    const outcome = await post({ platform, chatId, group, topicId, eventId }, reply, signal);
    if (outcome === 'gone') await tracked.drop(chat);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, platform, player: news.player.id }, 'a new best play could not be posted');
    return false;
  }
}

/** Each player once, with all chats that track the player. */
function followedIn(chats: readonly TrackingChat[]): readonly Followed[] {
  const all = new Map<string, { player: TrackedPlayer; chats: TrackingChat[] }>();
  for (const chat of chats) {
    for (const player of chat.players) {
      const known = all.get(playerKey(player)) ?? { player, chats: [] };
      known.chats.push(chat);
      all.set(playerKey(player), known);
    }
  }
  return [...all.values()];
}

function isNew({ id, ended_at }: Score, known: readonly number[], now: number): boolean {
  const at = ended_at === null ? 0 : Date.parse(ended_at);
  return !known.includes(id) && now - at < NEWEST_MS;
}
