import { recall, remember } from '../base/dom.ts';
import type { Place } from '../base/history.ts';

/** What was opened in its place, and how far the conversation was scrolled then. */
export interface Opened extends Place {
  readonly top: number;
}

/** The browser's Back closes what was opened last, before it leaves the page; Forward opens it again. */
export interface WayBack {
  opened(opened: Opened): void;
  /** Does for this place what Back would do. */
  leave(place: Place): void;
  clear(): void;
}

export interface WayBackOptions {
  /** Shows again what was there before; false when there is nothing to show. */
  readonly onBack: (place: Place, top: number | undefined) => boolean;
  /** Shows again what Back closed there, and tells how far the conversation was scrolled; undefined when there is nothing to show. */
  readonly onForward: (place: Place) => number | undefined;
}

const KEY = 'medley.opened';

export function createWayBack({ onBack, onForward }: WayBackOptions): WayBack {
  /** One for each step of the browser's history that is ours, those ahead among them; null for one that was closed out of turn. */
  let steps = restore();
  /** How many of them are behind. */
  let depth = depthOf(history.state);
  let isReturning = false;

  function keep(): void {
    remember('sessionStorage', KEY, JSON.stringify(steps));
  }

  function goneBack(from: number): void {
    const shown = steps
      .slice(depth, from)
      .reverse()
      .filter(step => step !== null && onBack(step, step.top));
    // A press that would seem to do nothing goes one step further.
    if (shown.length === 0 && depth > 0) history.back();
  }

  function goneForward(from: number): void {
    let hasShown = false;
    for (const [index, step] of steps.entries()) {
      const top = step !== null && index >= from && index < depth ? onForward(step) : undefined;
      if (step === null || top === undefined) continue;
      steps[index] = { ...step, top };
      hasShown = true;
    }
    keep();
    if (hasShown) return;
    if (steps.slice(depth).some(step => step !== null)) history.forward();
    else {
      // With nothing ahead, Back is not to need a second press.
      isReturning = true;
      history.go(from - depth);
    }
  }

  addEventListener('popstate', event => {
    const from = depth;
    depth = depthOf(event.state);
    if (isReturning) isReturning = false;
    else if (depth < from) goneBack(from);
    else if (depth > from) goneForward(from);
  });

  return {
    opened(opened) {
      const behind = Array.from({ length: depth }, (_, index) => steps[index] ?? null);
      steps = [...behind, opened];
      depth = steps.length;
      history.pushState({ depth }, '');
      keep();
    },
    leave(place) {
      const behind = steps.slice(0, depth);
      const at = behind.map(step => step?.turn === place.turn && step.index === place.index).lastIndexOf(true);
      if (at >= 0 && at === depth - 1) {
        // Those below that are closed already go with it.
        const left =
          behind
            .slice(0, at)
            .map(step => step !== null)
            .lastIndexOf(true) + 1;
        history.go(left - depth);
        return;
      }
      onBack(place, steps[at]?.top);
      if (at >= 0) steps[at] = null;
      keep();
    },
    clear() {
      steps = [];
      keep();
      if (depth > 0) history.go(-depth);
    },
  };
}

function depthOf(state: unknown): number {
  if (typeof state !== 'object' || state === null || !('depth' in state)) return 0;
  return typeof state.depth === 'number' ? state.depth : 0;
}

function restore(): (Opened | null)[] {
  try {
    const stored: unknown = JSON.parse(recall('sessionStorage', KEY) ?? '[]');
    return Array.isArray(stored) ? stored.map(each => (isOpened(each) ? each : null)) : [];
  } catch {
    return [];
  }
}

function isOpened(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null && 'turn' in value && 'index' in value && 'top' in value;
}
