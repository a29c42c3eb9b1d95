import type { RegisteredMenus } from '../../bot/stores/registered-menus.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { createTranslator, loadTranslator, type Translator } from '../../i18n/translate.ts';
import { MESSAGE_LIMITS } from './api/limits.ts';
import type { Params } from './api/methods.ts';
import type { TelegramContext } from './outgoing/context.ts';
import { menuName } from './render/formatted-text.ts';

type Commands = Params['setMyCommands']['commands'];

const SCOPES = ['all_private_chats', 'all_group_chats', 'all_chat_administrators'] as const;

/**
 * Registers the command menus for each kind of chat and two-letter language; speakers of other languages get English. A
 * menu that Telegram has already is not sent again.
 * @throws BotApiError
 */
export function registerCommands(
  { api, dispatcher }: TelegramContext,
  menus: RegisteredMenus,
  botId: number,
  signal: AbortSignal,
): Promise<void> {
  const english = createTranslator(['en']);
  const names = dispatcher.commandSpecs(english).map(({ name }) => name);
  // `settings` is for admins, so it is not in the menu of groups. Members may type it for their own language.
  const menuIn = (scope: (typeof SCOPES)[number], t: Translator) =>
    renderCommands(
      names.filter(name => scope !== 'all_group_chats' || name !== 'settings'),
      t,
    );
  const withoutMenus = new Set<string>();

  async function register(tag: string): Promise<void> {
    const [code = ''] = tag.split('-', 1);
    if (code.length !== 2) return;
    const t = loadTranslator(tag);
    for (const type of SCOPES) {
      const commands = menuIn(type, t);
      const where = { scope: { type }, ...(code === 'en' ? {} : { language_code: code }) };
      const known = withoutMenus.has(type) ? [] : await api.call('getMyCommands', where, { signal });
      // English is checked first. If Telegram has no English menu, it has none in any language, so none is asked for.
      if (code === 'en' && known.length === 0) withoutMenus.add(type);
      const isSame = JSON.stringify(known) === JSON.stringify(commands);
      if (!isSame) await api.call('setMyCommands', { ...where, commands }, { signal });
    }
  }

  return menus.keep(
    `telegram:${botId}`,
    SCOPES.map(scope => menuIn(scope, english)),
    async () => {
      for (const { tag } of LANGUAGES) await register(tag);
    },
    signal,
  );
}

/** The commands of a menu, with their descriptions. Telegram's menus have no options. */
function renderCommands(names: readonly string[], t: Translator): Commands {
  return names.slice(0, MESSAGE_LIMITS.commands).map(name => ({
    command: menuName(name),
    description: (t.find(`commands.${name}.description`) ?? name).slice(0, MESSAGE_LIMITS.commandDescription),
  }));
}
