import { type Caller, callerKey } from '../contract/caller.ts';
import type { Command } from '../contract/command.ts';
import type { PastedLink, TextInvocation } from '../contract/invocation.ts';
import type { Services } from '../contract/services.ts';
import type { ChatSettings } from '../contract/settings.ts';
import { PRIVATE_PREFIX, parseShortForm } from '../contract/short-forms.ts';
import { chatSettingsOf, isChannelOn } from '../stores/chat-settings.ts';
import { createLinkFinder, kindOfLink } from './osu-links.ts';
import { readText, type TextIntent } from './text-intent.ts';

/** A message, whether or not it will be answered. */
export type TextMessage = Omit<TextInvocation, 'signal'>;

export interface MessageFilterOptions {
  /** Those that the caller may use. */
  readonly commandsFor: (caller: Caller) => readonly Command[];
  readonly services: Pick<Services, 'extractor' | 'settings' | 'optOuts'>;
  /** Whether this person or chat gets no answers to anything. */
  readonly isBlocked: (caller: Caller) => Promise<boolean>;
}

/**
 * What a message wants of Medley; undefined when it is not meant for it, which is what most messages of a group come to. It asks the
 * settings only about messages that hold a link or look like a short form.
 * @throws StoreAway when it cannot be read what goes for the chat and the person
 */
export type MessageFilter = (message: TextMessage) => Promise<TextIntent | undefined>;

export function createMessageFilter({ commandsFor, services, isBlocked }: MessageFilterOptions): MessageFilter {
  const { extractor } = services;
  const findLinks = createLinkFinder(extractor);

  function isOn(link: string, { autoDetect, disabledSources, osuLinks }: ChatSettings): boolean {
    if (kindOfLink(link) !== 'link') return osuLinks;
    if (autoDetect === false) return false;
    const source = disabledSources.length === 0 ? undefined : extractor.sourceOf(link);
    return source === undefined || !disabledSources.includes(source);
  }

  /** Where a message to all of a group or alone with Medley holds links, those of people who opted out stay unanswered. */
  async function isOptedOut({ caller, direct, text }: TextMessage): Promise<boolean> {
    // A mention or a menu, which brings no text, is a request of its own.
    const isPasted = caller.chatKind === 'private' ? text !== '' : direct !== true;
    return isPasted && (await services.optOuts.has(callerKey(caller)));
  }

  /**
   * `!rs` and the like, where the group's admins chose that prefix, but not in channels that are to be left alone. One that is not known may
   * be another bot's.
   */
  async function readShortForm({ caller, text, line, direct = false }: TextMessage): Promise<TextIntent | undefined> {
    const typed = parseShortForm(line ?? text);
    const command = typed && commandsFor(caller).find(({ name }) => name === typed.command);
    if (typed === undefined || command === undefined) return undefined;
    const prefix = caller.chatKind === 'private' ? PRIVATE_PREFIX : await prefixIn(caller, direct);
    return prefix === typed.prefix ? { kind: 'command', command, rest: typed.rest } : undefined;
  }

  async function prefixIn(caller: Caller, isAsked: boolean): Promise<ChatSettings['prefix']> {
    const settings = await chatSettingsOf(services, caller);
    return isAsked || isChannelOn(settings, caller) ? settings.prefix : null;
  }

  async function read(message: TextMessage): Promise<TextIntent | undefined> {
    const { caller, direct } = message;
    const short = await readShortForm(message);
    if (short !== undefined) return short;
    const intent = readText(message, commandsFor(caller), findLinks);
    if (intent.kind === 'command') return intent;
    if ((intent.kind === 'links' || intent.kind === 'address') && (await isOptedOut(message))) return undefined;
    // What is said to Medley itself is a request, whatever goes for links that are merely pasted.
    const isAsked = direct ?? caller.chatKind === 'private';
    if (intent.kind === 'links') return wantedOf(intent, isAsked, caller);
    return isAsked ? intent : undefined;
  }

  async function wantedOf(
    intent: Extract<TextIntent, { kind: 'links' }>,
    isAsked: boolean,
    caller: Caller,
  ): Promise<TextIntent | undefined> {
    if (isAsked && intent.links.every(({ quoted }) => quoted !== true)) return intent;
    const settings = await chatSettingsOf(services, caller);
    const links = isAsked ? answered(intent.links, settings, caller) : unaskedLinks(intent.links, settings, caller);
    if (links.length > 0) return { ...intent, links, unasked: !isAsked };
    return isAsked ? { kind: 'talk' } : undefined;
  }

  function unaskedLinks(links: readonly PastedLink[], settings: ChatSettings, caller: Caller): readonly PastedLink[] {
    if (!isChannelOn(settings, caller)) return [];
    return answered(links, settings, caller).filter(({ url }) => isOn(url, settings));
  }

  /** Without those in quotes where these are left alone: nobody sends them to Medley alone for nothing. */
  function answered(
    links: readonly PastedLink[],
    { quotedLinks }: ChatSettings,
    { chatKind, answersQuotes = chatKind === 'private' }: Caller,
  ): readonly PastedLink[] {
    return (quotedLinks ?? answersQuotes) ? links : links.filter(({ quoted }) => quoted !== true);
  }

  return async message => {
    const intent = await read(message);
    return intent === undefined || (await isBlocked(message.caller)) ? undefined : intent;
  };
}
