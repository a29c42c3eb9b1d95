import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInContainer,
  type APIComponentInMessageActionRow,
  type APIMediaGalleryItem,
  type APIMessageTopLevelComponent,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import { type PlainBlock, plainActions, plainBlocks } from '../../bot/plain-blocks.ts';
import type { Action, Reply, Tone } from '../../bot/reply.ts';
import type { Translator } from '../../i18n/translate.ts';
import { MESSAGE_LIMITS, SHOWN } from './limits.ts';
import { escapeMarkdown, linkTarget, renderText, shorten } from './markdown-text.ts';
import type { LinkReason } from './uploads.ts';

/** One file of a reply as it stands in the message. */
export type PlacedMedia =
  | {
      readonly kind: 'file';
      /** Of the attachment. */
      readonly name: string;
      readonly mime: string;
      readonly alt: string | null;
      readonly spoiler: boolean;
    }
  | {
      readonly kind: 'link';
      readonly url: string;
      readonly reason: LinkReason;
      /** Which of how many items of the post, from 1. */
      readonly place: number;
      readonly of: number;
    };

/** A reply with what became of its gallery. */
export interface Section {
  readonly reply: Reply;
  readonly media: readonly PlacedMedia[];
  /** Items of the gallery that are not shown at all. */
  readonly omitted: number;
}

export interface RenderContext {
  readonly t: Translator;
  /** Of the button that deletes the message; without it there is none. */
  readonly deleteId: string | undefined;
}

/** Replies that share a message -> its components. Pure: everything that does not fit is shortened with an ellipsis. */
export function renderMessage(sections: readonly Section[], context: RenderContext): APIMessageTopLevelComponent[] {
  const room = {
    text: Math.floor(MESSAGE_LIMITS.text / Math.max(1, sections.length)),
    components: Math.floor(MESSAGE_LIMITS.components / Math.max(1, sections.length)),
  };
  const used = new Set<string>();
  return sections.map((section, index) => {
    const isLast = index === sections.length - 1;
    const rows = renderActions(
      plainActions(section.reply.blocks, section.reply.actions),
      used,
      isLast ? context : { ...context, deleteId: undefined },
    );
    const left = room.components - 1 - rows.reduce((total, row) => total + countComponents(row), 0);
    const accent = ACCENTS[section.reply.tone];
    return {
      type: ComponentType.Container,
      ...(accent !== undefined && { accent_color: accent }),
      components: [...renderContent(section, { ...room, components: left }, context.t), ...rows],
    };
  });
}

/** All of them, nested ones too. */
export function countComponents(component: object): number {
  const nested = 'components' in component && Array.isArray(component.components) ? component.components : [];
  return nested.reduce<number>((total, each) => total + (isObject(each) ? countComponents(each) : 0), 1);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const ACCENTS: Readonly<Record<Tone, number | undefined>> = {
  neutral: undefined,
  success: undefined,
  notice: undefined,
  error: 0xc9473d,
};

interface Room {
  readonly text: number;
  readonly components: number;
}

function renderContent(section: Section, room: Room, t: Translator): APIComponentInContainer[] {
  const media = renderMedia(section);
  const notes = renderNotes(section, t, Math.floor(room.text / 2));
  const left = {
    text: room.text - notes.length,
    components: room.components - media.length - (notes === '' ? 0 : 1),
  };
  return [
    ...renderBlocks(plainBlocks(section.reply.blocks), left),
    ...media,
    ...(notes === '' ? [] : [display(notes)]),
  ];
}

function display(content: string): APIComponentInContainer {
  return { type: ComponentType.TextDisplay, content };
}

/** Texts that follow each other share a display. */
function renderBlocks(blocks: readonly PlainBlock[], room: Room): APIComponentInContainer[] {
  const components: APIComponentInContainer[] = [];
  let lines: string[] = [];
  let left = room.text;
  let cut = false;

  function write(text: string): void {
    lines.push(text);
    left -= text.length + 1;
  }

  function flush(): void {
    const text = lines.join('\n').trim();
    if (text !== '') components.push(display(text));
    lines = [];
  }

  function place(block: PlainBlock): boolean {
    const component = renderComponent(block);
    if (component) {
      // One more for the text before it and one for what may follow.
      if (components.length + 2 >= room.components) return false;
      flush();
      components.push(component);
      return true;
    }
    const text = renderTextBlock(block, left - 1);
    if (text !== undefined && text !== '') write(text);
    return text !== undefined;
  }

  for (const block of blocks) cut = !place(block) || cut;
  if (cut && left > 1 && lines.at(-1)?.endsWith('…') !== true) write('…');
  flush();
  return components;
}

function renderComponent(block: PlainBlock): APIComponentInContainer | undefined {
  if (block.kind === 'divider') return { type: ComponentType.Separator, divider: true };
  if (block.kind !== 'image' || !isMediaAddress(block.url)) return undefined;
  const alt = description(block.alt);
  return { type: ComponentType.MediaGallery, items: [{ media: { url: block.url }, ...(alt && { description: alt }) }] };
}

/** Undefined when there is no room for it. */
function renderTextBlock(block: PlainBlock, room: number): string | undefined {
  switch (block.kind) {
    case 'heading':
      return room < HEADING.length + 2 ? undefined : prefixed(HEADING, block.text, Math.min(SHOWN.heading, room));
    case 'text':
      return room < 2 ? undefined : renderText(block.text, Math.min(block.folded ? SHOWN.folded : room, room)).trim();
    case 'fields':
      return renderFields(block.fields, room);
    case 'image': {
      const label = block.alt === '' ? block.url : block.alt;
      return room < 2 ? undefined : renderText([{ kind: 'link', url: block.url, children: [label] }], room);
    }
    case 'divider':
      return undefined;
  }
}

const HEADING = '### ';

function prefixed(prefix: string, text: Extract<PlainBlock, { kind: 'heading' }>['text'], max: number): string {
  const line = renderText(text, max - prefix.length)
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? '' : `${prefix}${line}`;
}

function renderFields(fields: Extract<PlainBlock, { kind: 'fields' }>['fields'], room: number): string | undefined {
  const lines: string[] = [];
  let left = room;
  for (const { label, value } of fields.slice(0, SHOWN.fields)) {
    const text = [{ kind: 'strong' as const, children: [shorten(label, SHOWN.fieldLabel)] }, '\u2002', ...value];
    if (left < MIN_FIELD) break;
    const line = renderText(text, Math.min(SHOWN.fieldLabel + SHOWN.fieldValue, left));
    lines.push(line);
    left -= line.length + 1;
  }
  if (lines.length < fields.length && left > 1) lines.push('…');
  return lines.length === 0 ? undefined : lines.join('\n');
}

const MIN_FIELD = 16;

/** Pictures and films in one gallery, sounds as files: Discord's gallery shows no sound. */
function renderMedia({ media }: Section): APIComponentInContainer[] {
  const items: APIMediaGalleryItem[] = [];
  const files: APIComponentInContainer[] = [];
  for (const placed of media) {
    if (placed.kind !== 'file') continue;
    const url = `attachment://${placed.name}`;
    if (!/^(image|video)\//.test(placed.mime)) {
      files.push({ type: ComponentType.File, file: { url }, spoiler: placed.spoiler });
      continue;
    }
    const alt = description(placed.alt);
    items.push({ media: { url }, spoiler: placed.spoiler, ...(alt && { description: alt }) });
  }
  return [...(items.length > 0 ? [{ type: ComponentType.MediaGallery as const, items }] : []), ...files];
}

function description(alt: string | null): string | undefined {
  const text = shorten((alt ?? '').trim(), MESSAGE_LIMITS.alt);
  return text === '' ? undefined : text;
}

/** What could not be shown: why, and where it is. */
function renderNotes({ reply, media, omitted }: Section, t: Translator, room: number): string {
  const links = media.flatMap(placed => (placed.kind === 'link' ? [placed] : []));
  const lines: string[] = [];
  for (const reason of new Set(links.map(link => link.reason))) {
    const own = links.filter(link => link.reason === reason);
    const words = reason === 'refused' ? t.messages.discord.noFiles : t.messages.errors[reason]({});
    const sentence = escapeMarkdown(words);
    lines.push([`-# ${sentence}`, ...own.map(link => noteLink(link, t))].join(' '));
  }
  if (omitted > 0) {
    const total = reply.gallery.length;
    lines.push(`-# … ${escapeMarkdown(t.messages.post.itemOf(total - omitted, total))}`);
  }
  return fitting(lines, room);
}

function noteLink({ url, place, of }: Extract<PlacedMedia, { kind: 'link' }>, t: Translator): string {
  const target = linkTarget(url);
  const label = of > 1 ? t.messages.post.itemOf(place, of) : t.messages.post.openOriginal;
  return target === undefined ? escapeMarkdown(label) : `[${escapeMarkdown(label)}](${target})`;
}

/** Whole words only: half an address leads nowhere. */
function fitting(lines: readonly string[], room: number): string {
  const text = lines.join('\n');
  if (text.length <= room) return text;
  const cut = text.slice(0, room - 2);
  const end = Math.max(cut.lastIndexOf(') '), cut.lastIndexOf('\n'));
  return end <= 0 ? '' : `${cut.slice(0, end + 1).trimEnd()} …`;
}

function isMediaAddress(url: string): boolean {
  return url.length <= 2048 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

/** Ways on as buttons; more than a few become a menu. A token stands once in a message. */
function renderActions(actions: readonly Action[], used: Set<string>, { t, deleteId }: RenderContext): Row[] {
  const pressable = actions.filter(action => action.kind === 'button' && !used.has(action.token));
  const tokens = pressable.flatMap(action => (action.kind === 'button' ? [action] : []));
  for (const { token } of tokens) used.add(token);
  const isMenu = tokens.length > SHOWN.buttons;
  const buttons: APIButtonComponent[] = [
    ...actions.flatMap(action => (action.kind === 'link' ? renderLink(action) : [])),
    ...(isMenu ? [] : tokens.map(renderButton)),
    ...(deleteId === undefined ? [] : [deleteButton(deleteId, t)]),
  ];
  return [...(isMenu ? [renderMenu(tokens)] : []), ...inRows(buttons)];
}

function renderLink({ label, url }: Extract<Action, { kind: 'link' }>): APIButtonComponent[] {
  if (url.length > MESSAGE_LIMITS.buttonUrl || !isMediaAddress(url)) return [];
  return [{ type: ComponentType.Button, style: ButtonStyle.Link, label: buttonLabel(label), url }];
}

type ButtonAction = Extract<Action, { kind: 'button' }>;

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  danger: ButtonStyle.Danger,
} as const;

function renderButton({ label, token, style }: ButtonAction): APIButtonComponent {
  return { type: ComponentType.Button, style: STYLES[style], label: buttonLabel(label), custom_id: token };
}

function deleteButton(id: string, t: Translator): APIButtonComponent {
  const label = buttonLabel(t.messages.discord.delete);
  return { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: id };
}

function buttonLabel(label: string): string {
  return shorten(label, MESSAGE_LIMITS.buttonLabel);
}

/** The choice is the token; the menu's own id says nothing. */
function renderMenu(tokens: readonly ButtonAction[]): Row {
  const options = tokens.slice(0, MESSAGE_LIMITS.selectOptions).map(({ label, token }) => ({
    label: shorten(label, MESSAGE_LIMITS.optionLabel),
    value: token,
  }));
  const id = `menu:${tokens[0]?.token ?? ''}`;
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.StringSelect, custom_id: id, options }],
  };
}

function inRows(buttons: readonly APIButtonComponent[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < buttons.length; at += MESSAGE_LIMITS.buttonsPerRow) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(at, at + MESSAGE_LIMITS.buttonsPerRow) });
  }
  return rows;
}
