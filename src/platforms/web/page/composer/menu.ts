import { button, byId, h } from '../base/dom.ts';
import { conversation } from '../base/history.ts';
import { icon } from '../base/icons.ts';
import type { WebLanguage } from '../base/protocol.ts';
import { text } from '../base/texts.ts';
import { chooseTheme, currentTheme, type ThemeChoice } from '../base/theme.ts';

const THEMES = [
  ['system', 'themeSystem'],
  ['light', 'themeLight'],
  ['dark', 'themeDark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/** The menu for theme, language, history and clearing; the browser opens and closes it as a popover. */
export function createMenu(onLanguage: (tag: string) => void, onClear: () => void) {
  const menu = byId('menu', HTMLDivElement);
  let offered: readonly WebLanguage[] = [];
  byId('menu-button', HTMLButtonElement).replaceChildren(icon('menu'));

  function refresh(): void {
    const isOnLanguage = document.activeElement?.matches('#menu select') === true;
    const languages = languageChoice(offered, onLanguage);
    const parts = [
      h(
        'fieldset',
        { class: 'themes' },
        h('legend', {}, text('theme')),
        ...THEMES.map(([theme, key]) => themeChoice(theme, text(key))),
      ),
      offered.length > 0 &&
        h('label', { class: 'languages' }, h('span', {}, text('language')), languages, icon('fold')),
      historyItem(),
      clearItem(),
      h('p', { class: 'menu-foot' }, h('span', {}, text('privacy')), h('a', { href: '/docs' }, text('api'))),
    ];
    menu.replaceChildren(...parts.filter(part => part !== false));
    // After a choice in the language list the menu is rebuilt, so the focus returns to that list.
    if (isOnLanguage) languages.focus();
  }

  /** The item that turns the keeping of the history on (it is off at first) or off, whichever its label says. */
  function historyItem(): HTMLButtonElement {
    const words = (): string => text(conversation.isKept ? 'forgetHistory' : 'keepHistory');
    const item = button(
      { class: 'menu-item' },
      () => {
        conversation.keep(!conversation.isKept);
        item.textContent = words();
      },
      words(),
    );
    return item;
  }

  /** The item that clears the conversation, at the second press: after the first it asks for confirmation. */
  function clearItem(): HTMLButtonElement {
    let asked = false;
    const clear = button(
      { class: 'menu-item' },
      () => {
        if (asked) {
          menu.hidePopover();
          onClear();
          return;
        }
        asked = true;
        clear.classList.add('danger');
        clear.textContent = text('clearConfirm');
      },
      text('clear'),
    );
    return clear;
  }

  // The menu is rebuilt when it opens, but not when it closes: the browser returns the focus to the menu's button only
  // if the focused item is still there.
  menu.addEventListener('beforetoggle', event => event.newState === 'open' && refresh());
  refresh();
  return {
    offer(languages: readonly WebLanguage[]): void {
      offered = languages;
      refresh();
    },
  };
}

function themeChoice(theme: ThemeChoice, label: string): HTMLLabelElement {
  const input = h('input', { type: 'radio', name: 'theme', value: theme, checked: currentTheme() === theme });
  input.addEventListener('change', () => chooseTheme(theme));
  return h('label', { class: 'option theme' }, input, h('span', {}, label));
}

/** The list of languages, each with its name in that language. */
function languageChoice(offered: readonly WebLanguage[], onLanguage: (tag: string) => void): HTMLSelectElement {
  const { lang: current } = document.documentElement;
  const select = h(
    'select',
    {},
    ...offered.map(({ tag, name }) => h('option', { value: tag, lang: tag, selected: tag === current }, name)),
  );
  select.addEventListener('change', () => onLanguage(select.value));
  return select;
}
