import { z } from 'zod';
import { ApiRefusal } from './answer.ts';
import type { TelegramRequest } from './call.ts';
import { type Entity, entityShape } from './shapes.ts';
import { lengthOf, parseText } from './text.ts';
import type { Violation } from './violation.ts';

const TEXT_LENGTH = 4096;
const CAPTION_LENGTH = 1024;

const worded = z.looseObject({
  text: z.string().optional(),
  message_text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entityShape).optional(),
  caption_entities: z.array(entityShape).optional(),
  parse_mode: z.string().optional(),
  input_message_content: z.unknown().optional(),
  link_preview_options: z.looseObject({ is_disabled: z.boolean().optional(), url: z.string().optional() }).optional(),
});

const TEXT_METHODS = new Set(['sendMessage', 'editMessageText']);

/** Every text and caption of a request: its own, those of its media and those of its inline results. */
export function checkTexts({ method, params }: TelegramRequest): readonly Violation[] {
  const parts = [params, ...listOf(params.media), ...listOf(params.results), ...listOf(params.result)];
  return parts.flatMap((part, index) => {
    const { success, data } = worded.safeParse(part);
    if (!success) return [];
    const isOwn = index === 0;
    // Of other requests, `text` is something else: a notice over a button, say.
    const text = !isOwn || TEXT_METHODS.has(method) ? data.text : undefined;
    const content = worded.safeParse(data.input_message_content);
    return [
      ...checkPreview(data.link_preview_options),
      ...(content.success ? checkPreview(content.data.link_preview_options) : []),
      ...checkText(text, data.parse_mode, data.entities, 'text'),
      ...checkText(data.caption, data.parse_mode, data.caption_entities, 'caption'),
      ...(content.success
        ? checkText(content.data.message_text, content.data.parse_mode, content.data.entities, 'text')
        : []),
    ];
  });
}

function checkPreview(options: z.infer<typeof worded>['link_preview_options']): readonly Violation[] {
  const { is_disabled: isDisabled = false, url } = options ?? {};
  if (url === undefined) return [];
  if (isDisabled) return [{ what: 'a preview that is disabled and has an address' }];
  return /^https?:\/\/[^\s/]+/i.test(url) ? [] : [{ what: `a preview of ${url}`, refusal: 'WEBPAGE_URL_INVALID' }];
}

function checkText(
  written: string | undefined,
  parseMode: string | undefined,
  entities: readonly Entity[] | undefined,
  kind: 'text' | 'caption',
): readonly Violation[] {
  if (written === undefined) return entities === undefined ? [] : [{ what: `entities without a ${kind}` }];
  const found: Violation[] = [];
  if (parseMode !== undefined && entities !== undefined) found.push({ what: 'parse_mode and entities together' });
  const parsed = parsedOrRefused(written, parseMode, entities);
  if ('refusal' in parsed) return [...found, { what: parsed.refusal, refusal: parsed.refusal }];
  const { text } = parsed;
  const length = lengthOf(text);
  if (kind === 'text' && text.trim() === '') found.push({ what: 'empty text', refusal: 'message text is empty' });
  if (kind === 'text' && length > TEXT_LENGTH) {
    found.push({ what: `text of ${length} characters, at most ${TEXT_LENGTH}`, refusal: 'message is too long' });
  }
  if (kind === 'caption' && length > CAPTION_LENGTH) {
    const what = `caption of ${length} characters, at most ${CAPTION_LENGTH}`;
    found.push({ what, refusal: 'message caption is too long' });
  }
  return [...found, ...(entities ?? []).flatMap(entity => checkEntity(text, entity))];
}

function parsedOrRefused(
  text: string,
  parseMode: string | undefined,
  entities: readonly Entity[] | undefined,
): { readonly text: string } | { readonly refusal: string } {
  try {
    return parseText(text, parseMode, entities);
  } catch (error) {
    if (error instanceof ApiRefusal) return { refusal: error.message.replace('Bad Request: ', '') };
    throw error;
  }
}

/** Offsets and lengths are UTF-16 units, as JavaScript's own. */
function checkEntity(text: string, { type, offset, length, url }: Entity): readonly Violation[] {
  const where = `entity ${type} ${offset}+${length}`;
  const found: Violation[] = [];
  if (offset < 0 || length < 1 || offset + length > text.length) {
    found.push({ what: `${where} is not inside the text of ${text.length}` });
  } else if (splitsPair(text, offset) || splitsPair(text, offset + length)) {
    found.push({ what: `${where} cuts a character in two` });
  }
  if (type === 'text_link' && (url === undefined || !/^(https?|tg):\/\/\S+$/i.test(url))) {
    found.push({ what: `${where} has no address` });
  }
  return found;
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}

export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || typeof value === 'string') return [];
  return Array.isArray(value) ? value : [value];
}
