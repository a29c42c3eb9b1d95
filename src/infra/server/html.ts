import { createHash } from 'node:crypto';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text, escaped for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => ENTITIES[char] ?? char);
}

/** The style of small pages: the web chat's colours and sizes, which `docs/develop/design.md` describes. */
const STYLE =
  '@font-face{font-family:Figtree;src:url(/assets/static/figtree-latin.woff2) format("woff2");font-weight:300 900;font-display:swap}' +
  ':root{color-scheme:dark light}*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;' +
  'grid-template-rows:1fr auto;overflow-wrap:anywhere;font:16px/1.5 Figtree,system-ui,sans-serif;background:#0e1614;color:#e9f1ee}' +
  'main{display:grid;place-items:center;min-height:0;padding:1rem}video{width:auto;height:auto;max-width:100%;max-height:calc(100dvh - 8rem);' +
  'border-radius:.75rem;background:#0a100f}footer{padding:.5rem 1rem 1.25rem;text-align:center}h1{font-size:1.125rem;font-weight:650;line-height:1.3;' +
  'margin:0}p{margin:.25rem 0;color:#a3b6ae}a{display:inline-block;padding-block:.625rem;color:#63d3bd}' +
  'section{max-width:32rem;text-align:center}section h1{font-size:1.375rem;font-weight:750}:focus-visible{outline:2px solid;outline-offset:2px}' +
  'button{font:inherit;font-weight:600;margin-top:.75rem;padding:.6rem 1.2rem;border:0;border-radius:.5rem;background:#63d3bd;color:#0e1614;' +
  'cursor:pointer}button:focus-visible{outline-color:#63d3bd}' +
  '@media (prefers-color-scheme:light){body{background:#f4f6f3;color:#12201c}p{color:#4b5c55}a{color:#0b6a5e}' +
  'button{background:#0b6a5e;color:#fff}button:focus-visible{outline-color:#0b6a5e}}';

/** The only style of a small page, for the `style-src` of its policy. */
export const SMALL_PAGE_STYLE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * A page with a video or a few sentences, which search engines leave out.
 * @param title plain text; `body` and `head` are HTML
 */
export function renderSmallPage(title: string, body: string, { lang = 'en', head = '' } = {}): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(lang)}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${head}
<style>${STYLE}</style></head>
<body>${body}</body></html>
`;
}
