import { byId, isCalm } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import { text } from '../base/texts.ts';

/** The scrolling part of the page: stays with the newest unless the reader scrolls elsewhere. */
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
/** A smooth scroll that has not moved for so long has ended. */
const GLIDE_MS = 300;
/** After any of these the page moves nothing that the reader looks at. */
const GESTURES = ['pointerdown', 'wheel', 'keydown'] as const;

export function createThread(): Thread {
  const scroller = byId('thread', HTMLElement);
  const log = byId('log', HTMLDivElement);
  const latest = byId('latest', HTMLButtonElement);
  /** Whether what comes next is to be brought into sight: until someone scrolls up, and again from the end. */
  let following = true;
  /** What is kept in sight though the layout changes, until the reader moves: the end, or where something begins. */
  let held: 'end' | HTMLElement | undefined;
  /** Runs while a smooth scroll does. */
  let gliding: ReturnType<typeof setTimeout> | undefined;
  let hasNew = false;
  /** As they were when last looked at: while something is held, a jump of the layout changes the height, and a reader who scrolls does not. */
  let lastTop = 0;
  let lastHeight = 0;
  /** What the button says, in what language. */
  let labelled = '';

  function onScroll(): void {
    const { scrollTop, scrollHeight } = scroller;
    const moved = scrollTop - lastTop;
    const mayBeLayout = held !== undefined && scrollHeight !== lastHeight;
    const isReader = gliding === undefined && !mayBeLayout && Math.abs(moved) > 1;
    if (gliding !== undefined) armGlide();
    if (isReader) readerMoved(moved);
    look();
  }

  function leftBelow(): number {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  }

  function readerMoved(moved: number): void {
    held = undefined;
    if (leftBelow() < NEAR_END_PX) {
      following = true;
      hasNew = false;
      if (moved > 0) held = 'end';
    } else if (moved < 0) following = false;
  }

  function look(): void {
    lastTop = scroller.scrollTop;
    lastHeight = scroller.scrollHeight;
    latest.hidden = !hasNew && leftBelow() < scroller.clientHeight;
    label();
  }

  function label(): void {
    const words = text(hasNew ? 'newReplies' : 'scrollDown');
    if (words === labelled) return;
    labelled = words;
    latest.replaceChildren(icon('down'), ...(hasNew ? [words] : []));
    latest.setAttribute('aria-label', words);
  }

  /** The scroller itself keeps this within what there is to scroll. */
  function heldTop(): number {
    return held === undefined || held === 'end' ? scroller.scrollHeight : topOf(held) - EDGE_PX;
  }

  function jump(top: number): void {
    clearTimeout(gliding);
    gliding = undefined;
    scroller.scrollTo({ top, behavior: 'instant' });
    look();
  }

  function glide(top: number): void {
    if (isCalm()) {
      jump(top);
      return;
    }
    scroller.scrollTo({ top, behavior: 'smooth' });
    armGlide();
  }

  function armGlide(): void {
    clearTimeout(gliding);
    gliding = setTimeout(() => {
      gliding = undefined;
      hold();
    }, GLIDE_MS);
  }

  /** Call when the layout may have changed: what is held is brought back to its place. */
  function hold(): void {
    if (held === undefined) look();
    else if (gliding === undefined) jump(heldTop());
    else glide(heldTop());
  }

  /** What the reader did may have scrolled already, before its event came. */
  function letGo(): void {
    if (held === undefined) return;
    held = undefined;
    following &&= leftBelow() < NEAR_END_PX;
    // Set to where it is, the scroller stops.
    if (gliding !== undefined) jump(scroller.scrollTop);
  }

  function toEnd(): void {
    following = true;
    hasNew = false;
    held = 'end';
    glide(heldTop());
  }

  function topOf(element: HTMLElement): number {
    return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  }

  // So that the arrow keys can scroll it.
  scroller.tabIndex = 0;
  scroller.addEventListener('scroll', onScroll, { passive: true });
  for (const gesture of GESTURES) scroller.addEventListener(gesture, letGo, { passive: true });
  latest.addEventListener('click', toEnd);
  // The input growing, the keyboard opening, the window turning: the end stays in sight.
  new ResizeObserver(() => {
    if (following) held ??= 'end';
    hold();
  }).observe(scroller);
  new ResizeObserver(hold).observe(log);
  fitAboveKeyboard();
  label();

  /** Whether something was asked after it: then that is what the reader waits for. */
  function isNewest(element: HTMLElement): boolean {
    return [...log.children].filter(each => each.checkVisibility()).at(-1) === element;
  }

  return {
    append: element => log.append(element),
    follow(element, added) {
      if (!following) {
        hasNew = true;
        look();
      } else if (!isNewest(element)) hold();
      else if (element.offsetHeight > scroller.clientHeight) {
        // What is taller than the screen is shown from its beginning, and left there to be looked at. What was asked stays above it
        // where there is space for what can be done, too.
        following = false;
        const tools = added.querySelector('.tools')?.getBoundingClientRect().bottom ?? 0;
        const isLow = tools - element.getBoundingClientRect().top + 2 * EDGE_PX > scroller.clientHeight;
        held = isLow ? added : element;
        glide(heldTop());
      } else toEnd();
    },
    steady(element, drift) {
      held = undefined;
      if (element.offsetHeight > scroller.clientHeight) glide(topOf(element) - EDGE_PX);
      else jump(scroller.scrollTop + drift);
    },
    toEnd,
    top: () => scroller.scrollTop,
    restore(top) {
      following = false;
      held = undefined;
      jump(top);
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
