import { createTranslator, LANGUAGES, type Translator } from '../../i18n/translate.ts';
import { type CommandContext, callerKey, defineCommand } from '../command.ts';
import { renderSettings, type SettingsView } from '../views/settings.ts';

const AUTOMATIC = 'auto';

/** Shows what is set, or sets the language Medley answers this person in. */
export const settings = defineCommand({
  name: 'settings',
  options: {
    language: { type: 'choice', required: false, choices: [AUTOMATIC, ...LANGUAGES.map(({ tag }) => tag)] },
  },
  visibility: 'caller',
  cost: 0,
  async run({ language }, { caller, services, t }: CommandContext) {
    const key = callerKey(caller);
    if (language === undefined) return renderSettings(viewOf(t, services.settings.user(key).language), t);
    const chosen = language === AUTOMATIC ? null : language;
    services.settings.setUser(key, { language: chosen });
    const answer = createTranslator(chosen === null ? caller.locales : [chosen]);
    return renderSettings({ ...viewOf(answer, chosen), saved: true }, answer);

    function viewOf(spoken: Translator, set: string | null): SettingsView {
      return {
        set,
        automatic: createTranslator(caller.locales).messages.languageName,
        choices: [
          { label: spoken.messages.settings.automatic, isSet: set === null, token: tokenFor(AUTOMATIC) },
          ...LANGUAGES.map(({ tag, name }) => ({ label: name, isSet: set === tag, token: tokenFor(tag) })),
        ],
        saved: false,
      };
    }

    function tokenFor(value: string): string {
      return services.actions.encode({ command: 'settings', values: { language: value }, owner: key });
    }
  },
});
