import { recallJson, remember } from '../base/dom.ts';
import type { ReplyPlace } from '../base/history.ts';

/** The position of a reply in which something else was opened, and the scroll position at that time. */
export interface Opened extends ReplyPlace {
  readonly top: number;
}

type GoBack = (place: ReplyPlace, top: number | undefined) => boolean;
type GoForward = (place: ReplyPlace) => number | undefined;

const KEY = 'medley.opened';

/**
 * Makes the browser's Back button close what was opened last, before it leaves the page; Forward opens it again.
 * @param goBack shows the previous reply again; it returns false when there is none
 * @param goForward shows the reply again that Back closed; it returns the scroll position from before, or undefined if
 * none was closed
 */
export function createWayBack(goBack: GoBack, goForward: GoForward) {
  /** For each history entry, also those after the current one: what it opened; null if that was closed out of order. */
  let steps = restore();
  /** How many entries of `steps` are behind the current position, so that Back returns to them. */
  let depth = depthOf(history.state);
  let isReturning = false;

  function save(): void {
    remember('sessionStorage', KEY, JSON.stringify(steps));
  }

  function onGoneBack(from: number): void {
    const closed = steps.slice(depth, from).reverse();
    const shown = closed.filter(step => step !== null && goBack(step, step.top));
    // If nothing visible was closed, the press of Back would have no effect, so the page goes back once more.
    if (shown.length === 0 && depth > 0) history.back();
  }

  function onGoneForward(from: number): void {
    let hasShown = false;
    for (const [index, step] of steps.entries()) {
      const isPassed = index >= from && index < depth;
      const top = step !== null && isPassed ? goForward(step) : undefined;
      if (step === null || top === undefined) continue;
      steps[index] = { ...step, top };
      hasShown = true;
    }
    save();
    if (hasShown) return;
    if (steps.slice(depth).some(step => step !== null)) history.forward();
    else {
      // Nothing is left to open, so the browser goes back from this entry. Otherwise Back would need a second press.
      isReturning = true;
      history.go(from - depth);
    }
  }

  addEventListener('popstate', event => {
    const from = depth;
    depth = depthOf(event.state);
    if (isReturning) isReturning = false;
    else if (depth < from) onGoneBack(from);
    else if (depth > from) onGoneForward(from);
  });

  return {
    opened(opened: Opened): void {
      const behind = Array.from({ length: depth }, (_, index) => steps[index] ?? null);
      steps = [...behind, opened];
      depth = steps.length;
      history.pushState({ depth }, '');
      save();
    },
    /** Closes what was opened in this reply, as the browser's Back button would. */
    leave(place: ReplyPlace): void {
      const behind = steps.slice(0, depth);
      const at = behind.map(step => step?.turn === place.turn && step.index === place.index).lastIndexOf(true);
      if (at >= 0 && at === depth - 1) {
        // Entries before this one whose content is closed already are left as well: Back would do nothing there.
        const open = behind.slice(0, at).map(step => step !== null);
        history.go(open.lastIndexOf(true) + 1 - depth);
        return;
      }
      goBack(place, steps[at]?.top);
      if (at >= 0) steps[at] = null;
      save();
    },
    clear(): void {
      steps = [];
      save();
      if (depth > 0) history.go(-depth);
    },
  };
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
