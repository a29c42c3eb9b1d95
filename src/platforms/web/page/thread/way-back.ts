import { recallJson, remember } from '../base/dom.ts';
import type { ReplyPlace } from '../base/history.ts';

/** The position of a reply in which something else was opened, and the scroll position at that time. */
export interface Opened extends ReplyPlace {
  readonly top: number;
}

type GoBack = (place: ReplyPlace, top: number | undefined) => boolean;
type GoForward = (place: ReplyPlace) => number | undefined;

const KEY = 'medley.opened';

/** Makes the browser's Back button close what was opened last, before it leaves the page; Forward opens it again. */
export class WayBack {
  readonly #goBack: GoBack;
  readonly #goForward: GoForward;
  /** For each history entry, also those after the current one: what it opened; null if that was closed out of order. */
  #steps = restore();
  /** How many entries of `#steps` are behind the current position, so that Back returns to them. */
  #depth = depthOf(history.state);
  #isReturning = false;

  /**
   * @param goBack shows the previous reply again; it returns false when there is none
   * @param goForward shows the reply again that Back closed; it returns the scroll position from before, or undefined
   * if none was closed
   */
  constructor(goBack: GoBack, goForward: GoForward) {
    this.#goBack = goBack;
    this.#goForward = goForward;
    addEventListener('popstate', event => {
      const from = this.#depth;
      this.#depth = depthOf(event.state);
      if (this.#isReturning) this.#isReturning = false;
      else if (this.#depth < from) this.#onGoneBack(from);
      else if (this.#depth > from) this.#onGoneForward(from);
    });
  }

  opened(opened: Opened): void {
    const behind = Array.from({ length: this.#depth }, (_, index) => this.#steps[index] ?? null);
    this.#steps = [...behind, opened];
    this.#depth = this.#steps.length;
    history.pushState({ depth: this.#depth }, '');
    this.#save();
  }

  /** Closes what was opened in this reply, as the browser's Back button would. */
  leave(place: ReplyPlace): void {
    const behind = this.#steps.slice(0, this.#depth);
    const at = behind.map(step => step?.turn === place.turn && step.index === place.index).lastIndexOf(true);
    if (at >= 0 && at === this.#depth - 1) {
      // Entries before this one whose content is closed already are left as well: Back would do nothing there.
      const open = behind.slice(0, at).map(step => step !== null);
      history.go(open.lastIndexOf(true) + 1 - this.#depth);
      return;
    }
    this.#goBack(place, this.#steps[at]?.top);
    if (at >= 0) this.#steps[at] = null;
    this.#save();
  }

  clear(): void {
    this.#steps = [];
    this.#save();
    if (this.#depth > 0) history.go(-this.#depth);
  }

  #save(): void {
    remember('sessionStorage', KEY, JSON.stringify(this.#steps));
  }

  #onGoneBack(from: number): void {
    const closed = this.#steps.slice(this.#depth, from).reverse();
    const shown = closed.filter(step => step !== null && this.#goBack(step, step.top));
    // If nothing visible was closed, the press of Back would have no effect, so the page goes back once more.
    if (shown.length === 0 && this.#depth > 0) history.back();
  }

  #onGoneForward(from: number): void {
    let hasShown = false;
    for (const [index, step] of this.#steps.entries()) {
      const isPassed = index >= from && index < this.#depth;
      const top = step !== null && isPassed ? this.#goForward(step) : undefined;
      if (step === null || top === undefined) continue;
      this.#steps[index] = { ...step, top };
      hasShown = true;
    }
    this.#save();
    if (hasShown) return;
    if (this.#steps.slice(this.#depth).some(step => step !== null)) history.forward();
    else {
      // Nothing is left to open, so the browser goes back from this entry. Otherwise Back would need a second press.
      this.#isReturning = true;
      history.go(from - this.#depth);
    }
  }
}

function depthOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('depth' in state)) return 0;
  return typeof state.depth === 'number' ? state.depth : 0;
}

function restore(): (Opened | null)[] {
  const stored = recallJson('sessionStorage', KEY);
  return Array.isArray(stored) ? stored.map(each => (isOpened(each) ? each : null)) : [];
}

function isOpened(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null && 'turn' in value && 'index' in value && 'top' in value;
}
