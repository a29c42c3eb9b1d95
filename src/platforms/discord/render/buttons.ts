import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APISelectMenuOption,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { Action, Block, Choice, Reply } from '../../../bot/contract/reply.ts';
import { button, joined, link, textBlock } from '../../../bot/contract/reply-parts.ts';
import type { Request } from '../../../bot/contract/request.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { DISCORD_LIMITS, SHOWN } from '../api/limits.ts';
import { type DiscordReplyTo, eventIdOf } from '../api/reply-to.ts';
import { type CommandIds, shortenMarkdown } from './markdown-text.ts';

export type Row = APIActionRowComponent<APIComponentInMessageActionRow>;
type ButtonAction = Extract<Action, { kind: 'button' }>;
type LinkAction = Extract<Action, { kind: 'link' }>;
type MenuAction = Extract<Action, { kind: 'menu' }>;

export interface RenderContext {
  readonly t: Translator;
  /** The id of the delete button; undefined for no such button. */
  readonly deleteId: string | undefined;
  /** The id of the button to the message's previous content; undefined for no such button. */
  readonly backId?: string | undefined;
  readonly commands?: CommandIds;
}

/**
 * Renders menus, then buttons; if there are too many buttons, they become a menu as well. A token (custom id) may occur
 * only once in a message, so `used` collects the tokens of all its replies.
 */
export function renderActions(actions: readonly Action[], used: Set<string>, context: RenderContext): Row[] {
  const { t, deleteId, backId } = context;
  const { back, delete: remove } = t.messages.discord;
  const menus = actions.filter(action => action.kind === 'menu');
  const buttons = actions
    .filter(action => action.kind === 'button')
    .filter(({ token }) => {
      const isNew = !used.has(token);
      used.add(token);
      return isNew;
    });
  const isMenu = buttons.length > SHOWN.buttons;
  const shown: APIButtonComponent[] = [
    ...actions.flatMap(action => (action.kind === 'link' ? renderLink(action) : [])),
    ...(isMenu ? [] : buttons.map(renderButton)),
    ...(backId === undefined ? [] : [renderButton(button(back, backId))]),
    ...(deleteId === undefined ? [] : [renderButton(button(remove, deleteId))]),
  ];
  const all: readonly MenuAction[] = isMenu ? [...menus, { kind: 'menu', label: '', choices: buttons }] : menus;
  return [...all.flatMap(menu => renderMenu(menu, used)), ...inRows(shown)];
}

export function renderButton({ label, token, style }: ButtonAction): APIButtonComponent {
  return {
    type: ComponentType.Button,
    style: STYLES[style],
    label: labelOf(label, DISCORD_LIMITS.buttonLabel),
    custom_id: token,
  };
}

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  danger: ButtonStyle.Danger,
} as const;

/** A link button, or an empty list when the address cannot be opened. */
export function renderLink({ label, url }: LinkAction): APIButtonComponent[] {
  if (url.length > DISCORD_LIMITS.buttonUrl || !isMediaAddress(url)) return [];
  return [
    { type: ComponentType.Button, style: ButtonStyle.Link, label: labelOf(label, DISCORD_LIMITS.buttonLabel), url },
  ];
}

export function isMediaAddress(url: string): boolean {
  return url.length <= 2048 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function labelOf(label: string, max: number): string {
  const text = shortenMarkdown(label.trim(), max);
  return text === '' ? '…' : text;
}

/**
 * Renders a select menu with tokens as its options' values. The menu's own id is never read, but must be unique in the
 * message.
 */
function renderMenu({ label, choices }: MenuAction, used: Set<string>): Row[] {
  const byToken = new Map(choices.map(choice => [choice.token, choice]));
  const options = [...byToken.values()].slice(0, DISCORD_LIMITS.selectOptions).map(renderOption);
  if (options.length === 0) return [];
  const id = `menu:${used.size}:${options[0]?.value ?? ''}`;
  used.add(id);
  const placeholder = shortenMarkdown(label.trim(), DISCORD_LIMITS.placeholder);
  const select = {
    type: ComponentType.StringSelect as const,
    custom_id: id,
    ...(placeholder !== '' && { placeholder }),
    options,
  };
  return [{ type: ComponentType.ActionRow, components: [select] }];
}

function renderOption({ label, detail = '', isSet, token }: Choice): APISelectMenuOption {
  const description = shortenMarkdown(detail.trim(), DISCORD_LIMITS.optionLabel);
  return {
    label: labelOf(label, DISCORD_LIMITS.optionLabel),
    ...(description !== '' && { description }),
    ...(isSet === true && { default: true }),
    value: token,
  };
}

function inRows(buttons: readonly APIButtonComponent[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < buttons.length; at += DISCORD_LIMITS.buttonsPerRow) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(at, at + DISCORD_LIMITS.buttonsPerRow) });
  }
  return rows;
}

/** Leaves out a card's button if another button of the message has its token, which Discord accepts only once. */
export function withoutRepeats(blocks: readonly Block[], actions: readonly Action[], used: Set<string>) {
  const taken = new Set([...used, ...actions.flatMap(action => (action.kind === 'button' ? [action.token] : []))]);
  return blocks.map((block): Block => {
    if (block.kind !== 'card' || block.action?.kind !== 'button') return block;
    const { action, ...card } = block;
    if (taken.has(action.token)) return card;
    taken.add(action.token);
    used.add(action.token);
    return block;
  });
}

/** The most links that become buttons; all others go into the text. */
const MAX_LINKS = 10;

export function linksWithin(actions: readonly Action[]) {
  const links = actions.filter(action => action.kind === 'link');
  const over = new Set<Action>(links.slice(MAX_LINKS));
  if (over.size === 0) return { shown: actions, others: [] };
  const text = joined(links.slice(MAX_LINKS).map(({ url, label }) => [link(url, label)]));
  return { shown: actions.filter(action => !over.has(action)), others: [textBlock(text)] };
}

/** The id of the button that shows what the message showed before. */
export const BACK_ID = 'back';

/** The contents of a delete button's id, which only Medley can make. The requester and moderators may press it. */
export interface DeletedAnswer {
  readonly requesterId: string;
  /** The id of the asking message or interaction, by which all messages of the answer are found. */
  readonly answerId?: string;
  /** True when Medley was to hide the embed of the asking message; it is shown again when the answer is deleted. */
  readonly hidesEmbed?: boolean;
}

const SHAPE = /^delete:(\d{0,20})(?::(\d{1,20})(:embed)?)?$/;

/** The id of a delete button. It takes at most 56 of the 100 characters that Discord allows. */
function deleteButtonId({ requesterId, answerId, hidesEmbed = false }: DeletedAnswer): string {
  const answer =
    answerId !== undefined && /^\d{1,20}$/.test(answerId) ? `:${answerId}${hidesEmbed ? ':embed' : ''}` : '';
  return `delete:${requesterId}${answer}`;
}

/** Reads the id of a delete button; undefined for other buttons. */
export function matchDeleteButton(customId: string): DeletedAnswer | undefined {
  const [, requesterId, answerId, mark] = SHAPE.exec(customId) ?? [];
  if (requesterId === undefined) return undefined;
  return { requesterId, ...(answerId !== undefined && { answerId, hidesEmbed: mark !== undefined }) };
}

/** Finds the id of the delete button among the components of a message; undefined when there is none. */
export function findDeleteButton(components: unknown): string | undefined {
  return /"(delete:\d{0,20}(?::\d{1,20}(?::embed)?)?)"/.exec(JSON.stringify(components))?.[1];
}

/**
 * The id of the delete button of an answer. Undefined if only its reader sees the answer. An answer that replaces a
 * pressed button's message keeps that message's delete button, if it has one.
 * @param hidesEmbed true when Medley hides the embed of the asking message if the answer arrives
 */
export function deleteIdOf(to: DiscordReplyTo, request: Request, hidesEmbed: boolean): string | undefined {
  const requesterId = request.user.id;
  if (to.kind === 'message') return deleteButtonId({ requesterId, answerId: to.editId ?? to.messageId, hidesEmbed });
  if (to.pressed !== undefined) return to.pressed.deleteId;
  return to.isEphemeral ? undefined : deleteButtonId({ requesterId, answerId: eventIdOf(request) });
}

/** True when the reply, or a card in it, has a menu or a button. Buttons that only open a link do not count. */
export function hasButtons({ actions, blocks }: Reply): boolean {
  return (
    actions.some(({ kind }) => kind !== 'link') ||
    blocks.some(block => block.kind === 'card' && block.action !== undefined && block.action.kind !== 'link')
  );
}
