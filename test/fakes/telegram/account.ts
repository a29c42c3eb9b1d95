import { z } from 'zod';
import { CACHED } from './account-rules.ts';
import { badRequest } from './answer.ts';
import type { Member } from './chats.ts';
import { callbackAnswerShape, chatIdShape, commandShape, inlineAnswerShape, scopeShape } from './shapes.ts';
import type { Method, Stage } from './stage.ts';

const chatOnly = z.looseObject({ chat_id: chatIdShape });

const getMe: Method = (_call, { me }) => me;

const WEBHOOK_PORTS = new Set(['80', '88', '443', '8443']);

const webhookShape = z.looseObject({
  url: z.string().default(''),
  secret_token: z.string().optional(),
  max_connections: z.int().optional(),
  allowed_updates: z.array(z.string()).optional(),
  drop_pending_updates: z.boolean().optional(),
});

const setWebhook: Method = ({ params }, stage) => {
  const asked = webhookShape.parse(params);
  const { url, secret_token: secret, max_connections: maxConnections = 40, drop_pending_updates = false } = asked;
  if (url === '') return deleteWebhook({ method: 'deleteWebhook', params, files: [], multipart: false, at: 0 }, stage);
  checkWebhook(stage, url, secret, maxConnections);
  stage.updates.setWebhook(
    { url, secret, maxConnections, allowedUpdates: asked.allowed_updates ?? [] },
    drop_pending_updates,
  );
  return true;
};

function checkWebhook(stage: Stage, url: string, secret: string | undefined, maxConnections: number): void {
  if (!URL.canParse(url)) throw badRequest('bad webhook: invalid webhook URL specified');
  const { protocol, port } = new URL(url);
  if (protocol !== 'https:' && !stage.isLocal)
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!stage.isLocal && !WEBHOOK_PORTS.has(port === '' ? '443' : port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
  if (secret !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(secret)) {
    stage.problem('setWebhook: secret_token is 1-256 of A-Z a-z 0-9 _ -');
    throw badRequest('secret token contains unallowed characters');
  }
  if (maxConnections < 1 || maxConnections > 100) stage.problem('setWebhook: max_connections is 1-100');
}

const deleteWebhook: Method = ({ params }, { updates }) => {
  updates.setWebhook(undefined, webhookShape.parse(params).drop_pending_updates ?? false);
  return true;
};

const getWebhookInfo: Method = (_call, { updates: { webhook, pending } }) => ({
  url: webhook?.url ?? '',
  has_custom_certificate: false,
  pending_update_count: pending.length,
  ...(webhook === undefined
    ? {}
    : { max_connections: webhook.maxConnections, allowed_updates: webhook.allowedUpdates }),
});

const commandsShape = z.looseObject({ scope: scopeShape.optional(), language_code: z.string().optional() });

function commandsKey(params: Readonly<Record<string, unknown>>): string {
  const { scope, language_code = '' } = commandsShape.parse(params);
  const { type = 'default', chat_id, user_id } = scope ?? {};
  return [
    type,
    ...(chat_id === undefined ? [] : [chat_id]),
    ...(user_id === undefined ? [] : [user_id]),
    language_code,
  ].join(' ');
}

const setMyCommands: Method = ({ params }, stage) => {
  stage.commands.set(commandsKey(params), z.array(commandShape).parse(params.commands));
  return true;
};

const getMyCommands: Method = ({ params }, stage) => stage.commands.get(commandsKey(params)) ?? [];

const deleteMyCommands: Method = ({ params }, stage) => {
  stage.commands.delete(commandsKey(params));
  return true;
};

const getChat: Method = ({ params }, { chats }) => {
  const chat = chats.open(chatOnly.parse(params).chat_id);
  return { ...chat, accent_color_id: 0, max_reaction_count: 11 };
};

const getChatMember: Method = ({ params }, stage) => {
  const { chat_id, user_id } = chatOnly.extend({ user_id: z.int() }).parse(params);
  const chat = stage.chats.open(chat_id);
  const member = stage.chats.member(chat.id, user_id);
  if (member === undefined) throw badRequest('PARTICIPANT_ID_INVALID');
  return renderMember(member);
};

const getChatAdministrators: Method = ({ params }, stage) => {
  const chat = stage.chats.open(chatOnly.parse(params).chat_id);
  if (chat.type === 'private') throw badRequest('there are no administrators in the private chat');
  const all = stage.chats.members(chat.id).filter(({ status }) => status === 'creator' || status === 'administrator');
  return all.filter(({ user }) => !user.is_bot).map(renderMember);
};

const RIGHTS = [
  'can_manage_chat',
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
] as const;

function renderMember({ status, user, rights }: Member): unknown {
  if (status === 'administrator') {
    const none = Object.fromEntries(RIGHTS.map(right => [right, false]));
    return { status, user, can_be_edited: false, is_anonymous: false, ...none, ...rights };
  }
  return { status, user, ...(status === 'creator' ? { is_anonymous: false } : {}), ...rights };
}

const leaveChat: Method = ({ params }, stage) => {
  const chat = stage.chats.open(chatOnly.parse(params).chat_id);
  stage.chats.setMember(chat.id, stage.me, 'left');
  return true;
};

const getFile: Method = ({ params }, { shelf }) => {
  const { file_id } = z.looseObject({ file_id: z.string() }).parse(params);
  const file = shelf.files.get(file_id);
  if (file === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (file.bytes > 20 * 1024 * 1024) throw badRequest('file is too big');
  return {
    file_id,
    file_unique_id: file.sha256.slice(0, 14),
    file_size: file.bytes,
    file_path: `${file.kind}s/${file.name}`,
  };
};

const answerInlineQuery: Method = ({ params }, { inline, shelf }) => {
  const answer = inlineAnswerShape.parse(params);
  for (const result of answer.results) {
    const fileId = result[CACHED[result.type]?.field ?? ''];
    if (typeof fileId === 'string' && !shelf.files.has(fileId)) {
      throw badRequest('wrong file identifier/HTTP URL specified');
    }
  }
  inline.answer(answer);
  return true;
};

const answerCallbackQuery: Method = ({ params }, { inline }) => {
  inline.answerCallback(callbackAnswerShape.parse(params));
  return true;
};

export const ACCOUNT: Readonly<Record<string, Method>> = {
  getMe,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  getChat,
  getChatMember,
  getChatAdministrators,
  leaveChat,
  getFile,
  answerInlineQuery,
  answerCallbackQuery,
};
