import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APISelectMenuOption,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { Action, Choice } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { MESSAGE_LIMITS, SHOWN } from '../api/limits.ts';
import { shorten } from './markdown-text.ts';

export type Row = APIActionRowComponent<APIComponentInMessageActionRow>;
export type ButtonAction = Extract<Action, { kind: 'button' }>;
export type LinkAction = Extract<Action, { kind: 'link' }>;
type MenuAction = Extract<Action, { kind: 'menu' }>;

export interface RowContext {
  readonly t: Translator;
  /** Of the button that deletes the message; without it there is none. */
  readonly deleteId: string | undefined;
  /** Of the button that leads back to what the message showed before; without it there is none. */
  readonly backId?: string | undefined;
}

/**
 * Menus first, then ways on as buttons; more than a few buttons become a menu too. A token stands once among the buttons of a
 * message: `used` knows those of the whole message.
 */
export function renderActions(actions: readonly Action[], used: Set<string>, context: RowContext): Row[] {
  const { t, deleteId, backId } = context;
  const { back, delete: remove } = t.messages.discord;
  const menus = actions.filter(action => action.kind === 'menu');
  const buttons = actions.filter(action => action.kind === 'button').filter(({ token }) => isNew(token, used));
  const isMenu = buttons.length > SHOWN.buttons;
  const shown: APIButtonComponent[] = [
    ...actions.flatMap(action => (action.kind === 'link' ? renderLink(action) : [])),
    ...(isMenu ? [] : buttons.map(renderButton)),
    ...(backId === undefined ? [] : [plainButton(backId, back)]),
    ...(deleteId === undefined ? [] : [plainButton(deleteId, remove)]),
  ];
  const all: readonly MenuAction[] = isMenu ? [...menus, { kind: 'menu', label: '', choices: buttons }] : menus;
  return [...all.flatMap(menu => renderMenu(menu, used)), ...inRows(shown)];
}

function isNew(token: string, used: Set<string>): boolean {
  if (used.has(token)) return false;
  used.add(token);
  return true;
}

export function renderButton({ label, token, style }: ButtonAction): APIButtonComponent {
  return { type: ComponentType.Button, style: STYLES[style], label: buttonLabel(label), custom_id: token };
}

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  danger: ButtonStyle.Danger,
} as const;

/** Empty where the address cannot be opened. */
export function renderLink({ label, url }: LinkAction): APIButtonComponent[] {
  if (url.length > MESSAGE_LIMITS.buttonUrl || !isMediaAddress(url)) return [];
  return [{ type: ComponentType.Button, style: ButtonStyle.Link, label: buttonLabel(label), url }];
}

export function isMediaAddress(url: string): boolean {
  return url.length <= 2048 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function plainButton(id: string, label: string): APIButtonComponent {
  return { type: ComponentType.Button, style: ButtonStyle.Secondary, label: buttonLabel(label), custom_id: id };
}

function buttonLabel(label: string): string {
  return labelOf(label, MESSAGE_LIMITS.buttonLabel);
}

function labelOf(label: string, max: number): string {
  const text = shorten(label.trim(), max);
  return text === '' ? '…' : text;
}

/** The choice is the token; the menu's own id says nothing. */
function renderMenu({ label, choices }: MenuAction, used: Set<string>): Row[] {
  const byToken = new Map(choices.map(choice => [choice.token, choice]));
  const options = [...byToken.values()].slice(0, MESSAGE_LIMITS.selectOptions).map(renderOption);
  if (options.length === 0) return [];
  const id = `menu:${used.size}:${options[0]?.value ?? ''}`;
  used.add(id);
  const placeholder = shorten(label.trim(), MESSAGE_LIMITS.placeholder);
  const select = {
    type: ComponentType.StringSelect as const,
    custom_id: id,
    ...(placeholder !== '' && { placeholder }),
    options,
  };
  return [{ type: ComponentType.ActionRow, components: [select] }];
}

function renderOption({ label, detail = '', isSet, token }: Choice): APISelectMenuOption {
  const description = shorten(detail.trim(), MESSAGE_LIMITS.optionLabel);
  return {
    label: labelOf(label, MESSAGE_LIMITS.optionLabel),
    ...(description !== '' && { description }),
    ...(isSet === true && { default: true }),
    value: token,
  };
}

function inRows(buttons: readonly APIButtonComponent[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < buttons.length; at += MESSAGE_LIMITS.buttonsPerRow) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(at, at + MESSAGE_LIMITS.buttonsPerRow) });
  }
  return rows;
}
