import { byId, isMotionReduced } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import { text } from '../base/texts.ts';
import { layOutOnce } from './first-layout.ts';

const NEAR_END_PX = 120;
const EDGE_PX = 12;
/** A smooth scroll is not used over more screens than this, since it would lay out every turn on the way. */
const FAR_SCREENS = 3;
/** This many of the newest turns are laid out even out of view, so that the conversation's end keeps its height. */
const NEAR_TURNS = 3;
/** A smooth scroll that has not moved for this long has ended. */
const GLIDE_MS = 300;
/** After a reader causes one of these events, the page no longer corrects the scroll position. */
const GESTURES = ['pointerdown', 'wheel', 'keydown'] as const;

/** The scrolling part of the page. It follows the newest answers unless the reader scrolls to something else. */
class Thread {
  readonly #scroller = byId('thread', HTMLElement);
  readonly #log = byId('log', HTMLDivElement);
  readonly #latest = byId('latest', HTMLButtonElement);
  /** True while new answers are scrolled into view. It ends when the reader scrolls up, and begins again at the end. */
  #isFollowing = true;
  /** The scroll target that is kept in view when the layout changes, until the reader scrolls. */
  #anchor: 'end' | HTMLElement | undefined;
  /** Yields the turns of an earlier conversation that are not on the page yet. */
  #earlier: Iterator<HTMLElement, void> = [].values();
  /** A timer that is set during a smooth scroll. */
  #gliding: ReturnType<typeof setTimeout> | undefined;
  #hasNew = false;
  /** The last scroll position and height: a layout change alters the height, a reader's scrolling does not. */
  #lastTop = 0;
  #lastHeight = 0;
  /** The label of the button that scrolls to the end, in the page's language. */
  #label = '';

  constructor() {
    // Without a tab index the element cannot have the focus, and so arrow keys cannot scroll it.
    this.#scroller.tabIndex = 0;
    this.#scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const gesture of GESTURES)
      this.#scroller.addEventListener(gesture, () => this.#onGesture(), { passive: true });
    this.#latest.addEventListener('click', () => this.toEnd());
    // The end of the conversation stays in view when the input grows, the keyboard opens or a phone is turned.
    new ResizeObserver(() => {
      if (this.#isFollowing) this.#anchor ??= 'end';
      this.#keepAnchor();
    }).observe(this.#scroller);
    new ResizeObserver(() => this.#keepAnchor()).observe(this.#log);
    fitAboveKeyboard();
    this.refresh();
  }

  append(element: HTMLElement): void {
    this.#log.append(element);
    this.#log.children[this.#log.childElementCount - 1 - NEAR_TURNS]?.classList.add('far');
  }

  /**
   * Shows an earlier conversation: its end now, the rest piece by piece, so that the page can be used meanwhile.
   * `turns` yields the newest turn first, and the same turn again whenever it has grown.
   */
  restore(turns: Iterator<HTMLElement, void>): void {
    this.#earlier = turns;
    this.#addEarlier();
    const next = (): void => {
      // An element added above would lengthen a smooth scroll, so adding waits for its end.
      if (this.#gliding !== undefined) setTimeout(next, GLIDE_MS);
      else if (this.#addEarlier()) setTimeout(next);
    };
    setTimeout(next);
  }

  /** Restores more of the conversation at once, until `isEnough` returns true or all of it is on the page. */
  restoreUntil(isEnough: () => boolean): void {
    while (!isEnough() && this.#addEarlier());
  }

  #addEarlier(): boolean {
    const { value: element, done } = this.#earlier.next();
    if (done) return false;
    if (element.parentElement !== this.#log) {
      element.classList.toggle('far', this.#log.childElementCount >= NEAR_TURNS);
      layOutOnce(element);
      this.#log.prepend(element);
    }
    return true;
  }

  /**
   * To be called after `added` was added to the turn `element`: scrolls to it if the reader was at the end. Scrolling
   * needs the layout, which takes a slow phone as long as making the elements did, so it runs in a task of its own.
   */
  follow(element: HTMLElement, added: HTMLElement): void {
    // If the anchor is the end of the conversation, the page would show the end of the answer before its beginning, so
    // the anchor is removed.
    if (this.#isFollowing && this.#isNewest(element)) this.#anchor = undefined;
    beforeFrame(() => this.#follow(element, added));
  }

  #follow(element: HTMLElement, added: HTMLElement): void {
    if (!this.#isFollowing) {
      this.#hasNew = true;
      this.#noteScroll();
    } else if (!this.#isNewest(element)) this.#keepAnchor();
    else if (this.#topOf(element) < this.#endTop()) this.#showBeginning(element, added);
    else this.toEnd();
  }

  /**
   * To be called after `element` replaced another one. Scrolls to its top if it is taller than the screen, else by
   * `drift` pixels, so that the pressed button stays where it was.
   */
  steady(element: HTMLElement, drift: number): void {
    this.#anchor = undefined;
    if (element.offsetHeight > this.#scroller.clientHeight) this.#glide(this.#topOf(element) - EDGE_PX);
    else this.#jump(this.#scroller.scrollTop + drift);
  }

  toEnd(): void {
    this.#isFollowing = true;
    this.#hasNew = false;
    this.#anchor = 'end';
    beforeFrame(() => this.#anchor === 'end' && this.#glide(this.#anchorTop()));
  }

  /** The scroll position in pixels. */
  top(): number {
    return this.#scroller.scrollTop;
  }

  /** Scrolls to that position at once. New answers are no longer followed. */
  scrollTo(top: number): void {
    this.#isFollowing = false;
    this.#anchor = undefined;
    this.#jump(top);
  }

  focus(): void {
    this.#scroller.focus({ preventScroll: true });
  }

  clear(): void {
    this.#earlier = [].values();
    this.#log.replaceChildren();
    this.#jump(0);
  }

  /** Updates the button's label after a change of the language or of what it does. */
  refresh(): void {
    const words = text(this.#hasNew ? 'newReplies' : 'scrollDown');
    if (words === this.#label) return;
    this.#label = words;
    this.#latest.replaceChildren(icon('down'), ...(this.#hasNew ? [words] : []));
    this.#latest.setAttribute('aria-label', words);
  }

  /**
   * Scrolls to the beginning of an answer that is too tall for the screen, or of the first if there are several. The
   * person's question stays in view above it if the file buttons (`.tools`) still fit.
   */
  #showBeginning(element: HTMLElement, added: HTMLElement): void {
    this.#isFollowing = false;
    const [first = added] = element.querySelectorAll<HTMLElement>('.answers > *');
    this.#hasNew = first !== added;
    const tools = first.querySelector('.tools')?.getBoundingClientRect().bottom ?? 0;
    const { clientHeight } = this.#scroller;
    const isLow =
      element.offsetHeight > clientHeight && tools - element.getBoundingClientRect().top + 2 * EDGE_PX > clientHeight;
    this.#anchor = isLow ? first : element;
    this.#glide(this.#anchorTop());
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight } = this.#scroller;
    const moved = scrollTop - this.#lastTop;
    const mayBeLayout = this.#anchor !== undefined && scrollHeight !== this.#lastHeight;
    const isReader = this.#gliding === undefined && !mayBeLayout && Math.abs(moved) > 1;
    if (this.#gliding !== undefined) this.#armGlide();
    if (isReader) this.#onReaderMoved(moved);
    this.#noteScroll();
  }

  #onReaderMoved(moved: number): void {
    this.#anchor = undefined;
    if (this.#leftBelow() < NEAR_END_PX) {
      this.#isFollowing = true;
      this.#hasNew = false;
      if (moved > 0) this.#anchor = 'end';
    } else if (moved < 0) this.#isFollowing = false;
  }

  /** Stops correcting the scroll position, and stops following new answers unless the end is nearly in view. */
  #onGesture(): void {
    if (this.#anchor === undefined) return;
    this.#anchor = undefined;
    this.#isFollowing &&= this.#leftBelow() < NEAR_END_PX;
    // Setting the scroll position to its current value stops a smooth scroll.
    if (this.#gliding !== undefined) this.#jump(this.#scroller.scrollTop);
  }

  #leftBelow(): number {
    return this.#endTop() - this.#scroller.scrollTop;
  }

  /** The scroll position at the end of the conversation. */
  #endTop(): number {
    return this.#scroller.scrollHeight - this.#scroller.clientHeight;
  }

  #noteScroll(): void {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastHeight = this.#scroller.scrollHeight;
    this.#latest.hidden = !this.#hasNew && this.#leftBelow() < this.#scroller.clientHeight;
    this.refresh();
  }

  /** Called when the layout may have changed: scrolls to keep the anchor in place. An empty page is not scrolled. */
  #keepAnchor(): void {
    const isEmpty = this.#log.childElementCount === 0;
    if (this.#anchor === undefined || isEmpty) this.#noteScroll();
    else if (this.#gliding === undefined) this.#jump(this.#anchorTop());
    else this.#glide(this.#anchorTop());
  }

  /** The scroll position for the anchor; the browser limits it to the possible range. */
  #anchorTop(): number {
    const anchor = this.#anchor;
    if (anchor === undefined || anchor === 'end') return this.#scroller.scrollHeight;
    // An answer that nearly fills the screen gets less space above it, so that little of its end is out of view.
    const spare = Math.abs(this.#scroller.clientHeight - anchor.offsetHeight);
    return this.#topOf(anchor) - Math.min(spare, EDGE_PX);
  }

  #topOf(element: HTMLElement): number {
    const { top } = this.#scroller.getBoundingClientRect();
    return element.getBoundingClientRect().top - top + this.#scroller.scrollTop;
  }

  #jump(top: number): void {
    clearTimeout(this.#gliding);
    this.#gliding = undefined;
    this.#scroller.scrollTo({ top, behavior: 'instant' });
    this.#noteScroll();
  }

  #glide(top: number): void {
    const isFar = Math.abs(top - this.#scroller.scrollTop) > FAR_SCREENS * this.#scroller.clientHeight;
    if (isMotionReduced() || isFar) {
      this.#jump(top);
      return;
    }
    this.#scroller.scrollTo({ top, behavior: 'smooth' });
    this.#armGlide();
  }

  #armGlide(): void {
    clearTimeout(this.#gliding);
    this.#gliding = setTimeout(() => {
      this.#gliding = undefined;
      this.#keepAnchor();
    }, GLIDE_MS);
  }

  /** True for the last visible turn. Answers in earlier turns are not scrolled to, since a later question follows. */
  #isNewest(element: HTMLElement): boolean {
    return [...this.#log.querySelectorAll(':scope > :not([hidden])')].at(-1) === element;
  }
}

/** The scrolling part of the one page. */
export const thread = new Thread();

/**
 * Calls `act` soon, in a task of its own. In browsers in which tasks have priorities, it runs before the next frame is
 * drawn.
 */
function beforeFrame(act: () => void): void {
  if ('scheduler' in window) void window.scheduler.postTask(act, { priority: 'user-blocking' });
  else setTimeout(act);
}

/**
 * Shrinks the page to the part above Safari's keyboard, which covers the page instead of shrinking it. Pinch zoom also
 * changes the height that is read here, but must not shrink the page, so it is ignored.
 */
function fitAboveKeyboard(): void {
  const viewport = window.visualViewport;
  viewport?.addEventListener('resize', () => {
    if (viewport.scale !== 1) return;
    document.body.style.height = `${viewport.height}px`;
    window.scrollTo(0, 0);
  });
}
