import { isWebAddress } from '../base/address.ts';
import { button, h, isMotionReduced } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebAction } from '../base/protocol.ts';
import type { OnAction } from './inline.ts';

type Menu = Extract<WebAction, { kind: 'menu' }>;

/** The actions of a reply: a row of buttons that begins with `first`, and below it the lists that its menus open. */
export function actionsOf(actions: readonly WebAction[], onAction: OnAction, first?: HTMLElement): Node[] {
  const row: HTMLElement[] = first ? [first] : [];
  const lists: HTMLElement[] = [];
  for (const action of actions) {
    if (action.kind === 'menu') {
      const { opener, list } = menu(action, onAction);
      row.push(opener);
      lists.push(list);
    } else if (action.kind === 'button') row.push(pressable(action, onAction));
    else if (isWebAddress(action.url)) row.push(link(action));
  }
  // The primary action is moved to the front, because most people want it.
  row.sort((a, b) => Number(b.matches('.primary')) - Number(a.matches('.primary')));
  return row.length > 0 ? [h('div', { class: 'actions' }, ...row), ...lists] : [];
}

function pressable({ label, style, token, isUp }: Extract<WebAction, { kind: 'button' }>, onAction: OnAction) {
  const element = button(
    { class: `action ${style}`, 'data-name': label, 'data-up': isUp },
    () => onAction(token, label, element),
    label,
  );
  return element;
}

function link({ label, url, style }: Extract<WebAction, { kind: 'link' }>): HTMLAnchorElement {
  const name = style === 'primary' ? 'download' : 'open';
  const attributes = { class: `action ${style ?? ''}`, href: url, target: '_blank', rel: 'noopener noreferrer' };
  return h('a', attributes, icon(name), label);
}

/** A list that unfolds below its button. A native select would choose at each arrow key, and cannot show details. */
function menu({ label, choices }: Menu, onAction: OnAction): { opener: HTMLElement; list: HTMLElement } {
  const list = h(
    'ul',
    { class: 'choices', hidden: true, 'aria-label': label },
    ...choices.map(choice => {
      const pressed = button(
        { class: 'choice', 'data-name': choice.label },
        () => onAction(choice.token, choice.label, pressed),
        h('span', { class: 'choice-label' }, choice.label),
        choice.detail !== '' && h('span', { class: 'choice-detail' }, choice.detail),
      );
      return h('li', {}, pressed);
    }),
  );
  const opener = button(
    { class: 'action opener', 'aria-expanded': 'false', 'data-name': label },
    toggle,
    label,
    icon('fold'),
  );

  function toggle(): void {
    list.hidden = !list.hidden;
    opener.setAttribute('aria-expanded', String(!list.hidden));
    if (!list.hidden) list.scrollIntoView({ block: 'nearest', behavior: isMotionReduced() ? 'auto' : 'smooth' });
  }

  function closeByKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || list.hidden) return;
    event.stopPropagation();
    toggle();
    opener.focus();
  }

  list.addEventListener('keydown', closeByKey);
  opener.addEventListener('keydown', closeByKey);
  list.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...list.querySelectorAll('button')];
    const at = all.findIndex(each => each.matches(':focus'));
    all[(at + step + all.length) % all.length]?.focus();
  });
  opener.addEventListener('keydown', event => {
    if (event.key !== 'ArrowDown' || list.hidden) return;
    event.preventDefault();
    list.querySelector('button')?.focus();
  });
  return { opener, list };
}
