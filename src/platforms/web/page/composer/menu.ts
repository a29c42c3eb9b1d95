import { button, byId, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import { text } from '../base/texts.ts';
import { chooseTheme, currentTheme, type ThemeChoice } from '../base/theme.ts';

export interface MenuOptions {
  /** Puts the beginning of the language command into the input. */
  readonly onLanguage: () => void;
  readonly onClear: () => void;
}

const THEMES = [
  ['system', 'themeSystem'],
  ['light', 'themeLight'],
  ['dark', 'themeDark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/** Theme, language, clearing: a popover that the browser opens, closes and keeps in the focus order. */
export function createMenu({ onLanguage, onClear }: MenuOptions): { refresh(): void } {
  const menu = byId('menu', HTMLDivElement);
  byId('menu-button', HTMLButtonElement).replaceChildren(icon('menu'));

  function refresh(): void {
    menu.replaceChildren(
      h(
        'fieldset',
        { class: 'themes' },
        h('legend', {}, text('theme')),
        ...THEMES.map(([theme, key]) => themeChoice(theme, text(key))),
      ),
      item(text('language'), () => onLanguage()),
      clearItem(),
      h('p', { class: 'menu-foot' }, h('span', {}, text('privacy')), h('a', { href: '/docs' }, text('api'))),
    );
  }

  function item(label: string, onClick: () => void): HTMLButtonElement {
    return button(
      { class: 'menu-item' },
      () => {
        menu.hidePopover();
        onClick();
      },
      label,
    );
  }

  /** Asks once more in its own place: the second press clears. */
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

  menu.addEventListener('beforetoggle', refresh);
  refresh();
  return { refresh };
}

function themeChoice(theme: ThemeChoice, label: string): HTMLLabelElement {
  const input = h('input', { type: 'radio', name: 'theme', value: theme, checked: currentTheme() === theme });
  input.addEventListener('change', () => chooseTheme(theme));
  return h('label', { class: 'theme' }, input, h('span', {}, label));
}
