import { createHash } from 'node:crypto';
import type { Translator } from '../../../i18n/translate.ts';
import { escapeHtml } from '../../../infra/server/html.ts';

const STYLE =
  '@font-face{font-family:Figtree;src:url(/assets/static/figtree-latin.woff2) format("woff2");font-weight:300 900;font-display:swap}' +
  ':root{color-scheme:dark light}*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;' +
  'place-items:center;padding:1rem;font:16px/1.5 Figtree,system-ui,sans-serif;background:#16211e;color:#e7efec}' +
  'main{max-width:30rem}h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:.5rem 0;overflow-wrap:anywhere}' +
  'button{font:inherit;font-weight:600;margin-top:.75rem;padding:.6rem 1.2rem;border:0;border-radius:.5rem;background:#63d3bd;' +
  'color:#10201b;cursor:pointer}button:focus-visible{outline:3px solid currentColor;outline-offset:3px}' +
  '@media (prefers-color-scheme:light){body{background:#f6f7f9;color:#182026}button{background:#0b6b58;color:#fff}}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The page may only use its own style, and submit its form to this server and on to osu!: no script, nothing of other
 * sites, no framing.
 */
export const LINK_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; font-src 'self'; base-uri 'none'; form-action 'self' https://osu.ppy.sh; frame-ancestors 'none'`;

/**
 * A page that asks whether the person really wants to link their account.
 * @param action the address to which the form is sent
 */
export function renderAskPage(platform: string, action: string, t: Translator): string {
  const words = t.messages.linking;
  const form = `<form method="post" action="${escapeHtml(action)}"><button>${escapeHtml(words.go)}</button></form>`;
  return page(words.askTitle, [words.ask({ platform }), words.askWarning], t, form);
}

/** A page that says how linking ended, successfully or not. */
export function renderEndPage(title: string, sentence: string, t: Translator): string {
  return page(title, [sentence], t);
}

function page(title: string, sentences: readonly string[], t: Translator, form = ''): string {
  const text = sentences.map(sentence => `<p>${escapeHtml(sentence)}</p>`).join('\n');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(t.locale)}"><head><meta charset="utf-8"><title>${escapeHtml(title)} · Medley</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${text}
${form}</main></body></html>
`;
}
