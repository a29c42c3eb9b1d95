const DARK =
  'color-scheme: dark; --ground: #0e1614; --surface: #16211e; --sunken: #1f2d29; --ink: #e9f1ee; --muted: #a3b6ae; ' +
  '--line: #2a3b35; --accent: #63d3bd; --accent-soft: #1b3a33; --marigold: #f0b94a;';

/** The reference's style sheet, inline in its page. The page's policy allows its hash but no style attributes. */
export const REFERENCE_STYLE = `
@font-face { font-family: Figtree; src: url(/assets/static/figtree-latin.woff2) format("woff2"); font-weight: 300 900; font-display: swap; unicode-range: U+0-FF, U+131, U+152-153, U+2000-206F, U+20AC, U+2122, U+2191, U+2193; }
:root {
  color-scheme: light;
  --ground: #f4f6f3; --surface: #fff; --sunken: #e8eeea; --ink: #12201c; --muted: #4b5c55; --line: #dbe4df;
  --accent: #0b6a5e; --accent-soft: #d9ede5; --marigold: #8a5a00;
}
:root[data-theme="dark"] { ${DARK} }
@media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${DARK} } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; max-width: 74rem; padding: 0 max(1rem, env(safe-area-inset-left)) 4rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.6 Figtree, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
header { padding: 2rem 0 1rem; }
.home { margin: 0; font-weight: 600; }
.home a { text-decoration: none; }
h1 { margin: .25rem 0 .5rem; font-size: clamp(1.75rem, 6vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; }
.lead { margin: 0; color: var(--muted); max-width: 40rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .5rem .75rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--surface); text-decoration: none; font-size: .9375rem; }
nav a:hover, nav a[aria-current] { border-color: var(--accent); }
nav a[aria-current] { background: var(--accent-soft); }
section { margin: 0 0 1.25rem; padding: 1.25rem clamp(1rem, 4vw, 2rem) 1.5rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--surface); scroll-margin-top: 1rem; }
h2 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem; }
section p { margin: .5rem 0; max-width: 44rem; }
code { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.route { font-size: 1.0625rem; }
.method { padding: .1rem .5rem; border-radius: .375rem; background: var(--accent-soft); color: var(--accent); font: 700 .8125rem/1.6 ui-monospace, Menlo, Consolas, monospace; }
.badge { padding: .1rem .55rem; border: 1px solid currentColor; border-radius: 1rem; color: var(--marigold); font-size: .8125rem; font-weight: 600; letter-spacing: 0; white-space: nowrap; vertical-align: middle; }
pre { margin: .5rem 0; padding: .875rem 1rem; max-height: 26rem; overflow: auto; border: 1px solid var(--line); border-radius: .75rem; background: var(--sunken); font-size: .8438rem; line-height: 1.5; tab-size: 2; }
pre code { font-size: inherit; }
.copied { display: flex; margin: .5rem 0; border: 1px solid var(--line); border-radius: .75rem; background: var(--sunken); }
.copied .copy { flex: none; align-self: start; margin: .5rem; min-height: 2rem; padding: .15rem .8rem; border: 1px solid var(--line); background: var(--surface); color: var(--accent); font-size: .8125rem; }
.copied pre { flex: auto; min-width: 0; margin: 0; border: 0; background: none; }
.samples { display: flex; flex-wrap: wrap; gap: 0 .25rem; margin: .75rem 0; }
.samples > input { position: absolute; width: 1px; min-height: 0; height: 1px; opacity: 0; }
.samples > label { padding: .35rem .8rem; border-radius: 2rem; color: var(--muted); font: inherit; font-size: .9375rem; cursor: pointer; }
.samples > input:checked + label { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.samples > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.samples > pre, .samples > .copied { order: 1; flex: 0 0 100%; min-width: 0; display: none; }
.samples > input:checked + label + pre { display: block; }
.samples > input:checked + label + .copied { display: flex; }
pre.line { white-space: pre-wrap; overflow-wrap: anywhere; }
dl { margin: 0; }
dl div { padding: .5rem 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--muted); font-size: .9375rem; }
.type { color: var(--muted); font-weight: 400; font-size: .875rem; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); gap: .75rem; }
.fields div:only-child { grid-column: 1 / -1; }
label { display: block; font: 600 .875rem/1.6 ui-monospace, Menlo, Consolas, monospace; }
input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--ground); color: inherit; font: inherit; }
button { min-height: 2.75rem; margin: .75rem 0 0; padding: .5rem 1.5rem; border: 0; border-radius: 2rem; background: var(--accent); color: var(--surface); font: inherit; font-weight: 600; cursor: pointer; }
.try details { margin: .75rem 0 0; }
.outcome a { overflow-wrap: anywhere; }
.previews { display: flex; gap: .75rem; margin: .75rem 0; padding: 0; overflow-x: auto; list-style: none; }
.previews img { display: block; height: 14rem; width: auto; max-width: 80vw; border-radius: .75rem; background: var(--sunken); }
.previews span { color: var(--muted); font-size: .875rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--accent); font-weight: 600; padding: .35rem 0; }
.depth-1 { padding-left: .9rem; } .depth-2 { padding-left: 1.8rem; } .depth-3 { padding-left: 2.7rem; }
.depth-4 { padding-left: 3.6rem; } .depth-5 { padding-left: 4.5rem; } .depth-6 { padding-left: 5.4rem; }
@media (max-width: 40rem) {
  .copied { flex-direction: column-reverse; }
  .copied .copy { align-self: end; margin-bottom: 0; }
  .depth-1 { padding-left: .5rem; } .depth-2 { padding-left: 1rem; } .depth-3 { padding-left: 1.5rem; }
  .depth-4 { padding-left: 2rem; } .depth-5 { padding-left: 2.5rem; } .depth-6 { padding-left: 3rem; }
}
@media (pointer: coarse) {
  nav a, .samples > label, summary { padding-block: .65rem; }
  .home a, .outcome a { display: inline-block; min-width: 2.75rem; padding-block: .65rem; }
  .copied .copy { min-height: 2.75rem; padding-inline: 1rem; }
}
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 0 2.5rem; padding-top: 2rem; }
  header { position: sticky; top: 0; align-self: start; max-height: 100vh; margin-left: -.8rem; padding: 1rem 0 1rem .8rem; overflow-y: auto; scrollbar-width: thin; }
  nav ul { flex-direction: column; align-items: start; gap: .25rem; margin-left: -.8rem; }
  nav a { border-color: transparent; background: none; }
  nav a:hover { background: var(--sunken); }
}
@media print { body { display: block; } details { display: block; } pre { max-height: none; white-space: pre-wrap; } }
`;
