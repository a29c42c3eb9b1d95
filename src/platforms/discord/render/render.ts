import {
  type APIComponentInContainer,
  type APIMediaGalleryItem,
  type APIMessageTopLevelComponent,
  ComponentType,
} from 'discord.js';
import type { Action, Block, Card, Choice, Heading, Reply, Text, Tone } from '../../../bot/contract/reply.ts';
import { reductionText } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink, Reduction } from '../../../media/delivery/delivery.ts';
import { type CommandIds, NO_COMMAND_IDS } from '../api/command-ids.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import {
  accessoryOf,
  type CardForm,
  countComponents,
  description,
  display,
  isFramed,
  lineCount,
  type Room,
  renderBlocks,
  textLength,
} from './block-components.ts';
import { type LinkAction, type RowContext, renderActions } from './buttons.ts';
import { escapeMarkdown, linkTarget, plainText, renderText } from './markdown-text.ts';

/** `refused`: Discord has said that it does not take it, whatever its size. `upload_timeout`: its upload took too long. */
export type LinkReason = DeliveredLink['reason'] | 'refused' | 'upload_timeout';

/** One file of a reply as it stands in the message. */
export type PlacedMedia =
  | {
      readonly kind: 'file';
      /** Of the attachment. */
      readonly name: string;
      readonly mime: string;
      readonly alt: string | null;
      readonly spoiler: boolean;
      readonly reduced?: Reduction | undefined;
      /** Which of how many items of the post, from 1. */
      readonly place: number;
      readonly of: number;
    }
  | {
      readonly kind: 'link';
      readonly url: string;
      readonly leadsTo: DeliveredLink['leadsTo'];
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
  /** Names of the attachments that hold its drawn pictures, by the picture's key. */
  readonly pictures?: ReadonlyMap<string, string>;
}

export interface RenderContext extends RowContext {
  readonly commands?: CommandIds;
}

/** Replies that share a message -> its components. Pure: everything that does not fit is shortened with an ellipsis. */
export function renderMessage(sections: readonly Section[], context: RenderContext): APIMessageTopLevelComponent[] {
  const shares = Math.max(1, sections.length);
  const text = Math.floor(MESSAGE_LIMITS.text / shares);
  const all = { text, components: MESSAGE_LIMITS.components };
  // What one leaves, the others may have; where that is too much for all of them together, each has its share.
  for (const isTight of [false, true]) {
    const components = renderSections(sections, { ...all, isTight }, context);
    if (components.reduce((total, each) => total + countComponents(each), 0) <= all.components) return components;
  }
  const share = { text, components: Math.floor(all.components / shares), isTight: true };
  return renderSections(sections, share, context);
}

type SectionRoom = Room & Pick<CardForm, 'isTight'>;

function renderSections(
  sections: readonly Section[],
  room: SectionRoom,
  context: RenderContext,
): APIMessageTopLevelComponent[] {
  const used = new Set<string>();
  return sections.map((section, index) => {
    const isLast = index === sections.length - 1;
    const accent = ACCENTS[section.reply.tone] ?? colourOf(section.reply);
    return {
      type: ComponentType.Container,
      ...(accent !== undefined && { accent_color: accent }),
      ...(section.reply.isHidden === true && { spoiler: true }),
      components: renderSection(
        section,
        room,
        used,
        isLast ? context : { ...context, deleteId: undefined, backId: undefined },
      ),
    };
  });
}

const ACCENTS: Readonly<Record<Tone, number | undefined>> = {
  neutral: undefined,
  success: undefined,
  notice: undefined,
  error: 0xc9473d,
};

/** A container has one; several colours have none in common. */
function colourOf({ colour, blocks }: Reply): number | undefined {
  const cards = blocks.flatMap(block => (block.kind === 'card' && block.colour ? [block.colour] : []));
  const colours = new Set(colour === undefined ? cards : [colour]);
  const [only = '', ...others] = colours;
  return others.length === 0 && /^#[0-9a-f]{6}$/i.test(only) ? Number.parseInt(only.slice(1), 16) : undefined;
}

/** As many covers, separators and lines as there is room for, in this order of what goes first: separators, covers, lines. */
function renderSection(
  section: Section,
  room: SectionRoom,
  used: Set<string>,
  context: RenderContext,
): APIComponentInContainer[] {
  const { actions } = section.reply;
  const blocks = withoutRepeats(section.reply.blocks, actions, used);
  const { shown, others } = linksWithin(actions);
  const content: Section = { ...section, reply: { ...section.reply, blocks: [...blocks, ...others] } };
  const framed = blocks.filter(isFramed);
  const cards = framed.filter(block => block.kind === 'card');
  for (const shape of formsOf(framed.length, { isTight: room.isTight, commands: context.commands ?? NO_COMMAND_IDS })) {
    const lines = linesWithin(content.reply.blocks, cards, room.text, shape);
    const form = { ...shape, lines };
    const tokens = new Set(used);
    const opening = openers(framed, actions, form);
    for (const action of opening) if (action.kind === 'button') tokens.delete(action.token);
    const rows = renderActions([...opening, ...shown], tokens, context);
    const left = room.components - 1 - rows.reduce((total, row) => total + countComponents(row), 0);
    const isEnough = sizeOf(content, form) <= left;
    if (!isEnough && (form.separated || form.accessories > 0)) continue;
    for (const token of tokens) used.add(token);
    return [...renderContent(content, { ...room, components: left }, form, context.t), ...rows];
  }
  return [];
}

/** A token may stand once among the buttons of a message: cards give way. */
function withoutRepeats(blocks: readonly Block[], actions: readonly Action[], used: Set<string>): readonly Block[] {
  const taken = new Set([...used, ...actions.flatMap(action => (action.kind === 'button' ? [action.token] : []))]);
  return blocks.map(block => {
    if (block.kind !== 'card' || block.action?.kind !== 'button') return block;
    const { action, ...card } = block;
    if (taken.has(action.token)) return card;
    taken.add(action.token);
    used.add(action.token);
    return block;
  });
}

type Shape = Omit<CardForm, 'lines'>;

function formsOf(framed: number, same: Pick<Shape, 'isTight' | 'commands'>): readonly Shape[] {
  const most = { ...same, accessories: framed, separated: true };
  const covers = Array.from({ length: framed + 1 }, (_, index) => {
    return { ...same, accessories: framed - index, separated: false };
  });
  return framed > 1 ? [most, ...covers] : covers;
}

function linesWithin(blocks: readonly Block[], cards: readonly Card[], room: number, shape: Shape): number {
  let lines = Math.max(0, ...cards.map(lineCount));
  while (lines > 0 && textLength(blocks, { ...shape, lines }) > room) lines -= 1;
  return lines;
}

/** Components that the content needs when nothing is left out. */
function sizeOf(section: Section, form: CardForm): number {
  const all = { text: Number.POSITIVE_INFINITY, components: Number.POSITIVE_INFINITY };
  const media = countMedia(section) + (section.media.some(isNoted) || section.omitted > 0 ? 1 : 0);
  const content = renderBlocks(section.reply.blocks, all, { pictures: section.pictures ?? NO_PICTURES, form });
  // One text more: the ellipsis of what is cut stands alone at times.
  return content.reduce((total, each) => total + countComponents(each), media + 2);
}

const NO_PICTURES: ReadonlyMap<string, string> = new Map();

/** What opens cards that have no button of their own beside them: one button, or a menu of all. Links are in their titles. */
function openers(
  framed: readonly (Card | Heading)[],
  actions: readonly Action[],
  { accessories }: CardForm,
): readonly Action[] {
  const offered = new Set(
    actions.flatMap(action => {
      if (action.kind === 'menu') return action.choices.map(({ token }) => token);
      return action.kind === 'button' ? [action.token] : [];
    }),
  );
  const left = framed.flatMap((card, index) => {
    if (card.kind === 'heading') return [];
    const { action, title, lines } = card;
    if (action?.kind !== 'button' || offered.has(action.token)) return [];
    const isBeside = index < accessories && accessoryOf(card)?.type === ComponentType.Button;
    return isBeside ? [] : [{ action, title, lines }];
  });
  const [first, ...others] = left;
  if (first === undefined || others.length === 0) return first ? [first.action] : [];
  const choices = left.map(({ action, title, lines }): Choice => {
    const name = plainText(title).trim();
    const detail = plainText(lines[0] ?? []).trim();
    return { label: name === '' ? action.label : name, detail, token: action.token };
  });
  return [{ kind: 'menu', label: first.action.label, choices }];
}

/** More links than this stand in the text. */
const MAX_LINKS = 10;

function linksWithin(actions: readonly Action[]): {
  readonly shown: readonly Action[];
  readonly others: readonly Block[];
} {
  const links = actions.filter(action => action.kind === 'link');
  const over = new Set<Action>(links.slice(MAX_LINKS));
  if (over.size === 0) return { shown: actions, others: [] };
  const text = links.slice(MAX_LINKS).flatMap(({ label, url }: LinkAction, index): Text => {
    return [...(index === 0 ? [] : [' · ']), { kind: 'link', url, children: [label] }];
  });
  return { shown: actions.filter(action => !over.has(action)), others: [{ kind: 'text', text }] };
}

function renderContent(section: Section, room: Room, form: CardForm, t: Translator): APIComponentInContainer[] {
  const media = renderMedia(section, t);
  const notes = renderNotes(section, t, Math.floor(room.text / 2));
  const left = {
    text: room.text - notes.length,
    components: room.components - media.length - (notes === '' ? 0 : 1),
  };
  return [
    ...renderBlocks(section.reply.blocks, left, { pictures: section.pictures ?? NO_PICTURES, form }),
    ...media,
    ...(notes === '' ? [] : [display(notes)]),
  ];
}

/** How many components they take. */
function countMedia({ media }: Section): number {
  const files = media.filter(({ kind }) => kind === 'file');
  const others = files.filter(placed => placed.kind === 'file' && !isShown(placed));
  return others.length + Number(others.length < files.length);
}

function isNoted(placed: PlacedMedia): boolean {
  return placed.kind === 'link' || placed.reduced !== undefined;
}

function isShown({ mime }: { readonly mime: string }): boolean {
  return /^(image|video)\//.test(mime);
}

/** Images and videos in one gallery, audio as files: Discord's gallery has none. */
function renderMedia({ media }: Section, t: Translator): APIComponentInContainer[] {
  const items: APIMediaGalleryItem[] = [];
  const files: APIComponentInContainer[] = [];
  for (const placed of media) {
    if (placed.kind !== 'file') continue;
    const url = `attachment://${placed.name}`;
    if (!isShown(placed)) {
      files.push({ type: ComponentType.File, file: { url }, spoiler: placed.spoiler });
      continue;
    }
    const alt = description(placed.alt) ?? wordsFor(placed, t);
    items.push({ media: { url }, spoiler: placed.spoiler, description: alt });
  }
  return [...(items.length > 0 ? [{ type: ComponentType.MediaGallery as const, items }] : []), ...files];
}

/** Of a file that its author has not described. */
function wordsFor({ mime, place, of }: Extract<PlacedMedia, { kind: 'file' }>, { messages }: Translator): string {
  const { photo, video } = messages.discord;
  const kind = mime.startsWith('video/') ? video : photo;
  return of > 1 ? `${kind} ${messages.post.itemOf({ n: place, total: of })}` : kind;
}

/** What could not be shown: why, and where it is. */
function renderNotes({ reply, media, omitted }: Section, t: Translator, room: number): string {
  const links = media.flatMap(placed => (placed.kind === 'link' ? [placed] : []));
  const lines: string[] = [];
  for (const words of new Set(links.map(link => reasonOf(link, t)))) {
    const own = links.filter(link => reasonOf(link, t) === words);
    lines.push([`-# ${escapeMarkdown(words)}`, ...own.map(link => noteLink(link, t))].join(' '));
  }
  for (const placed of media) {
    if (placed.kind === 'link' || placed.reduced === undefined) continue;
    const which = placed.of > 1 ? t.messages.post.itemOf({ n: placed.place, total: placed.of }) : undefined;
    lines.push(`-# ${renderText(reductionText(placed.reduced, t, which), room)}`);
  }
  if (omitted > 0) {
    const total = reply.gallery.length;
    lines.push(`-# … ${escapeMarkdown(t.messages.post.itemOf({ n: total - omitted, total }))}`);
  }
  return fitting(lines, room);
}

type PlacedLink = Extract<PlacedMedia, { kind: 'link' }>;

function reasonOf({ reason, leadsTo }: PlacedLink, t: Translator): string {
  if (reason === 'refused') return t.messages.discord.noFiles;
  if (reason === 'upload_timeout') return t.messages.discord.uploadSlow;
  return leadsTo === 'page' && reason === 'too_large' ? t.messages.post.tooLargeHere : t.error(reason);
}

function noteLink({ url, leadsTo, place, of }: PlacedLink, t: Translator): string {
  const target = linkTarget(url);
  const whole = leadsTo === 'page' ? t.messages.post.playHere : t.messages.post.openOriginal;
  const label = of > 1 ? t.messages.post.itemOf({ n: place, total: of }) : whole;
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
