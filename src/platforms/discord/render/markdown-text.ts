import type { Inline, Text } from '../../../bot/contract/reply.ts';
import { withSpotsKept } from '../../../bot/contract/reply-parts.ts';

/** How many characters are left for a text that is being written. */
interface TextBudget {
  left: number;
  readonly commands: CommandIds;
}

const ELLIPSIS = '…';

/** Renders text as Discord's markdown of at most `maxLength`; what does not fit is cut, with an ellipsis. */
export function renderMarkdown(text: Text, maxLength: number, commands: CommandIds = NO_COMMAND_IDS): string {
  return renderInlines(withSpotsKept(text), { left: maxLength, commands });
}

function renderInlines(text: Text, budget: TextBudget): string {
  let written = '';
  for (const inline of text) {
    if (budget.left <= 0) break;
    const { left } = budget;
    const next = renderInline(inline, budget);
    if (next.length > left) break;
    budget.left = Math.min(budget.left, left - next.length);
    written += next;
  }
  return written;
}

function renderInline(inline: Inline, budget: TextBudget): string {
  if (typeof inline === 'string') return spend(escapeMarkdown(inline), budget);
  switch (inline.kind) {
    case 'strong':
      return wrapped('**', inline.children, '**', budget);
    case 'emphasis':
      return wrapped('*', inline.children, '*', budget);
    case 'code':
      return codeSpan(plainText(inline.children), budget);
    case 'time':
      return whole(`<t:${Math.floor(inline.at / 1000)}:${inline.style === 'date' ? 'D' : 'R'}>`, budget);
    case 'command': {
      const mention = commandMention(inline.name, budget.commands);
      return mention === undefined ? spend(`/${inline.name}`, budget) : whole(mention, budget);
    }
    case 'role':
      return /^\d{1,20}$/.test(inline.id) ? whole(`<@&${inline.id}>`, budget) : '';
    case 'swatch':
      return spend(inline.symbol, budget);
    case 'link': {
      const url = linkTarget(inline.url);
      if (url === undefined) return renderInlines(inline.children, budget);
      return wrapped('[', inline.children, `](${url})`, budget);
    }
  }
}

/** Writes a mention or a time whole or not at all, since people would see half of `<t:0:R>` as text. */
function whole(markup: string, budget: TextBudget): string {
  return markup.length <= budget.left ? markup : exhausted(budget);
}

/** Puts marks around a text, but not around an empty text, where Discord would show the marks. */
function wrapped(open: string, children: Text, close: string, budget: TextBudget): string {
  const space = budget.left - open.length - close.length;
  if (space < 1) return exhausted(budget);
  const inside = renderInlines(children, { left: space, commands: budget.commands });
  return inside.trim() === '' ? '' : `${open}${inside}${close}`;
}

function codeSpan(text: string, budget: TextBudget): string {
  const space = budget.left - 2;
  if (space < 1) return exhausted(budget);
  const inside = shortenMarkdown(text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ').trim(), space);
  return inside === '' ? '' : `\`${inside}\``;
}

/** The text without markup, for parts of a message that have none. */
export function plainText(text: Text): string {
  return text
    .map(inline => {
      if (typeof inline === 'string') return inline;
      if (inline.kind === 'swatch') return inline.symbol;
      if (inline.kind === 'command') return `/${inline.name}`;
      return 'children' in inline ? plainText(inline.children) : '';
    })
    .join('');
}

function exhausted(budget: TextBudget): string {
  const mark = budget.left > 0 ? ELLIPSIS : '';
  budget.left = 0;
  return mark;
}

function spend(markdown: string, budget: TextBudget): string {
  if (markdown.length <= budget.left) return markdown;
  const kept = shortenMarkdown(markdown, budget.left);
  budget.left = 0;
  return kept;
}

/** Cuts a text to `max` characters with an ellipsis, but never within a surrogate pair or an escape. */
export function shortenMarkdown(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  const cut = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  const slashes = /\\*$/.exec(cut)?.[0].length ?? 0;
  return `${(slashes % 2 === 1 ? cut.slice(0, -1) : cut).trimEnd()}${ELLIPSIS}`;
}

/** Matches addresses in which no markup can begin, so that they need no escaping. */
const ADDRESS = /https?:\/\/[\w.~:/?#@!$&'+,;=%-]{1,2048}/g;

/** Escapes foreign text so that Discord shows it literally, with no markup, mention, masked link, list or heading. */
export function escapeMarkdown(text: string): string {
  let escaped = '';
  let from = 0;
  for (const match of text.matchAll(ADDRESS)) {
    escaped += escapePlain(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  escaped += escapePlain(text.slice(from));
  return escaped.replace(/\n{3,}/g, '\n\n');
}

function escapePlain(text: string): string {
  return text
    .replace(/[\\*_~`|[\]<>]/g, '\\$&')
    .replace(/^([ \t]{0,16})(-#|#{1,3}|-|\+)(?=[ \t])/gm, '$1\\$2')
    .replace(/^([ \t]{0,16}\d{1,9})\.(?=[ \t])/gm, '$1\\.')
    .replace(/@(?=everyone|here|[!&]?\d)/g, '@\u200b');
}

/** Encodes a web address for `[text](address)`; undefined for one that is not valid. */
export function linkTarget(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return href.replace(/[()<>\s\\]/g, character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/**
 * Joins lines of links to at most `space` characters. It cuts only between links, or before the first one, as half an
 * address is of no use.
 */
export function joinLinks(lines: readonly string[], space: number): string {
  const text = lines.join('\n');
  if (text.length <= space) return text;
  const cut = text.slice(0, space - 2);
  const between = Math.max(cut.lastIndexOf(') '), cut.lastIndexOf('\n'));
  const end = between > 0 ? between : cut.lastIndexOf(' [');
  return end <= 0 ? '' : `${cut.slice(0, end + 1).trimEnd()} …`;
}

/** The ids of registered commands by name. A subcommand has the id of its group, which the first word names. */
export type CommandIds = ReadonlyMap<string, string>;

export const NO_COMMAND_IDS: CommandIds = new Map();

/** A mention by which people can click a command; undefined while its id is not known. */
export function commandMention(name: string, ids: CommandIds): string | undefined {
  const id = ids.get(name.split(' ', 1)[0] ?? name);
  return id === undefined ? undefined : `</${name}:${id}>`;
}
