import { byId, isCalm } from './dom.ts';
import { icon } from './icons.ts';
import { text } from './texts.ts';

/** The scrolling part of the page: stays with the newest unless someone reads further up. */
export interface Thread {
  append(element: HTMLElement): void;
  /** Call after something was added to `element`: brings it into sight if the reader was at the end. */
  follow(element: HTMLElement): void;
  toEnd(): void;
  clear(): void;
  refresh(): void;
}

const NEAR_END_PX = 120;

export function createThread(): Thread {
  const scroller = byId('thread', HTMLElement);
  const log = byId('log', HTMLDivElement);
  const latest = byId('latest', HTMLButtonElement);
  let atEnd = true;
  let hasNew = false;

  function update(): void {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
    if (atEnd) hasNew = false;
    latest.hidden = atEnd;
    label();
  }

  function label(): void {
    latest.replaceChildren(icon('down'), ...(hasNew ? [text('newReplies')] : []));
    latest.setAttribute('aria-label', text(hasNew ? 'newReplies' : 'scrollDown'));
  }

  function toEnd(): void {
    atEnd = true;
    scroller.scrollTo({ top: scroller.scrollHeight, behavior: isCalm() ? 'auto' : 'smooth' });
  }

  scroller.addEventListener('scroll', update, { passive: true });
  latest.addEventListener('click', toEnd);
  // The input growing, the keyboard opening, the window turning: the end stays in sight.
  new ResizeObserver(() => {
    if (atEnd) scroller.scrollTop = scroller.scrollHeight;
  }).observe(scroller);
  label();

  return {
    append: element => log.append(element),
    follow(element) {
      if (!atEnd) {
        hasNew = true;
        label();
        return;
      }
      // What is taller than the screen is shown from its beginning.
      if (element.offsetHeight > scroller.clientHeight) {
        element.scrollIntoView({ block: 'start', behavior: isCalm() ? 'auto' : 'smooth' });
      } else toEnd();
    },
    toEnd,
    clear: () => log.replaceChildren(),
    refresh: label,
  };
}
