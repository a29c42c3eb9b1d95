import { byId, isCalm } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import { text } from '../base/texts.ts';

const NEAR_END_PX = 120;
const EDGE_PX = 12;
/** What is further away is shown at once: on the way there every turn would be laid out, and each layout would slow the scroll down. */
const FAR_SCREENS = 3;
/** A smooth scroll that has not moved for this long has ended. */
const GLIDE_MS = 300;
/** After any of these events, the page no longer moves what the reader looks at. */
const GESTURES = ['pointerdown', 'wheel', 'keydown'] as const;

/** The scrolling part of the page: it follows the newest answers unless the reader scrolls elsewhere. */
export class Thread {
  readonly #scroller = byId('thread', HTMLElement);
  readonly #log = byId('log', HTMLDivElement);
  readonly #latest = byId('latest', HTMLButtonElement);
  /** True while new answers are scrolled into view: until the reader scrolls up, and again from the end. */
  #isFollowing = true;
  /** The part that is kept in view when the layout changes, until the reader moves: the end, or the beginning of an element. */
  #anchor: 'end' | HTMLElement | undefined;
  /** Runs during a smooth scroll. */
  #gliding: ReturnType<typeof setTimeout> | undefined;
  #hasNew = false;
  /** The last scroll position and height: with an anchor, a layout change alters the height, while a reader's scrolling does not. */
  #lastTop = 0;
  #lastHeight = 0;
  /** The text of the button, which changes with the language. */
  #label = '';

  constructor() {
    // Arrow keys can only scroll it if it can have the focus.
    this.#scroller.tabIndex = 0;
    this.#scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const gesture of GESTURES)
      this.#scroller.addEventListener(gesture, () => this.#onGesture(), { passive: true });
    this.#latest.addEventListener('click', () => this.toEnd());
    // When the input grows, the keyboard opens or the window turns, the end stays in view.
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
  }

  /** Call after `added` was added to `element`: scrolls it into view if the reader was at the end. */
  follow(element: HTMLElement, added: HTMLElement): void {
    if (!this.#isFollowing) {
      this.#hasNew = true;
      this.#look();
    } else if (!this.#isNewest(element)) this.#keepAnchor();
    else if (element.offsetHeight > this.#scroller.clientHeight) this.#showBeginning(element, added);
    else this.toEnd();
  }

  /** Call after `element` shows something else: keeps the pressed control under the finger, `drift` pixels from its former position. */
  steady(element: HTMLElement, drift: number): void {
    this.#anchor = undefined;
    if (element.offsetHeight > this.#scroller.clientHeight) this.#glide(this.#topOf(element) - EDGE_PX);
    else this.#jump(this.#scroller.scrollTop + drift);
  }

  toEnd(): void {
    this.#isFollowing = true;
    this.#hasNew = false;
    this.#anchor = 'end';
    this.#glide(this.#anchorTop());
  }

  /** The scroll position in pixels. */
  top(): number {
    return this.#scroller.scrollTop;
  }

  /** Scrolls there at once. */
  restore(top: number): void {
    this.#isFollowing = false;
    this.#anchor = undefined;
    this.#jump(top);
  }

  focus(): void {
    this.#scroller.focus({ preventScroll: true });
  }

  clear(): void {
    this.#log.replaceChildren();
  }

  /** Updates the button's label when the language or its meaning has changed. */
  refresh(): void {
    const words = text(this.#hasNew ? 'newReplies' : 'scrollDown');
    if (words === this.#label) return;
    this.#label = words;
    this.#latest.replaceChildren(icon('down'), ...(this.#hasNew ? [words] : []));
    this.#latest.setAttribute('aria-label', words);
  }

  /**
   * Shows an answer that is taller than the screen from its beginning, and stays there. The question stays above it if there is space for
   * the tools as well.
   */
  #showBeginning(element: HTMLElement, added: HTMLElement): void {
    this.#isFollowing = false;
    const tools = added.querySelector('.tools')?.getBoundingClientRect().bottom ?? 0;
    const isLow = tools - element.getBoundingClientRect().top + 2 * EDGE_PX > this.#scroller.clientHeight;
    this.#anchor = isLow ? added : element;
    this.#glide(this.#anchorTop());
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight } = this.#scroller;
    const moved = scrollTop - this.#lastTop;
    const mayBeLayout = this.#anchor !== undefined && scrollHeight !== this.#lastHeight;
    const isReader = this.#gliding === undefined && !mayBeLayout && Math.abs(moved) > 1;
    if (this.#gliding !== undefined) this.#armGlide();
    if (isReader) this.#onReaderMoved(moved);
    this.#look();
  }

  #onReaderMoved(moved: number): void {
    this.#anchor = undefined;
    if (this.#leftBelow() < NEAR_END_PX) {
      this.#isFollowing = true;
      this.#hasNew = false;
      if (moved > 0) this.#anchor = 'end';
    } else if (moved < 0) this.#isFollowing = false;
  }

  /** The gesture may have scrolled already before its event came. */
  #onGesture(): void {
    if (this.#anchor === undefined) return;
    this.#anchor = undefined;
    this.#isFollowing &&= this.#leftBelow() < NEAR_END_PX;
    // Setting the scroll position to its present value stops a smooth scroll.
    if (this.#gliding !== undefined) this.#jump(this.#scroller.scrollTop);
  }

  #leftBelow(): number {
    return this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight;
  }

  #look(): void {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastHeight = this.#scroller.scrollHeight;
    this.#latest.hidden = !this.#hasNew && this.#leftBelow() < this.#scroller.clientHeight;
    this.refresh();
  }

  /** Call when the layout may have changed: scrolls the anchor back to its place. */
  #keepAnchor(): void {
    if (this.#anchor === undefined) this.#look();
    else if (this.#gliding === undefined) this.#jump(this.#anchorTop());
    else this.#glide(this.#anchorTop());
  }

  /** The scroller itself limits this to its range. */
  #anchorTop(): number {
    const anchor = this.#anchor;
    return anchor === undefined || anchor === 'end' ? this.#scroller.scrollHeight : this.#topOf(anchor) - EDGE_PX;
  }

  #topOf(element: HTMLElement): number {
    const { top } = this.#scroller.getBoundingClientRect();
    return element.getBoundingClientRect().top - top + this.#scroller.scrollTop;
  }

  #jump(top: number): void {
    clearTimeout(this.#gliding);
    this.#gliding = undefined;
    this.#scroller.scrollTo({ top, behavior: 'instant' });
    this.#look();
  }

  #glide(top: number): void {
    const isFar = Math.abs(top - this.#scroller.scrollTop) > FAR_SCREENS * this.#scroller.clientHeight;
    if (isCalm() || isFar) {
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

  /** False when something was asked after it: then the reader waits for that. */
  #isNewest(element: HTMLElement): boolean {
    return [...this.#log.children].filter(each => each.checkVisibility()).at(-1) === element;
  }
}

/**
 * Safari puts its keyboard over the page instead of shrinking it, so the height is set here; pinching changes the same number and is
 * ignored.
 */
function fitAboveKeyboard(): void {
  const viewport = window.visualViewport;
  viewport?.addEventListener('resize', () => {
    if (viewport.scale !== 1) return;
    document.body.style.height = `${viewport.height}px`;
    window.scrollTo(0, 0);
  });
}
