import { escapeHtml } from './html.ts';

export type Look = 'light' | 'dark';
export type Platform = 'discord' | 'telegram';

export interface ChatWindow {
  readonly platform: Platform;
  readonly look: Look;
  /** Pixels. */
  readonly width: number;
  /** What the person wrote; undefined for a button or a menu. */
  readonly said: string | undefined;
  /** HTML of what came. */
  readonly answers: readonly string[];
}

/** A conversation as its platform shows it: a drawing of ours, in its colours and measures, around the real payloads. */
export function renderWindow({ platform, look, width, said, answers }: ChatWindow): string {
  const lines = platform === 'discord' ? discordLines(said, answers) : telegramLines(said, answers);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${SHARED}${platform === 'discord' ? DISCORD : TELEGRAM}</style></head>
<body class="${look}" style="width:${width}px">${lines}</body></html>`;
}

function discordLines(said: string | undefined, answers: readonly string[]): string {
  const line = (name: string, tag: string, inner: string) =>
    `<div class="message"><div class="avatar ${name.toLowerCase()}">${name.charAt(0)}</div><div class="body"><div class="name">${name}${tag} <time>12:04</time></div>${inner}</div></div>`;
  const asked = said === undefined ? '' : line('Sari', '', `<div class="text">${escapeHtml(said)}</div>`);
  return asked + answers.map(answer => line('Medley', '<span class="app">APP</span>', answer)).join('');
}

function telegramLines(said: string | undefined, answers: readonly string[]): string {
  const asked =
    said === undefined
      ? ''
      : `<div class="own"><div class="bubble"><div class="text">${escapeHtml(said)}</div></div></div>`;
  const answered = answers.map(answer => `<div class="theirs">${answer}</div>`).join('');
  return `<header><i class="back"></i><div class="avatar">M</div><div><b>Medley</b><small>bot</small></div></header>
<main>${asked}${answered}</main>
<footer><span>Message</span><i class="send"></i></footer>`;
}

const SHARED = `
* { box-sizing: border-box; margin: 0; }
body { padding: 16px; font: 16px/1.375 Inter, "Noto Sans", system-ui, sans-serif, "Noto Color Emoji"; overflow-wrap: anywhere; }
img, video { display: block; width: 100%; height: 100%; object-fit: cover; }
button { font: inherit; border: 0; }
.video { position: relative; display: block; width: 100%; height: 100%; }
.play { position: absolute; inset: 0; margin: auto; width: 56px; height: 56px; border-radius: 50%; background: rgb(0 0 0 / .55); }
.play::after { content: ""; position: absolute; left: 22px; top: 17px; border-left: 18px solid #fff; border-top: 11px solid transparent; border-bottom: 11px solid transparent; }
.gallery { display: grid; gap: 4px; overflow: hidden; border-radius: 8px; }
.gallery.of-1 > * { max-height: 460px; width: auto; max-width: 100%; }
.gallery.of-1 { display: block; width: fit-content; max-width: 100%; }
.gallery.of-1 img, .gallery.of-1 video { max-height: 460px; width: auto; max-width: 100%; }
.gallery.of-2 { grid-template-columns: 1fr 1fr; }
.gallery.of-3, .gallery.of-4 { grid-template-columns: 1fr 1fr; }
.gallery.of-5 { grid-template-columns: 1fr 1fr 1fr; }
.gallery:not(.of-1) > * { aspect-ratio: 1; }
pre, code { font-family: "DejaVu Sans Mono", monospace; font-size: .875em; white-space: pre-wrap; }
`;

const DISCORD = `
body.dark { --ground: #313338; --card: #2b2d31; --ink: #dbdee1; --strong: #f2f3f5; --muted: #949ba4; --line: #3f4147; --link: #00a8fc; --button: #4e5058; --field: #1e1f22; --mention: #3c4270; --mention-ink: #c9cdfb; }
body.light { --ground: #fff; --card: #f2f3f5; --ink: #313338; --strong: #060607; --muted: #5c5e66; --line: #e1e2e4; --link: #0067e0; --button: #e3e5e8; --field: #e3e5e8; --mention: #e6e8fd; --mention-ink: #505cdc; }
body { background: var(--ground); color: var(--ink); }
.message { display: flex; gap: 16px; margin-bottom: 17px; }
.avatar { flex: none; width: 40px; height: 40px; border-radius: 50%; display: grid; place-items: center; color: #fff; font-weight: 600; }
.sari { background: #3f7f9b; } .medley { background: #0b6a5e; }
.body { flex: 1; min-width: 0; }
.name { font-weight: 600; color: var(--strong); } time { font-size: 12px; font-weight: 400; color: var(--muted); }
.app { margin-left: 6px; padding: 1px 5px; border-radius: 4px; background: #5865f2; color: #fff; font-size: 10px; font-weight: 600; vertical-align: 2px; }
a, .time { color: var(--link); text-decoration: none; } .time { color: inherit; background: var(--field); border-radius: 3px; padding: 0 2px; }
.mention { background: var(--mention); color: var(--mention-ink); border-radius: 3px; padding: 0 2px; font-weight: 500; }
.container { display: flex; flex-direction: column; gap: 8px; max-width: 600px; padding: 16px; border: 1px solid var(--line); border-left: 4px solid var(--bar, var(--line)); border-radius: 8px; background: var(--card); }
.section { display: flex; gap: 16px; justify-content: space-between; align-items: start; } .section > div:first-child { flex: 1; min-width: 0; }
.thumbnail { flex: none; width: 85px; height: 85px; border-radius: 8px; overflow: hidden; }
hr { border: 0; border-top: 1px solid var(--line); width: 100%; } .gap { height: 4px; }
.heading-1 { font-size: 24px; font-weight: 700; color: var(--strong); } .heading-2 { font-size: 20px; font-weight: 700; color: var(--strong); } .heading-3 { font-size: 16px; font-weight: 700; color: var(--strong); }
.subtext { font-size: 13px; color: var(--muted); }
blockquote { border-left: 4px solid var(--line); padding-left: 12px; } .bullet { padding-left: 20px; position: relative; } .bullet::before { content: "•"; position: absolute; left: 6px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 4px; }
button { padding: 6px 14px; border-radius: 8px; background: var(--button); color: var(--strong); font-size: 14px; font-weight: 500; } button.primary { background: #5865f2; color: #fff; } button.success { background: #248046; color: #fff; } button.danger { background: #da373c; color: #fff; } button.link::after { content: " ↗"; color: var(--muted); } button:disabled { opacity: .5; }
.emoji { margin-right: 6px; }
.select { flex: 1; padding: 10px 12px; border-radius: 8px; background: var(--field); font-size: 15px; } .chevron { float: right; } .chevron::after { content: "▾"; color: var(--muted); }
.only-you { margin-top: 4px; font-size: 12px; color: var(--muted); }
.file { padding: 12px; border: 1px solid var(--line); border-radius: 8px; }
code { background: var(--field); padding: 1px 4px; border-radius: 4px; }
`;

const TELEGRAM = `
body.dark { --ground: #0e1621; --bar: #17212b; --card: #182533; --own: #2b5278; --ink: #f5f5f5; --link: #6ab3f3; --muted: #7f91a4; --button: #233444; }
body.light { --ground: #d5e3c8; --bar: #fff; --card: #fff; --own: #e6fccd; --ink: #0f1419; --link: #1f74b8; --muted: #70808c; --button: #9fb591cc; }
body { padding: 0; background: var(--ground); color: var(--ink); font-size: 15px; }
header, footer { display: flex; align-items: center; gap: 12px; padding: 8px 16px; background: var(--bar); } main { padding: 16px 16px 8px; }
header .avatar { width: 40px; height: 40px; border-radius: 50%; display: grid; place-items: center; background: #0b6a5e; color: #fff; font-weight: 600; }
header b, header small { display: block; line-height: 1.3; } header small, footer span { color: var(--muted); } footer { padding-block: 12px; } footer span { flex: 1; }
.back, .send { border: solid var(--link); border-width: 0 0 2px 2px; width: 11px; height: 11px; transform: rotate(45deg); } .send { border: 0; width: 24px; height: 24px; transform: none; background: var(--link); clip-path: polygon(0 0, 100% 50%, 0 100%, 0 62%, 60% 50%, 0 38%); }
.own { display: flex; justify-content: end; margin-bottom: 8px; } .own .bubble { background: var(--own); width: auto; }
.theirs { max-width: 440px; margin-bottom: 8px; }
.bubble { width: fit-content; max-width: 100%; overflow: hidden; border-radius: 14px; background: var(--card); } .text { padding: 7px 12px 8px; white-space: pre-wrap; }
.gallery { border-radius: 0; position: relative; }
.bubble:has(.of-1) { width: min-content; min-width: 260px; } .gallery.of-1 { width: fit-content; }
.gallery.of-1 img, .gallery.of-1 video { max-width: min(440px, 100vw - 32px); }
.clock { position: absolute; left: 10px; top: 10px; padding: 1px 7px; border-radius: 10px; background: rgb(0 0 0 / .5); color: #fff; font-size: 12px; }
a { color: var(--link); } blockquote { border-left: 3px solid var(--link); padding: 2px 8px; margin: 2px 0; border-radius: 4px; background: color-mix(in srgb, var(--link) 12%, transparent); }
.row { display: flex; gap: 4px; margin-top: 4px; } .row button { flex: 1; min-width: 0; padding: 9px 6px; border-radius: 8px; background: var(--button); color: #fff; font-size: 14px; font-weight: 500; }
.light .row button { color: #1c3a12; }
.file { padding: 12px; }
`;
