import {
  type APIComponentInContainer,
  type APIMediaGalleryItem,
  type APIMessageTopLevelComponent,
  ComponentType,
} from 'discord.js';
import type { Action, Block, Card, Choice, PictureBlock, Reply, Tone } from '../../../bot/contract/reply.ts';
import { asRows, linesOf, withPictures } from '../../../bot/contract/reply-parts.ts';
import { linkReason, reductionText } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink, Reduction } from '../../../media/delivery/delivery.ts';
import { DISCORD_LIMITS } from '../api/limits.ts';
import {
  accessoryOf,
  type CardForm,
  countComponents,
  description,
  display,
  isFramed,
  type PictureNames,
  renderContainer,
  type Space,
  textLength,
} from './block-components.ts';
import { linksWithin, type RenderContext, renderActions, withoutRepeats } from './buttons.ts';
import { escapeMarkdown, joinLinks, linkTarget, NO_COMMAND_IDS, plainText, renderMarkdown } from './markdown-text.ts';

/** Why a file became a link. `refused`: Discord accepts it in no size; `upload_timeout`: uploading it took too long. */
export type LinkReason = DeliveredLink['reason'] | 'refused' | 'upload_timeout';

/** One item of a gallery, as a file of the message or as a link. */
export type PlacedMedia = PlacedFile | PlacedLink;

interface InPost {
  /** The item's place in its post, from 1. */
  readonly place: number;
  readonly of: number;
}

interface PlacedFile extends InPost {
  readonly kind: 'file';
  /** The name of the attachment. */
  readonly name: string;
  readonly mime: string;
  readonly alt: string | null;
  readonly spoiler: boolean;
  readonly reduced?: Reduction | undefined;
}

/** The address of a file that could not be sent. */
export interface FileLink extends Omit<DeliveredLink, 'reason'> {
  readonly reason: LinkReason;
}

type PlacedLink = InPost & FileLink;

/** A reply with its files, or the links that replace them. */
export interface ReplySection {
  readonly reply: Reply;
  readonly media: readonly PlacedMedia[];
  /** How many items of the gallery are not shown. */
  readonly omitted: number;
  readonly pictures?: PictureNames;
}

/** Renders replies that share a message as its components. Pure: what does not fit is shortened with an ellipsis. */
export function renderMessage(
  sections: readonly ReplySection[],
  context: RenderContext,
): APIMessageTopLevelComponent[] {
  const shares = Math.max(1, sections.length);
  const text = Math.floor(DISCORD_LIMITS.text / shares);
  const all = { text, components: DISCORD_LIMITS.components };
  // At first each reply may take as many components as a message can have. If the components of all replies together
  // are too many even in the tight form, each reply gets an equal share of them.
  for (const isTight of [false, true]) {
    const components = renderSections(sections, { ...all, isTight }, context);
    if (components.reduce((total, each) => total + countComponents(each), 0) <= all.components) return components;
  }
  const share = { text, components: Math.floor(all.components / shares), isTight: true };
  return renderSections(sections, share, context);
}

type SectionRoom = Space & Pick<CardForm, 'isTight'>;

function renderSections(sections: readonly ReplySection[], space: SectionRoom, context: RenderContext) {
  const used = new Set<string>();
  return sections.map((section, index): APIMessageTopLevelComponent => {
    // The buttons that belong to the whole message are in its last section.
    const own = index === sections.length - 1 ? context : { ...context, deleteId: undefined, backId: undefined };
    const accent = ACCENTS[section.reply.tone] ?? colourOf(section.reply);
    return {
      type: ComponentType.Container,
      ...(accent !== undefined && { accent_color: accent }),
      ...(section.reply.isHidden === true && { spoiler: true }),
      components: renderSection(section, space, used, own),
    };
  });
}

const ACCENTS: Readonly<Record<Tone, number | undefined>> = {
  neutral: undefined,
  success: undefined,
  notice: undefined,
  error: 0xc9473d,
};

/** The reply's colour, or else the one that all its cards have; undefined if they differ. */
function colourOf({ colour, blocks }: Reply): number | undefined {
  const words = withPictures(blocks, () => false);
  const cards = words.flatMap(block => (block.kind === 'card' && block.colour ? [block.colour] : []));
  const colours = new Set(colour === undefined ? cards : [colour]);
  const [only = '', ...others] = colours;
  return others.length === 0 && /^#[0-9a-f]{6}$/i.test(only) ? Number.parseInt(only.slice(1), 16) : undefined;
}

/** Renders a reply. Until it fits, it leaves out separators, then images beside the text, then lines of cards. */
function renderSection(
  section: ReplySection,
  space: SectionRoom,
  used: Set<string>,
  context: RenderContext,
): APIComponentInContainer[] {
  const { reply, pictures = NO_PICTURES } = section;
  const isDrawn = ({ picture }: PictureBlock) => pictures.has(picture.key);
  const blocks = withoutRepeats(asRows(withPictures(reply.blocks, isDrawn)), reply.actions, used);
  const { shown, others } = linksWithin(reply.actions);
  const content = [...blocks, ...others];
  const framed = blocks.filter(isFramed);
  const cards = framed.filter(block => block.kind === 'card');
  const notes = renderNotes(section, context.t, Math.floor(space.text / 2));
  const below = [...renderMedia(section, context.t), ...(notes === '' ? [] : [display(notes)])];
  for (const shape of formsOf(framed.length, {
    isTight: space.isTight,
    isList: cards.length > 1,
    commands: context.commands ?? NO_COMMAND_IDS,
  })) {
    const form = { ...shape, lines: linesWithin(content, cards, space.text, shape) };
    const tokens = new Set(used);
    const opening = openers(framed, reply.actions, form.accessories);
    for (const action of opening) if (action.kind === 'button') tokens.delete(action.token);
    const rows = renderActions([...opening, ...shown], tokens, context);
    const components = space.components - 1 - below.length - rows.reduce((sum, row) => sum + countComponents(row), 0);
    const all = { text: Number.POSITIVE_INFINITY, components: Number.POSITIVE_INFINITY };
    // The sum starts at 2: one for the container, one for the ellipsis of a cut text, which may be a component.
    const needed = renderContainer(content, all, form, pictures).reduce((sum, each) => sum + countComponents(each), 2);
    const isEnough = needed <= components;
    if (!isEnough && (form.separated || form.accessories > 0)) continue;
    for (const token of tokens) used.add(token);
    const left = { text: space.text - notes.length, components };
    return [...renderContainer(content, left, form, pictures), ...below, ...rows];
  }
  return [];
}

type Shape = Omit<CardForm, 'lines'>;

function formsOf(framed: number, same: Pick<Shape, 'isTight' | 'isList' | 'commands'>): readonly Shape[] {
  const most = { ...same, accessories: framed, separated: true };
  const covers = Array.from({ length: framed + 1 }, (_, index) => {
    return { ...same, accessories: framed - index, separated: false };
  });
  return framed > 1 ? [most, ...covers] : covers;
}

function linesWithin(blocks: readonly Block[], cards: readonly Card[], space: number, shape: Shape): number {
  let lines = Math.max(0, ...cards.map(card => linesOf(card).length));
  while (lines > 0 && textLength(blocks, { ...shape, lines }) > space) lines -= 1;
  return lines;
}

const NO_PICTURES: PictureNames = new Map();

/**
 * The actions that open those cards which have no button beside them: the button of one card, or a menu for several. A
 * card with a link needs none, since its title is the link.
 */
function openers(framed: readonly Block[], actions: readonly Action[], accessories: number): readonly Action[] {
  const offered = new Set(
    actions.flatMap(action => {
      if (action.kind === 'menu') return action.choices.map(({ token }) => token);
      return action.kind === 'button' ? [action.token] : [];
    }),
  );
  const left = framed.flatMap((card, index) => {
    if (card.kind !== 'card') return [];
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

/** Puts images and videos into a gallery, but audio into file components, because galleries accept no audio. */
function renderMedia({ media }: ReplySection, t: Translator): APIComponentInContainer[] {
  const { photo, video } = t.messages.discord;
  const items: APIMediaGalleryItem[] = [];
  const files: APIComponentInContainer[] = [];
  for (const placed of media) {
    if (placed.kind !== 'file') continue;
    const url = `attachment://${placed.name}`;
    if (!/^(image|video)\//.test(placed.mime)) {
      files.push({ type: ComponentType.File, file: { url }, spoiler: placed.spoiler });
      continue;
    }
    const { mime, alt, spoiler, place, of } = placed;
    const kind = mime.startsWith('video/') ? video : photo;
    const words = of > 1 ? `${kind} ${t.messages.post.itemOf({ n: place, total: of })}` : kind;
    items.push({ media: { url }, spoiler, description: description(alt) ?? words });
  }
  return [...(items.length > 0 ? [{ type: ComponentType.MediaGallery as const, items }] : []), ...files];
}

/** Says which files are missing, smaller or left out, why, and where the originals are. */
function renderNotes({ reply, media, omitted }: ReplySection, t: Translator, space: number): string {
  const links = media.flatMap(placed => (placed.kind === 'link' ? [placed] : []));
  const lines: string[] = [];
  for (const words of new Set(links.map(link => reasonOf(link, t)))) {
    const own = links.filter(link => reasonOf(link, t) === words);
    lines.push([`-# ${escapeMarkdown(words)}`, ...own.map(link => noteLink(link, t))].join(' '));
  }
  for (const placed of media) {
    if (placed.kind === 'link' || placed.reduced === undefined) continue;
    const which = placed.of > 1 ? t.messages.post.itemOf({ n: placed.place, total: placed.of }) : undefined;
    lines.push(`-# ${renderMarkdown(reductionText(placed.reduced, t, which), space)}`);
  }
  if (omitted > 0) {
    const total = reply.gallery.length;
    lines.push(`-# … ${escapeMarkdown(t.messages.post.itemOf({ n: total - omitted, total }))}`);
  }
  return joinLinks(lines, space);
}

function reasonOf({ reason, leadsTo }: PlacedLink, t: Translator): string {
  if (reason === 'refused') return t.messages.discord.noFiles;
  if (reason === 'upload_timeout') return t.messages.discord.uploadSlow;
  return linkReason({ reason, leadsTo }, t);
}

function noteLink({ url, leadsTo, place, of }: PlacedLink, t: Translator): string {
  const target = linkTarget(url);
  const whole = leadsTo === 'page' ? t.messages.post.playHere : t.messages.post.openOriginal;
  const label = of > 1 ? t.messages.post.itemOf({ n: place, total: of }) : whole;
  return target === undefined ? escapeMarkdown(label) : `[${escapeMarkdown(label)}](${target})`;
}
