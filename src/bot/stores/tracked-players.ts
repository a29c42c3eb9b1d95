import type { RecordStore } from '../../infra/store/records.ts';
import {
  type ChatPlace,
  type TrackedPlayer,
  type TrackedPlayers,
  TrackingChat,
  TrackMark,
} from '../contract/chat-memory.ts';
import { type CallerPlace, chatKey } from '../contract/request.ts';

export const TRACKING_CHATS = { name: 'tracking-chats', schema: TrackingChat, maxRecords: 5_000 };
/** The collection of tracked players' best plays. A record expires when no chat tracks the player any more. */
export const TRACK_MARKS = { name: 'track-marks', schema: TrackMark, ttlMs: 7 * 24 * 3_600_000, maxRecords: 5_000 };

/** The most players that a chat may track; all chats together may track {@link MAX_FOLLOWED} different ones. */
export const MAX_TRACKED = 10;
/** The most tracked players. Each takes a request an hour, which is in all a small part of osu!'s rate limit. */
const MAX_FOLLOWED = 600;

const ALL = 'all';
export const placeKey = ({ platform, chatId }: Pick<CallerPlace, 'platform' | 'chatId'>) => `${platform}:${chatId}`;
export const playerKey = ({ id, mode }: Pick<TrackedPlayer, 'id' | 'mode'>) => `${id}:${mode}`;

export function createTrackedPlayers(records: RecordStore, canPost: TrackedPlayers['canPost']): TrackedPlayers {
  const chats = records.groupedCollection<TrackingChat>(TRACKING_CHATS);
  const marks = records.collection<TrackMark>({ ...TRACK_MARKS, maxInMemory: MAX_FOLLOWED });
  let writes: Promise<unknown> = Promise.resolve();

  /** Runs writes one after another, because each change is based on the result of the one before. */
  function inTurn<T>(write: () => Promise<T>): Promise<T> {
    const result = writes.then(write, write);
    writes = result.catch(() => undefined);
    return result;
  }

  async function put(key: string, chat: TrackingChat): Promise<void> {
    if (chat.players.length === 0) await chats.delete(key, ALL);
    else await chats.set(key, chat, ALL);
  }

  const list = async (place: ChatPlace) => (await chats.get(placeKey(place)))?.players ?? [];

  async function isFull(player: TrackedPlayer): Promise<boolean> {
    const followed = new Set((await chats.listGroup(ALL)).flatMap(chat => chat.players.map(playerKey)));
    return followed.size >= MAX_FOLLOWED && !followed.has(playerKey(player));
  }

  const ofGroup = async (group: string) => (await chats.listGroup(ALL)).filter(chat => chat.group === group);

  return {
    canPost,
    list,
    add: (place, player) =>
      inTurn(async () => {
        const others = (await list(place)).filter(each => playerKey(each) !== playerKey(player));
        if (others.length >= MAX_TRACKED || (await isFull(player))) return false;
        const { platform, chatId, topicId } = place;
        await put(placeKey(place), { platform, chatId, topicId, group: chatKey(place), players: [...others, player] });
        return true;
      }),
    remove: (place, player) =>
      inTurn(async () => {
        const known = await chats.get(placeKey(place));
        const players = known?.players.filter(each => playerKey(each) !== playerKey(player)) ?? [];
        if (known === undefined || players.length === known.players.length) return false;
        await put(placeKey(place), { ...known, players });
        return true;
      }),
    chats: () => chats.listGroup(ALL),
    mark: player => marks.get(playerKey(player)),
    setMark: (player, mark) => marks.set(playerKey(player), mark),
    drop: place => inTurn(() => chats.delete(placeKey(place), ALL)),
    leave: group =>
      inTurn(async () => {
        for (const chat of await ofGroup(group)) await chats.delete(placeKey(chat), ALL);
      }),
    moveChat: (from, to) =>
      inTurn(async () => {
        for (const chat of await ofGroup(from)) {
          await chats.delete(placeKey(chat), ALL);
          const chatId = chatKey(chat) === from ? to.slice(chat.platform.length + 1) : chat.chatId;
          await put(placeKey({ ...chat, chatId }), { ...chat, chatId, group: to });
        }
      }),
  };
}
