import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readMultipart, type UploadedFile } from './multipart.ts';

/** One request of the bot, as the Bot API understood it. */
export interface TelegramRequest {
  /** `sendVideo`, ... as written in the Bot API's pages. */
  readonly method: string;
  /** Decoded: numbers, booleans and objects also when they came as text in a form. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  readonly multipart: boolean;
  /** Milliseconds of the fake's clock. */
  readonly at: number;
}

export interface Decoded {
  readonly params: Readonly<Record<string, unknown>>;
  /** Parameters that should be JSON and are not. */
  readonly broken: readonly string[];
}

interface Body {
  readonly params: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  readonly multipart: boolean;
}

const INTEGERS = new Set(
  ['chat_id', 'from_chat_id', 'message_id', 'message_thread_id', 'user_id', 'offset', 'limit', 'timeout']
    .concat(['width', 'height', 'duration', 'start_timestamp', 'cache_time', 'max_connections'])
    .concat(['reply_to_message_id', 'direct_messages_topic_id']),
);

const BOOLEANS = new Set(
  ['supports_streaming', 'has_spoiler', 'show_caption_above_media', 'disable_notification', 'protect_content']
    .concat(['allow_paid_broadcast', 'disable_content_type_detection', 'is_personal', 'show_alert', 'is_big'])
    .concat(['drop_pending_updates', 'allow_sending_without_reply', 'disable_web_page_preview']),
);

const OBJECTS = new Set(
  ['reply_parameters', 'reply_markup', 'media', 'entities', 'caption_entities', 'link_preview_options', 'results']
    .concat(['result', 'commands', 'scope', 'allowed_updates', 'button', 'reaction', 'message_ids', 'rights'])
    .concat(['ephemeral_message_parameters', 'suggested_post_parameters', 'menu_button', 'rich_message']),
);

/** @throws when the body cannot be read at all. */
export async function readBody(request: IncomingMessage, query: URLSearchParams): Promise<Body> {
  const contentType = request.headers['content-type'] ?? '';
  const asked = Object.fromEntries(query);
  if (contentType.startsWith('multipart/form-data')) {
    const { fields, files } = await readMultipart(request, contentType);
    const { method: _method, ...params } = fields;
    return { params: { ...asked, ...params }, files, multipart: true };
  }
  const text = await readText(request);
  if (text === '') return { params: asked, files: [], multipart: false };
  const params = contentType.startsWith('application/json')
    ? z.record(z.string(), z.unknown()).parse(JSON.parse(text))
    : Object.fromEntries(new URLSearchParams(text));
  return { params: { ...asked, ...params }, files: [], multipart: false };
}

/** The Bot API takes every parameter as text too, whatever the body; forms know nothing else. */
export function decodeParams(raw: Readonly<Record<string, unknown>>): Decoded {
  const params: Record<string, unknown> = {};
  const broken: string[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const decoded = typeof value === 'string' ? decodeText(name, value) : { value };
    if (decoded === undefined) broken.push(name);
    else params[name] = decoded.value;
  }
  return { params, broken };
}

function decodeText(name: string, text: string): { readonly value: unknown } | undefined {
  if (INTEGERS.has(name) && /^-?\d{1,15}$/.test(text)) return { value: Number(text) };
  if (BOOLEANS.has(name) && (text === 'true' || text === 'false')) return { value: text === 'true' };
  if (!OBJECTS.has(name)) return { value: text };
  try {
    return { value: z.unknown().parse(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
