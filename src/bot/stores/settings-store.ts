import * as z from 'zod';
import { createLru } from '../../infra/cache/cache.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type { Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { isFailure } from '../contract/reply-parts.ts';
import { type Caller, callerKey, chatKey } from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import { CHAT_DEFAULTS, ChatSettings, type SettingsStore, type Site, UserSettings } from '../contract/settings.ts';

const USER_DEFAULTS: UserSettings = { language: null, player: null, view: null };
const DAY_MS = 24 * 3_600_000;
const LEFT_MS = 30 * DAY_MS;

export const USERS = { name: 'users', schema: UserSettings };
/** The collection of settings in the web chat. A browser's session may never return, so unused records are dropped. */
export const WEB_USERS = {
  name: 'web-users',
  schema: UserSettings,
  ttlMs: 90 * DAY_MS,
  maxRecords: 50_000,
  isRenewedByReading: true,
};
export const CHATS = { name: 'chats', schema: ChatSettings };
/**
 * The index, by player, of people who signed in as that player. It may be outdated, so the person's settings are
 * checked.
 */
export const PROVEN_USERS = { name: 'proven-users', schema: z.object({ user: z.string() }) };

interface SettingsStoreOptions {
  readonly records: RecordStore;
  /** How many people's and how many chats' settings are held in memory. Default 10 000. */
  readonly maxInMemory?: number;
}

export function createSettingsStore({ records, maxInMemory = 10_000 }: SettingsStoreOptions): SettingsStore {
  const people = records.collection<UserSettings>({ ...USERS, maxInMemory });
  const sessions = records.collection<UserSettings>({ ...WEB_USERS, maxInMemory });
  const chats = records.collection<ChatSettings>({ ...CHATS, maxInMemory });
  const byPlayer = records.groupedCollection(PROVEN_USERS);
  const usersOf = (key: string) => (key.startsWith('web:') ? sessions : people);

  /** Updates the index of players, but not for browsers' sessions, because nothing reports when sessions end. */
  async function follow(key: string, before: UserSettings, after: UserSettings): Promise<void> {
    const [left, come] = [provenPlayerOf(before), provenPlayerOf(after)];
    if (left === come || key.startsWith('web:')) return;
    if (left !== undefined) await byPlayer.delete(`${left} ${key}`, `${left}`);
    if (come !== undefined) await byPlayer.set(`${come} ${key}`, { user: key }, `${come}`);
  }

  const user = async (key: string) => (await usersOf(key).get(key)) ?? USER_DEFAULTS;
  const chat = async (key: string) => (await chats.get(key)) ?? CHAT_DEFAULTS;

  return {
    user,
    provenUsers: async playerId => (await byPlayer.listGroup(`${playerId}`)).map(({ user: each }) => each),
    async forgetUser(key) {
      await follow(key, await user(key), USER_DEFAULTS);
      await usersOf(key).delete(key);
    },
    async setUser(key, change) {
      const before = await user(key);
      const settings: UserSettings = { ...before, ...change };
      await follow(key, before, settings);
      // If a person has chosen nothing, no record is needed.
      if (settings.language === null && settings.player === null && settings.view === null)
        return usersOf(key).delete(key);
      return usersOf(key).set(key, settings);
    },
    chat,
    forgetChat: key => chats.delete(key),
    async setChat(key, change) {
      const settings: ChatSettings = { ...(await chat(key)), ...change };
      if (JSON.stringify(settings) === JSON.stringify(CHAT_DEFAULTS)) return chats.delete(key);
      return chats.set(key, settings);
    },
    moveChat: (from, to) => chats.move(from, to),
    markChatLeft: (key, at) => chats.expire(key, at === null ? null : at + LEFT_MS),
  };
}

function provenPlayerOf({ player }: UserSettings): number | undefined {
  return player?.proven === true ? player.id : undefined;
}

/** The settings in use while a chat's own cannot be read. By them Medley hides and deletes nothing, to be careful. */
const UNREADABLE: ChatSettings = { ...CHAT_DEFAULTS, suppressEmbeds: false, noticeSeconds: 0 };

type Place = Pick<Caller, 'platform' | 'userId' | 'groupId' | 'chatId' | 'chatKind'>;

/**
 * The settings of the caller's chat. A private chat has the defaults with the person's own view, and its notices stay,
 * because they do not disturb other people.
 * @throws AppError `internal` when they cannot be read
 */
export async function chatSettingsOf({ settings }: Pick<Services, 'settings'>, caller: Place): Promise<ChatSettings> {
  if (caller.chatKind === 'group') return settings.chat(chatKey(caller));
  const { view } = await settings.user(callerKey(caller));
  return { ...CHAT_DEFAULTS, noticeSeconds: 0, view: view ?? CHAT_DEFAULTS.view };
}

/** The chat's settings; if they cannot be read, the defaults, but without hiding or deleting anything. */
export async function readableChatSettings(
  services: Pick<Services, 'settings'>,
  caller: Place,
  onUnreadable: (error: unknown) => void,
): Promise<ChatSettings> {
  try {
    return await chatSettingsOf(services, caller);
  } catch (error) {
    onUnreadable(error);
    return UNREADABLE;
  }
}

/** True when the channel rules allow answers to pasted links; for a thread, its channel's rules count too. */
export function isChannelOn(
  { offChannels, onlyChannels }: Pick<ChatSettings, 'offChannels' | 'onlyChannels'>,
  { chatId, parentChatId }: Pick<Caller, 'chatId' | 'parentChatId'>,
): boolean {
  const isNamed = (channels: readonly string[]) =>
    channels.includes(chatId) || (parentChatId !== undefined && channels.includes(parentChatId));
  return !isNamed(offChannels) && (onlyChannels.length === 0 || isNamed(onlyChannels));
}

/** True when pasted links are excluded by the person's roles, or by words in the message. */
export function isFiltered(
  { offRoles, offWords }: Pick<ChatSettings, 'offRoles' | 'offWords'>,
  { roleIds = [] }: Pick<Caller, 'roleIds'>,
  text: string,
): boolean {
  if (roleIds.some(id => offRoles.includes(id))) return true;
  if (offWords.length === 0) return false;
  const written = text.normalize('NFKC').toLowerCase();
  return offWords.some(word => holdsWord(written, word));
}

const LETTER = /[\p{L}\p{N}]/u;

/** True when a text contains the word as a whole word. */
function holdsWord(text: string, word: string): boolean {
  const isWithin = (inner: string | undefined, outer: string | undefined) =>
    inner !== undefined && outer !== undefined && LETTER.test(inner) && LETTER.test(outer);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!isWithin(word[0], text[at - 1]) && !isWithin(word.at(-1), text[end])) return true;
  }
  return false;
}

/** True when a message notifies people: only the first of an answer, and in a group only if its admins chose so. */
export function notifies(
  { settings, request, isFirst, sentKeys }: Pick<Sending, 'settings' | 'request' | 'isFirst' | 'sentKeys'>,
  place: number,
): boolean {
  const isSilent = settings.silent ?? request.chat.kind === 'group';
  return !isSilent && isFirst && place === 0 && sentKeys.length === 0;
}

/**
 * After how many milliseconds replies that share a message are deleted; undefined if they stay. In a group, a notice to
 * one person about a pasted link is of no use to others, and a reply with a time to wait is soon outdated.
 */
export function noticeLifeMs(
  replies: readonly Reply[],
  { request, settings }: Pick<Sending, 'request' | 'settings'>,
): number | undefined {
  if (request.chat.kind !== 'group' || replies.length === 0 || settings.noticeSeconds === 0) return undefined;
  const isOfLinks = request.kind === 'links' || request.kind === 'talk';
  const isShort = replies.every(
    // A notice that has `later` stays, because a better reply may still replace it.
    reply => reply.later === undefined && ((isOfLinks && isFailure(reply)) || reply.outdatedMs !== undefined),
  );
  if (!isShort) return undefined;
  return Math.min(settings.noticeSeconds * 1_000, ...replies.flatMap(({ outdatedMs }) => outdatedMs ?? []));
}

type SendingPart = Pick<Sending, 'request' | 'isFirst' | 'isLast' | 'expected'>;

/** The replies of one call of `send` that were delivered. */
interface Delivered {
  readonly replies: readonly Reply[];
  /** True when the platform has confirmed that all files of the replies have arrived. */
  readonly isConfirmed: boolean;
}

const MAX_REQUESTS = 2_000;

export type WholeAnswers = ReturnType<typeof createWholeAnswers>;

/**
 * Finds out whether all links of a request were answered and these answers delivered, as far as this process saw. Only
 * then may the message with the links be deleted, or its preview hidden.
 */
export function createWholeAnswers() {
  const wholeSoFar = createLru<string, boolean>({ max: MAX_REQUESTS });

  /** True when the answers to all links so far, these included, are delivered. Notices that links wait change nothing. */
  function isWhole({ request, isFirst, isLast, expected }: SendingPart, { replies, isConfirmed }: Delivered): boolean {
    const isWholeBefore = isFirst || wholeSoFar.get(request.id) === true;
    if (areWaitNotices(replies, isLast)) return isWholeBefore;
    const quotes = new Set(replies.map(({ quoted }) => quoted));
    const answers = replies.filter(reply => !quotes.has(reply));
    return (
      isWholeBefore &&
      isConfirmed &&
      answers.length === expected &&
      answers.every(
        ({ tone, gallery, quoted }) => tone === 'neutral' && gallery.length + (quoted?.gallery.length ?? 0) > 0,
      )
    );
  }

  return {
    /** Says before a call of `send`, or during it, whether `isAllDelivered` can still become true for the request. */
    mayBeAllDelivered: isWhole,
    /**
     * To be called after each call of `send` for a request, in order. Returns true only for the call with the answer to
     * the last link, and only if the answers to all links were delivered.
     */
    isAllDelivered(sending: SendingPart, delivered: Delivered): boolean {
      const { request, isLast } = sending;
      if (areWaitNotices(delivered.replies, isLast)) return false;
      const isDelivered = isWhole(sending, delivered);
      if (isLast) wholeSoFar.delete(request.id);
      else wholeSoFar.set(request.id, isDelivered);
      return isLast && isDelivered;
    },
  };
}

/** True for notices alone before the last link is answered, which only say that links wait and answer none. */
function areWaitNotices(replies: readonly Reply[], isLast: boolean): boolean {
  return !isLast && replies.length > 0 && replies.every(({ tone }) => tone === 'notice');
}

/** True when pasted links of a site are answered in a group: by its admins' choice, else by the site's default. */
export function isSiteOn({ sources }: Pick<ChatSettings, 'sources'>, { id, onInGroups }: Site): boolean {
  return sources[id] ?? onInGroups === true;
}

/** Says whether posts that are marked as sensitive are shown in the caller's chat. */
export function showsSensitive({ sensitive }: Pick<ChatSettings, 'sensitive'>, caller: Caller): boolean {
  if (caller.chatKind === 'private' || sensitive === 'spoiler') return true;
  return sensitive === 'restricted' && caller.isAgeRestricted === true;
}

/** Says whether the caller may change this chat's settings; in a private chat everybody may. */
export async function decidesForChat({ chatKind, isChatAdmin }: Caller): Promise<boolean> {
  if (chatKind === 'private') return true;
  return typeof isChatAdmin === 'boolean' ? isChatAdmin : isChatAdmin();
}
