import type { Dispatcher } from '../../bot/answer/answer.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { createTranslator } from '../../i18n/translate.ts';
import type { BotApi } from './api/bot-api.ts';
import { MESSAGE_LIMITS } from './api/limits.ts';
import type { Params } from './api/methods.ts';
import { menuName } from './render/formatted-text.ts';

type Commands = Params['setMyCommands']['commands'];

const SCOPES = [
  { type: 'all_private_chats', chatKind: 'private' },
  { type: 'all_group_chats', chatKind: 'group' },
  { type: 'all_chat_administrators', chatKind: 'group' },
] as const;

/**
 * The menus of commands, by kind of chat and by language, which Telegram knows by two letters; English is that of all others too. A menu that is right already
 * is left alone.
 * @throws BotApiError
 */
export async function registerCommands(
  api: BotApi,
  dispatcher: Pick<Dispatcher, 'commandSpecs'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { type, chatKind } of SCOPES) {
    for (const { tag } of LANGUAGES) {
      const [code = ''] = tag.split('-', 1);
      if (code.length !== 2) continue;
      const where = { scope: { type }, ...(code === 'en' ? {} : { language_code: code }) };
      const commands = renderCommands(dispatcher.commandSpecs(createTranslator([tag]), chatKind));
      const known = await api.call('getMyCommands', where, { signal });
      if (!isSame(known, commands)) await api.call('setMyCommands', { ...where, commands }, { signal });
    }
  }
}

function renderCommands(specs: ReturnType<Dispatcher['commandSpecs']>): Commands {
  return specs.slice(0, MESSAGE_LIMITS.commands).map(({ name, description }) => ({
    command: menuName(name),
    description: description.slice(0, MESSAGE_LIMITS.commandDescription),
  }));
}

function isSame(known: Commands, wanted: Commands): boolean {
  return (
    known.length === wanted.length &&
    wanted.every(({ command, description }, index) => {
      const other = known[index];
      return other?.command === command && other.description === description;
    })
  );
}
