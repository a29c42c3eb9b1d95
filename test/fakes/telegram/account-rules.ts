import { z } from 'zod';
import type { TelegramRequest } from './call.ts';
import {
  callbackAnswerShape,
  commandShape,
  type FileKind,
  type InlineResult,
  inlineAnswerShape,
  scopeShape,
} from './shapes.ts';
import type { Stage } from './stage.ts';
import { lengthOf } from './text.ts';
import type { Violation } from './violation.ts';

/** Answers to queries, lists of commands and whatever else has a limit of its own. */
export function checkAccount(call: TelegramRequest, stage: Stage): readonly Violation[] {
  if (call.method === 'answerInlineQuery') return checkInlineAnswer(call, stage);
  if (call.method === 'answerCallbackQuery') return checkCallbackAnswer(call);
  if (call.method.endsWith('MyCommands')) return checkCommands(call);
  if (call.params.message_thread_id === 1) {
    return [{ what: 'the General topic has no message_thread_id', refusal: 'message thread not found' }];
  }
  return [];
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  article: ['title', 'input_message_content'],
  video: ['video_url', 'mime_type', 'thumbnail_url', 'title'],
  photo: ['photo_url', 'thumbnail_url'],
  mpeg4_gif: ['mpeg4_url', 'thumbnail_url'],
};

/** Which field of a result names a file Telegram holds, by the result's type. */
export const CACHED: Readonly<Record<string, { readonly field: string; readonly kind: FileKind }>> = {
  video: { field: 'video_file_id', kind: 'video' },
  photo: { field: 'photo_file_id', kind: 'photo' },
  mpeg4_gif: { field: 'mpeg4_file_id', kind: 'animation' },
  document: { field: 'document_file_id', kind: 'document' },
  audio: { field: 'audio_file_id', kind: 'audio' },
};

function checkInlineAnswer({ params }: TelegramRequest, stage: Stage): readonly Violation[] {
  const answer = inlineAnswerShape.safeParse(params);
  if (!answer.success) return [];
  const { results, button, next_offset = '', cache_time = 300 } = answer.data;
  const found = results.flatMap(result => checkResult(result, stage));
  if (results.length > 50) found.push({ what: `${results.length} results, at most 50`, refusal: 'RESULTS_TOO_MUCH' });
  if (new Set(results.map(({ id }) => id)).size < results.length) {
    found.push({ what: 'two results with one id', refusal: 'RESULT_ID_DUPLICATE' });
  }
  if (Buffer.byteLength(next_offset) > 64)
    found.push({ what: 'next_offset over 64 bytes', refusal: 'NEXT_OFFSET_INVALID' });
  if (cache_time < 0) found.push({ what: 'cache_time below 0' });
  if (button?.start_parameter !== undefined && !/^[\w-]{1,64}$/.test(button.start_parameter)) {
    found.push({ what: 'start_parameter is 1-64 of A-Z a-z 0-9 _ -', refusal: 'START_PARAM_INVALID' });
  }
  return found;
}

function checkResult(result: InlineResult, stage: Stage): Violation[] {
  const found: Violation[] = [];
  const bytes = Buffer.byteLength(result.id);
  if (bytes < 1 || bytes > 64) {
    found.push({ what: `a result's id of ${bytes} bytes, 1-64`, refusal: 'RESULT_ID_INVALID' });
  }
  const cached = CACHED[result.type];
  const fileId = cached === undefined ? undefined : result[cached.field];
  if (cached !== undefined && typeof fileId === 'string') {
    const kind = stage.shelf.files.get(fileId)?.kind;
    if (kind !== undefined && kind !== cached.kind) {
      found.push({ what: `${cached.field} of ${kind}`, refusal: 'wrong file identifier/HTTP URL specified' });
    }
    if ((cached.kind === 'video' || cached.kind === 'document') && typeof result.title !== 'string') {
      found.push({ what: `a cached ${cached.kind} without a title`, refusal: 'Can\'t find field "title"' });
    }
    return found;
  }
  const missing = (NEEDED[result.type] ?? []).filter(field => result[field] === undefined);
  for (const field of missing) {
    found.push({
      what: `inline ${result.type} without ${field}`,
      refusal: `can't parse inline query result: Can't find field "${field}"`,
    });
  }
  return found;
}

function checkCallbackAnswer({ params }: TelegramRequest): readonly Violation[] {
  const length = lengthOf(callbackAnswerShape.safeParse(params).data?.text ?? '');
  return length > 200 ? [{ what: `a notice of ${length} characters, at most 200`, refusal: 'MESSAGE_TOO_LONG' }] : [];
}

const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['default', []],
  ['all_private_chats', []],
  ['all_group_chats', []],
  ['all_chat_administrators', []],
  ['chat', ['chat_id']],
  ['chat_administrators', ['chat_id']],
  ['chat_member', ['chat_id', 'user_id']],
]);

function checkCommands({ method, params }: TelegramRequest): readonly Violation[] {
  const found: Violation[] = [];
  const scope = scopeShape.optional().safeParse(params.scope).data;
  const needed = SCOPES.get(scope?.type ?? 'default');
  if (needed === undefined) found.push({ what: `scope ${scope?.type}`, refusal: "can't parse BotCommandScope" });
  for (const field of needed ?? []) {
    if (scope?.[field] === undefined)
      found.push({ what: `scope without ${field}`, refusal: "can't parse BotCommandScope" });
  }
  if (params.language_code !== undefined && !/^([a-z]{2})?$/.test(String(params.language_code))) {
    found.push({ what: 'language_code is two letters', refusal: 'LANG_CODE_INVALID' });
  }
  const commands = z.array(commandShape).safeParse(params.commands).data ?? [];
  if (commands.length > 100) found.push({ what: `${commands.length} commands`, refusal: 'BOT_COMMANDS_TOO_MUCH' });
  if (method === 'setMyCommands' && new Set(commands.map(one => one.command)).size < commands.length) {
    found.push({ what: 'a command twice' });
  }
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(command)) found.push({ what: `command ${command}`, refusal: 'BOT_COMMAND_INVALID' });
    const length = lengthOf(description.trim());
    if (length < 1 || length > 256) {
      found.push({ what: `a description of ${length}, 1-256`, refusal: 'BOT_COMMAND_DESCRIPTION_INVALID' });
    }
  }
  return found;
}
