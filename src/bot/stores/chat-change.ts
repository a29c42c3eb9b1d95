import type { ChatSettings, View } from '../contract/settings.ts';
import type { Prefix } from '../contract/short-forms.ts';
import type { Site } from '../contract/site-name.ts';
import { usageError } from '../contract/usage-error.ts';
import { MAX_CHANNEL_RULES } from './settings.ts';

/** Of short forms: there are none. */
export const NO_PREFIX = 'off';

/** What may go for one channel; `everywhere` ends the rules of all channels. */
export const CHANNEL_RULES = ['on', 'off', 'only', 'everywhere'] as const;
export type ChannelRule = (typeof CHANNEL_RULES)[number];

/** What an admin may ask to change, by the options of /settings. Sites come by their ids. */
export interface AskedChange {
  readonly links: boolean | undefined;
  readonly 'osu-links': boolean | undefined;
  readonly quotes: boolean | undefined;
  readonly channel: ChannelRule | undefined;
  readonly view: View | undefined;
  readonly captions: boolean | undefined;
  readonly prefix: Prefix | typeof NO_PREFIX | undefined;
  /** 0 for all. */
  readonly files: number | undefined;
  readonly silent: boolean | undefined;
  readonly embeds: boolean | undefined;
  readonly 'delete-links': boolean | undefined;
  readonly 'quiet-errors': boolean | undefined;
  readonly notices: number | undefined;
  /** A tag, or null for automatic. */
  readonly language: string | null | undefined;
  readonly sites: Readonly<Record<string, unknown>>;
}

/** Undefined when nothing of the chat is to change. @param channelId the channel that is spoken of */
export function changeOf(
  chat: ChatSettings,
  asked: AskedChange,
  channelId: string,
  sources: readonly Site[],
): Partial<ChatSettings> | undefined {
  const off = new Set(chat.disabledSources);
  for (const { id } of sources) {
    if (asked.sites[id] === true) off.delete(id);
    if (asked.sites[id] === false) off.add(id);
  }
  const change: { readonly [K in keyof ChatSettings]: ChatSettings[K] | undefined } = {
    ...ruled(chat, asked.channel, channelId),
    autoDetect: asked.links,
    osuLinks: asked['osu-links'],
    quotedLinks: asked.quotes,
    view: asked.view,
    captions: asked.captions,
    prefix: asked.prefix === NO_PREFIX ? null : asked.prefix,
    albumCap: asked.files === 0 ? null : asked.files,
    silent: asked.silent,
    suppressEmbeds: asked.embeds,
    deleteSource: asked['delete-links'],
    quietErrors: asked['quiet-errors'],
    noticeSeconds: asked.notices,
    language: asked.language,
    disabledSources: sources.some(({ id }) => asked.sites[id] !== undefined) ? [...off] : undefined,
  };
  const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** @throws AppError `invalid_request` where no more channels can have a rule than have it already */
export function checkChannels({ offChannels = [], onlyChannels = [] }: Partial<ChatSettings>): void {
  const n = MAX_CHANNEL_RULES;
  if (offChannels.length > n || onlyChannels.length > n) throw usageError('manyChannels', { n });
}

/** What goes for a channel now. */
export function ruleOf({ offChannels, onlyChannels }: ChatSettings, channelId: string): ChannelRule {
  if (offChannels.includes(channelId)) return 'off';
  return onlyChannels.includes(channelId) ? 'only' : 'on';
}

function ruled(
  { offChannels, onlyChannels }: ChatSettings,
  rule: ChannelRule | undefined,
  channelId: string,
): { readonly [K in 'offChannels' | 'onlyChannels']: readonly string[] | undefined } {
  if (rule === undefined) return { offChannels: undefined, onlyChannels: undefined };
  if (rule === 'everywhere') return { offChannels: [], onlyChannels: [] };
  const withIt = (channels: readonly string[], isIn: boolean) => [
    ...channels.filter(id => id !== channelId),
    ...(isIn ? [channelId] : []),
  ];
  return { offChannels: withIt(offChannels, rule === 'off'), onlyChannels: withIt(onlyChannels, rule === 'only') };
}
