import type { Caller, Command, Services } from '../command.ts';
import { readableChatSettings } from '../settings/chat-settings.ts';
import type { ChatSettings } from '../settings/settings.ts';
import type { TextInvocation } from './invocation.ts';
import { createLinkFinder, kindOfLink } from './osu-links.ts';
import { readText, type TextIntent } from './text-intent.ts';

/** A message, whether or not it will be answered. */
export type TextMessage = Omit<TextInvocation, 'signal'>;

export interface MessageFilterOptions {
  readonly commands: readonly Command[];
  readonly services: Pick<Services, 'extractor' | 'settings'>;
  /** Told when settings cannot be read; the defaults then count. */
  readonly onUnreadable: (error: unknown, caller: Caller) => void;
}

/**
 * What a message wants of Medley; undefined when it is not meant for it, which is what most messages of a group come to. Never
 * rejects, and asks the settings only about messages that hold a link.
 */
export type MessageFilter = (message: TextMessage) => Promise<TextIntent | undefined>;

export function createMessageFilter({ commands, services, onUnreadable }: MessageFilterOptions): MessageFilter {
  const { extractor } = services;
  const findLinks = createLinkFinder(extractor);

  function isOn(link: string, { autoDetect, disabledSources, osuLinks }: ChatSettings): boolean {
    if (kindOfLink(link) !== 'link') return osuLinks;
    if (autoDetect === false) return false;
    const source = disabledSources.length === 0 ? undefined : extractor.sourceOf(link);
    return source === undefined || !disabledSources.includes(source);
  }

  return async message => {
    const { caller, direct } = message;
    const intent = readText(message, commands, findLinks);
    if (intent.kind === 'command') return intent;
    // What is said to Medley itself is a request, whatever goes for links that are merely pasted.
    if (direct ?? caller.chatKind === 'private') return intent;
    if (intent.kind !== 'links') return undefined;
    const settings = await readableChatSettings(services, caller, error => onUnreadable(error, caller));
    const links = intent.links.filter(({ url }) => isOn(url, settings));
    return links.length > 0 ? { kind: 'links', links } : undefined;
  };
}
