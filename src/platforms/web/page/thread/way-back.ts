import { recall, remember } from '../dom.ts';
import type { Place } from '../history.ts';

/** What was opened in its place, and how far the conversation was scrolled then. */
export interface Opened extends Place {
  readonly top: number;
}

/** The browser's Back closes what was opened last, before it leaves the page. */
export interface WayBack {
  opened(opened: Opened): void;
  /** Does for this place what Back would do. */
  leave(place: Place): void;
  clear(): void;
}

const KEY = 'medley.opened';

/** @param onBack shows again what was there before; false when there is nothing to show */
export function createWayBack(onBack: (place: Place, top: number | undefined) => boolean): WayBack {
  /** One for each step of the browser's history that is ours; null for one that was closed out of turn. */
  let steps: (Opened | null)[] = restore().slice(0, depthOf(history.state));

  function keep(): void {
    remember('sessionStorage', KEY, JSON.stringify(steps));
  }

  addEventListener('popstate', event => {
    const depth = depthOf(event.state);
    const left = steps.slice(depth);
    if (left.length === 0) return;
    steps = steps.slice(0, depth);
    keep();
    const shown = left.reverse().filter(step => step !== null && onBack(step, step.top));
    // A press that would seem to do nothing goes one step further.
    if (shown.length === 0 && depth > 0) history.back();
  });

  return {
    opened(opened) {
      steps.push(opened);
      history.pushState({ depth: steps.length }, '');
      keep();
    },
    leave(place) {
      const at = steps.map(step => step?.turn === place.turn && step.index === place.index).lastIndexOf(true);
      if (at >= 0 && at === steps.length - 1) {
        history.back();
        return;
      }
      onBack(place, steps[at]?.top);
      if (at >= 0) steps[at] = null;
      keep();
    },
    clear() {
      const depth = steps.length;
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
