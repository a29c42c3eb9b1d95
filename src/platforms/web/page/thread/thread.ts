import { icon } from '../card/icons.ts';
import { byId, isCalm } from '../dom.ts';
import { text } from '../texts.ts';

/** The scrolling part of the page: stays with the newest unless someone reads further up. */
export interface Thread {
  append(element: HTMLElement): void;
  /** Call after `added` was added to `element`: brings it into sight if the reader was at the end. */
  follow(element: HTMLElement, added: HTMLElement): void;
  /** Call after what is shown in `element` was exchanged: what is pressed stays under the finger, `drift` pixels from where it was. */
  steady(element: HTMLElement, drift: number): void;
  toEnd(): void;
  /** How far it is scrolled, in pixels. */
  top(): number;
  /** Scrolls there at once. */
  restore(top: number): void;
  focus(): void;
  clear(): void;
  refresh(): void;
}

const NEAR_END_PX = 120;
const EDGE_PX = 12;

export function createThread(): Thread {
  const scroller = byId('thread', HTMLElement);
  const log = byId('log', HTMLDivElement);
  const latest = byId('latest', HTMLButtonElement);
  /** Whether what comes next is to be brought into sight: until someone scrolls up, and again from the end. */
  let following = true;
  let hasNew = false;
  let lastTop = 0;
  /** What the button says, in what language. */
  let labelled = '';

  function update(): void {
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (left < NEAR_END_PX) {
      following = true;
      hasNew = false;
    } else if (scroller.scrollTop < lastTop - 1) following = false;
    lastTop = scroller.scrollTop;
    latest.hidden = !hasNew && left < scroller.clientHeight;
    label();
  }

  function label(): void {
    const words = text(hasNew ? 'newReplies' : 'scrollDown');
    if (words === labelled) return;
    labelled = words;
    latest.replaceChildren(icon('down'), ...(hasNew ? [words] : []));
    latest.setAttribute('aria-label', words);
  }

  function scrollTo(top: number): void {
    scroller.scrollTo({ top, behavior: isCalm() ? 'auto' : 'smooth' });
  }

  function toEnd(): void {
    following = true;
    scrollTo(scroller.scrollHeight);
  }

  function topOf(element: HTMLElement): number {
    return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  }

  // So that the arrow keys can scroll it.
  scroller.tabIndex = 0;
  scroller.addEventListener('scroll', update, { passive: true });
  latest.addEventListener('click', toEnd);
  // The input growing, the keyboard opening, the window turning: the end stays in sight.
  new ResizeObserver(() => {
    if (following) scroller.scrollTop = scroller.scrollHeight;
  }).observe(scroller);
  fitAboveKeyboard();
  label();

  return {
    append: element => log.append(element),
    follow(element, added) {
      if (!following) {
        hasNew = true;
        update();
      } else if (element.offsetHeight > scroller.clientHeight) {
        // What is taller than the screen is shown from its beginning, and left there to be looked at. What was asked stays above it
        // where there is space for what can be done, too.
        following = false;
        const tools = added.querySelector('.tools')?.getBoundingClientRect().bottom ?? 0;
        const isLow = tools - element.getBoundingClientRect().top + 2 * EDGE_PX > scroller.clientHeight;
        scrollTo(topOf(isLow ? added : element) - EDGE_PX);
      } else toEnd();
    },
    steady(element, drift) {
      if (element.offsetHeight > scroller.clientHeight) scrollTo(topOf(element) - EDGE_PX);
      else scroller.scrollTop += drift;
    },
    toEnd,
    top: () => scroller.scrollTop,
    restore(top) {
      following = false;
      scroller.scrollTop = top;
    },
    focus: () => scroller.focus({ preventScroll: true }),
    clear: () => log.replaceChildren(),
    refresh: label,
  };
}

/** Safari lays its keyboard over the page instead of shrinking it; pinching shrinks the same number and is left alone. */
function fitAboveKeyboard(): void {
  const viewport = window.visualViewport;
  viewport?.addEventListener('resize', () => {
    if (viewport.scale !== 1) return;
    document.body.style.height = `${viewport.height}px`;
    window.scrollTo(0, 0);
  });
}
