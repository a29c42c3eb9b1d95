import { escapeHtml } from './html.ts';

/** Discord's markdown as HTML, as far as Medley writes it. */
export function renderMarkdown(text: string): string {
  return text.replace(ITALIC_LINES, italicLines).split('\n').reduce<readonly string[]>(appendLine, []).join('');
}

/** Discord goes on with italics in the next line. */
const ITALIC_LINES = /(?<![*\\])\*(?=[^\s*])([^*]*\n[^*]*)\*(?!\*)/g;
const italicLines = (_: string, inner: string) => inner.replace(/.+/g, '*$&*');

function appendLine(lines: readonly string[], line: string): readonly string[] {
  const [, marks = '', rest = line] = /^(-# |#{1,3} |> |- )(.*)$/.exec(line) ?? [];
  return [...lines, wrap(marks, renderInline(rest))];
}

function wrap(marks: string, inner: string): string {
  if (marks === '-# ') return `<div class="subtext">${inner}</div>`;
  if (marks === '> ') return `<blockquote>${inner}</blockquote>`;
  if (marks === '- ') return `<div class="bullet">${inner}</div>`;
  if (marks.startsWith('#')) return `<div class="heading-${marks.trim().length}">${inner}</div>`;
  return `<div>${inner === '' ? '&nbsp;' : inner}</div>`;
}

const INLINE =
  /\\([^A-Za-z\d\s])|`([^`]+)`|\*\*(.+?)\*\*|~~(.+?)~~|\|\|(.+?)\|\||__(.+?)__|\*([^*]+)\*|\[((?:\\.|\[[^\]]*\]|[^\]\\])+)\]\(<?([^)>\s]+)>?[^)]*\)|<t:(\d+)(?::\w)?>|<@!?(\d+)>|<\/([^:>]+):\d+>|<?(https:\/\/[^\s>)]+)>?/g;

function renderInline(text: string): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(at, match.index)) + renderMatch(match);
    at = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

function renderMatch(match: RegExpMatchArray): string {
  const [, escaped, code, bold, struck, hidden, underlined, italic, label, , moment, user, command, address] = match;
  if (escaped !== undefined) return escapeHtml(escaped);
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`;
  if (bold !== undefined) return `<b>${renderInline(bold)}</b>`;
  if (struck !== undefined) return `<s>${renderInline(struck)}</s>`;
  if (hidden !== undefined) return `<span class="spoiler">${renderInline(hidden)}</span>`;
  if (underlined !== undefined) return `<u>${renderInline(underlined)}</u>`;
  if (italic !== undefined) return `<i>${renderInline(italic)}</i>`;
  if (label !== undefined) return `<a>${renderInline(label)}</a>`;
  if (moment !== undefined) return `<span class="time">${agoOf(Number(moment) * 1000)}</span>`;
  if (user !== undefined) return '<span class="mention">@Sari</span>';
  if (command !== undefined) return `<span class="mention">/${escapeHtml(command)}</span>`;
  return `<a>${escapeHtml(address ?? '')}</a>`;
}

const DAY_MS = 86_400_000;

function agoOf(moment: number): string {
  const days = Math.round((Date.now() - moment) / DAY_MS);
  if (days < 1) return 'today';
  if (days < 60) return `${days} days ago`;
  return days < 700 ? `${Math.round(days / 30)} months ago` : `${Math.round(days / 365)} years ago`;
}
