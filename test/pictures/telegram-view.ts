import { z } from 'zod';
import { type Entity, keyboardShape } from '../fakes/telegram/shapes.ts';
import type { FakeMessage } from '../fakes/telegram.ts';
import { escapeHtml, fileAddress, renderMedia } from './html.ts';

const TAGS: Readonly<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  text_link: 'a',
  url: 'a',
  mention: 'a',
  hashtag: 'a',
  bot_command: 'a',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
};

const about = z.looseObject({ duration: z.number().optional() });

/** A text with its entities as HTML; offsets are UTF-16 units. */
function renderEntities(text: string, entities: readonly Entity[]): string {
  const marks = entities.flatMap(entity => {
    const tag = TAGS[entity.type];
    if (tag === undefined) return [];
    const end = entity.offset + entity.length;
    return [
      { at: entity.offset, order: -entity.length, html: `<${tag}>` },
      { at: end, order: entity.length - 1e6, html: `</${tag}>` },
    ];
  });
  marks.sort((a, b) => a.at - b.at || a.order - b.order);
  let html = '';
  let done = 0;
  for (const { at, html: tag } of marks) {
    html += escapeHtml(text.slice(done, at)) + tag;
    done = at;
  }
  return html + escapeHtml(text.slice(done));
}

/** A message of the bot, or an album of several, as Telegram lays it out. */
export function renderTelegramMessage(messages: readonly FakeMessage[]): string {
  const [first] = messages;
  if (first === undefined) return '';
  const files = messages.flatMap(({ file }) => file ?? []);
  const media = files.map(({ sha256, kind }) =>
    kind === 'document' || kind === 'audio'
      ? `<div class="file">${kind === 'audio' ? 'Audio' : 'File'}</div>`
      : renderMedia(fileAddress(sha256), kind === 'video' || kind === 'animation'),
  );
  const seconds = about.safeParse(first.about).data?.duration;
  const clock = seconds === undefined || files.length > 1 ? '' : `<span class="clock">${clockOf(seconds)}</span>`;
  const text = first.text ?? first.caption ?? '';
  const keyboard = keyboardShape.safeParse(messages.at(-1)?.replyMarkup).data?.inline_keyboard ?? [];
  return [
    '<div class="bubble">',
    files.length === 0 ? '' : `<div class="gallery of-${Math.min(files.length, 5)}">${media.join('')}${clock}</div>`,
    text === '' ? '' : `<div class="text">${renderEntities(text, first.entities)}</div>`,
    '</div>',
    ...keyboard.map(
      row => `<div class="row">${row.map(({ text: label }) => `<button>${escapeHtml(label)}</button>`).join('')}</div>`,
    ),
  ].join('');
}

function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`;
}
