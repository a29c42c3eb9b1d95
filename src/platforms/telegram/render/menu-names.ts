import type { Translator } from '../../../i18n/translate.ts';

/** Telegram's names know neither spaces nor dashes. */
export function menuName(command: string): string {
  return command.replace(/[ -]/g, '_');
}

/** What is written of a command's use names it as the menu does. */
export function withMenuNames(text: string, { messages }: Pick<Translator, 'messages'>): string {
  return text.replace(/\/([a-z]+ [a-z-]+)/g, (written, name: string) =>
    Object.hasOwn(messages.commands, name) ? `/${menuName(name)}` : written,
  );
}
