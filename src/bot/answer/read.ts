import { createLru } from '../../infra/cache/cache.ts';
import type { NewRequest } from '../contract/chat-platform.ts';
import type { Command } from '../contract/command.ts';
import { looksLikeLink } from '../contract/command-spec.ts';
import {
  type Caller,
  callerKey,
  type LinksBody,
  type PastedLink,
  type RequestBody,
  type TextMessage,
} from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import type { ChatSettings } from '../contract/settings.ts';
import {
  type CommandLine,
  PRIVATE_PREFIX,
  parseCommandLine,
  parseShortForm,
  readFullForm,
  readShortWord,
} from '../contract/short-forms.ts';
import { chatSettingsOf, isChannelOn, isFiltered, isSiteOn } from '../stores/settings-store.ts';
import { findWishes, kindOfLink, type LinkFinder, termsBeside, withoutWishes } from './find-links.ts';

/**
 * Makes the function that reads what a message asks of Medley. It returns undefined for a message that is not meant for
 * Medley, as most messages of a group are not. Settings are read only if the message has a link, or what looks like a
 * short command (`!rs`). It throws StoreAway when the settings of the chat and the person cannot be read.
 * @param isBlocked resolves with true for people and chats whose requests are not answered
 */
export function createMessageReader(
  commandsFor: (caller: Caller) => readonly Command[],
  services: Pick<Services, 'extractor' | 'sites' | 'settings' | 'optOuts'>,
  findLinks: LinkFinder,
  isBlocked: (caller: Caller) => Promise<boolean>,
) {
  /**
   * True when the person chose that links they paste are ignored, and this link was pasted. Mentions of Medley and menu
   * commands (whose text is empty) are answered all the same.
   */
  async function isOptedOut({ caller, direct, text }: TextMessage): Promise<boolean> {
    const isPasted = caller.chatKind === 'private' ? text !== '' : direct !== true;
    return isPasted && (await services.optOuts.has(callerKey(caller)));
  }

  function linksIn({ text, links }: TextMessage): readonly PastedLink[] {
    return links ? canonicalLinks(links) : findLinks(text).map(url => ({ url, spoiler: false }));
  }

  /**
   * The links in canonical form, each post once. A post counts as hidden by a spoiler if any of its links is in a
   * spoiler.
   */
  function canonicalLinks(links: readonly PastedLink[]): readonly PastedLink[] {
    const found = new Map<string, PastedLink>();
    for (const { url, spoiler, quoted = false } of links) {
      const [link] = findLinks(url);
      if (link === undefined) continue;
      // A post may be linked in several forms (`/p/`, `/reel/`), which count as one. Links that differ in the query of
      // the address count as different, because the query may choose a file of the post.
      const key = `${services.extractor.postKey(link) ?? link}${new URL(link).search}`;
      const known = found.get(key);
      const isQuoted = quoted && (known === undefined || known.quoted === true);
      const isHidden = spoiler || (known?.spoiler ?? false);
      found.set(key, { url: known?.url ?? link, spoiler: isHidden, ...(isQuoted && { quoted: true }) });
    }
    return [...found.values()];
  }

  async function readMessage(message: TextMessage): Promise<RequestBody | undefined> {
    const { caller, text, direct, links: pasted, line = text } = message;
    const short = await readShortForm(message, commandsFor, services);
    if (short !== undefined) return short;
    // A message addressed to Medley is always answered, whatever the settings say about pasted links.
    const isDirect = direct ?? caller.chatKind === 'private';
    const typed = parseCommandLine(text);
    if (typed !== undefined) return readTyped(typed, isDirect, message);
    const links = linksIn(message);
    if (links.length === 0 && !isDirect) return undefined;
    const address = pasted ? pasted[0]?.url : findAddress(text);
    if ((links.length > 0 || address !== undefined) && (await isOptedOut(message))) return undefined;
    if (links.length > 0) return wantedLinks(links, isDirect, caller, line);
    // An address that leads to no known post goes to the command for links, like one that does, because that command's
    // notice says best what is wrong.
    return address === undefined ? TALK : { kind: 'links', what: [{ url: address, spoiler: false }] };
  }

  /**
   * Reads a typed command. A command takes one link, and its form of a request cannot say that a link is in a spoiler.
   * So if several links follow the command for links, or one in a spoiler, they are read as pasted links.
   */
  function readTyped(typed: CommandLine, isDirect: boolean, message: TextMessage): RequestBody | undefined {
    // A name of one letter counts only if Medley is addressed: other bots use such names.
    if (!isDirect && typed.name.length === 1) return undefined;
    const commands = commandsFor(message.caller);
    const { name, args, isKnown } = readCommand(typed.name, typed.rest, commands);
    if (!isKnown && !isDirect) return undefined;
    const body = { kind: 'line', what: { name, args } } as const;
    if (!commands.some(command => command.name === name && command.accepts === 'link')) return body;
    const links = linksIn(message);
    const words = withoutWishes(args).trim().split(/\s+/);
    const isForAll = links.length > 1 || links[0]?.spoiler === true;
    if (!isForAll || !words.every(word => findLinks(word).length > 0)) return body;
    return { kind: 'links', what: links.map(({ url, spoiler }) => ({ url, spoiler, ...findWishes(args) })) };
  }

  async function wantedLinks(
    links: readonly PastedLink[],
    isDirect: boolean,
    caller: Caller,
    line: string,
  ): Promise<RequestBody | undefined> {
    let wanted = links;
    if (!isDirect || links.some(({ quoted }) => quoted === true)) {
      const settings = await chatSettingsOf(services, caller);
      wanted = withoutQuoted(links, settings, caller);
      if (!isDirect) {
        const isLeftAlone = !isChannelOn(settings, caller) || isFiltered(settings, caller, line);
        wanted = isLeftAlone ? [] : wanted.filter(({ url }) => isLinkOn(url, settings, services));
      }
    }
    if (wanted.length === 0) return isDirect ? TALK : undefined;
    const wishes = findWishes(line);
    const beside = termsBeside(line, findLinks);
    const what = wanted.map(({ url, spoiler }) => {
      const options = beside.get(url);
      return { url, spoiler, ...wishes, ...(options && { options }) };
    });
    return { kind: 'links', what, ...(!isDirect && { unasked: true }) };
  }

  return async (message: TextMessage): Promise<RequestBody | undefined> => {
    const body = await readMessage(message);
    return body === undefined || (await isBlocked(message.caller)) ? undefined : body;
  };
}

/**
 * Reads a short command such as `!rs` behind the prefix that the group's admins chose, unless the channel is switched
 * off. A word that Medley does not know may be another bot's, so it is ignored.
 */
async function readShortForm(
  { caller, text, line, direct }: TextMessage,
  commandsFor: (caller: Caller) => readonly Command[],
  services: Pick<Services, 'settings'>,
): Promise<RequestBody | undefined> {
  const typed = parseShortForm(line ?? text);
  if (typed === undefined || !commandsFor(caller).some(({ name }) => name === typed.command)) return undefined;
  let prefix: ChatSettings['prefix'] = PRIVATE_PREFIX;
  if (caller.chatKind !== 'private') {
    const settings = await chatSettingsOf(services, caller);
    prefix = direct === true || isChannelOn(settings, caller) ? settings.prefix : null;
  }
  return prefix === typed.prefix ? { kind: 'line', what: { name: typed.command, args: typed.rest } } : undefined;
}

/** True when the chat's settings let pasted links of this kind or site be answered. */
function isLinkOn(link: string, settings: ChatSettings, services: Pick<Services, 'extractor' | 'sites'>): boolean {
  if (kindOfLink(link) !== 'link') return settings.osuLinks;
  const source = services.extractor.sourceOf(link);
  const site = services.sites.find(({ id }) => id === source);
  return settings.autoDetect !== false && (site === undefined || isSiteOn(settings, site));
}

const TALK: RequestBody = { kind: 'talk', what: null };

/** Leaves out links in quoted text if the chat's settings exclude them. */
function withoutQuoted(
  links: readonly PastedLink[],
  { quotedLinks }: ChatSettings,
  { chatKind, answersQuotes = chatKind === 'private' }: Caller,
): readonly PastedLink[] {
  return (quotedLinks ?? answersQuotes) ? links : links.filter(({ quoted }) => quoted !== true);
}

/** The most letters of an unknown command's name that a notice repeats. */
const MAX_NAME = 40;

/** Finds a command by its name: one or two words, `/osu profile`; on some platforms the two are `/osu_profile`. */
function readCommand(name: string, rest: string, commands: readonly Command[]) {
  const [second = ''] = rest.split(/\s/, 1);
  const pair = `${name} ${second.toLowerCase()}`;
  if (commands.some(command => command.name === pair)) return readFull(pair, rest.slice(second.length).trim());
  const spelled = name.replaceAll('_', ' ');
  const command = commands.find(each => each.name === name || each.name === spelled);
  if (command) return readFull(command.name, rest);
  const short = readShortWord(name, rest);
  // The name of a command group followed by a player is a short command (`/osu lamp post`); the group's name alone is
  // not.
  const isShort = short !== undefined && (short.command !== `${name} profile` || second !== '');
  if (isShort && commands.some(each => each.name === short.command))
    return { name: short.command, args: short.rest, isKnown: true };
  const isGroup = commands.some(each => each.name.startsWith(`${name} `));
  // The name of a command group without anything behind it asks for help about the group's commands.
  if (isGroup && second === '' && commands.some(each => each.name === 'help'))
    return { name: 'help', args: name, isKnown: true };
  // An unknown name is kept, because the notice offers a similar command with the same words behind its name.
  return isGroup
    ? { name: pair.trim().slice(0, MAX_NAME), args: rest.slice(second.length).trim(), isKnown: false }
    : { name, args: rest, isKnown: false };
}

function readFull(name: string, args: string) {
  const { command, rest } = readFullForm(name, args) ?? { command: name, rest: args };
  return { name: command, args: rest, isKnown: true };
}

/** The first word that looks like an address: it has a scheme or a path, or is the whole message. */
function findAddress(text: string): string | undefined {
  const words = text.trim().split(/\s+/, 64);
  return words.find(word => {
    if (/^[a-z][a-z0-9+.-]{1,31}:\/\/[^\s<>]+$/i.test(word)) return true;
    const [host = '', path] = word.split('/', 2);
    return (
      looksLikeLink(word) && /^(?:[\w-]+\.)+[a-z]{2,24}$/i.test(host) && (path !== undefined || words.length === 1)
    );
  });
}

/**
 * Edits of messages older than this are ignored: platforms report other changes of a message as edits, too, and
 * people do not expect an answer to an old message.
 */
export const EDITABLE_MS = 3_600_000;
const MAX_MESSAGES = 10_000;

export interface EditedLinksOptions<To> {
  readonly now: () => number;
  /** Identifies the message from which a request came; undefined if it did not come from a message. */
  readonly keyOf: (replyTo: To) => string | undefined;
  /** The event's id and the address of the reply for the links that an edit added. */
  readonly editOf: (replyTo: To, links: LinksBody['what']) => Pick<NewRequest<To>, 'eventId' | 'replyTo'>;
}

/** Finds the links that an edit adds to a message: only these are answered, not the earlier ones again. */
export function createEditedLinks<To>({ now, keyOf, editOf }: EditedLinksOptions<To>) {
  /**
   * The accepted links by message, in memory only. After a restart an edited message is taken for a new one, and only
   * the event's id, under which an answered request is known, keeps it from being answered twice.
   */
  const answered = createLru<string, ReadonlySet<string>>({ max: MAX_MESSAGES, ttl: EDITABLE_MS, perf: { now } });
  /** The last work on each message whose request is being accepted. */
  const accepting = new Map<string, Promise<unknown>>();

  return {
    /** Runs the work after that on earlier events of the message, because an edit is compared with what was accepted. */
    async inOrder<T>(messageKey: string, work: () => Promise<T>): Promise<T> {
      const done = (accepting.get(messageKey) ?? Promise.resolve()).then(work, work);
      accepting.set(messageKey, done);
      return done.finally(() => accepting.get(messageKey) === done && accepting.delete(messageKey));
    },
    /**
     * The request for the links that an edit added, or for all links if this process has no record of the message.
     * Undefined when the edit added none.
     * @param whole the request in the whole edited message
     */
    added(whole: NewRequest<To> | undefined): NewRequest<To> | undefined {
      const key = whole && keyOf(whole.replyTo);
      if (key === undefined || whole?.kind !== 'links') return undefined;
      const known = answered.get(key);
      if (known === undefined) return whole;
      const what = whole.what.filter(({ url }) => !known.has(url));
      return what.length === 0 ? undefined : { ...whole, what, ...editOf(whole.replyTo, what) };
    },
    /** Records which links of a message were accepted, for later edits. */
    accepted({ replyTo, ...body }: NewRequest<To>): void {
      const key = keyOf(replyTo);
      const links = body.kind === 'links' ? body.what.map(({ url }) => url) : [];
      if (key !== undefined) answered.set(key, new Set([...(answered.get(key) ?? []), ...links]));
    },
  };
}
