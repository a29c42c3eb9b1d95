import { RECOMMENDATIONS } from '../beatmaps/recommend/recommendation-history.ts';
import { DELETIONS } from '../bot/runtime/deletions.ts';
import { OPEN_LINKS } from '../bot/stores/account-links.ts';
import { BUTTON_ARGUMENTS, SHOWN_VIEWS } from '../bot/stores/buttons.ts';
import { CHAT_MEMBERS, MEMBER_CHATS, SHOWN_MAPS } from '../bot/stores/chat-memory.ts';
import { BLOCKS, OPT_OUTS, WEB_OPT_OUTS } from '../bot/stores/exclusions.ts';
import { CHATS, PROVEN_USERS, USERS, WEB_USERS } from '../bot/stores/settings-store.ts';
import { TRACK_MARKS, TRACKING_CHATS } from '../bot/stores/tracked-players.ts';
import { SENT_FILES } from '../media/delivery/sent-files.ts';
import { ACCOUNTS } from '../media/extract/accounts.ts';
import { COOLDOWNS } from '../media/extract/cooldowns.ts';
import { DISCORD_SESSIONS } from '../platforms/discord/incoming/sessions.ts';
import { ANSWER_PARTS } from '../platforms/discord/outgoing/context.ts';

/** All collections of records that this version stores, each with the label by which the migration reports it. */
export const COLLECTIONS = [
  { options: USERS, label: 'settings of people' },
  { options: WEB_USERS, label: 'settings of web chats' },
  { options: CHATS, label: 'settings of groups' },
  { options: PROVEN_USERS, label: 'people who signed in at osu!' },
  { options: OPEN_LINKS, label: 'sign-ins at osu! under way' },
  { options: OPT_OUTS, label: 'people whose links are ignored' },
  { options: WEB_OPT_OUTS, label: 'web chats whose links are ignored' },
  { options: BLOCKS, label: 'lists of what is blocked' },
  { options: SHOWN_MAPS, label: 'maps that chats saw last' },
  { options: CHAT_MEMBERS, label: 'linked members of groups' },
  { options: MEMBER_CHATS, label: 'groups of linked members' },
  { options: TRACKING_CHATS, label: 'chats that watch players' },
  { options: TRACK_MARKS, label: 'plays of watched players' },
  { options: BUTTON_ARGUMENTS, label: 'arguments of buttons' },
  { options: SHOWN_VIEWS, label: 'ways back of messages with buttons' },
  { options: DELETIONS, label: 'notices that are still to be deleted' },
  { options: RECOMMENDATIONS, label: 'recommendations' },
  { options: ACCOUNTS, label: 'pauses of accounts at sites' },
  { options: COOLDOWNS, label: 'pauses of sites' },
  { options: SENT_FILES, label: 'files that platforms hold' },
  { options: DISCORD_SESSIONS, label: 'sessions at Discord' },
  { options: ANSWER_PARTS, label: 'answers of several messages on Discord' },
  { options: { name: 'discord-commands' }, label: 'ids of commands on Discord' },
  { options: { name: 'registered-menus', ttlMs: 24 * 3_600_000 }, label: 'menus of commands that platforms have' },
  { options: { name: 'canary' }, label: 'what the canary knows' },
  { options: { name: 'readiness', ttlMs: 3_600_000 }, label: 'marks of the health check' },
] as const;
