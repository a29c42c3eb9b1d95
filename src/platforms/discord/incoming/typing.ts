import { TIMES } from '../limits.ts';
import type { Sender } from '../outgoing/send.ts';

/** Shows that Medley is at work, from the first sign of waiting until it is stopped. */
export interface Typing {
  start(): void;
  stop(): void;
}

/** What is in the cache is there before anyone could see it. */
const FIRST_MS = 800;

export function createTyping(
  sender: Pick<Sender, 'showTyping'>,
  channelId: string,
  onFailure: (error: unknown) => void,
): Typing {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function wait(ms: number): void {
    timer = setTimeout(show, ms);
    timer.unref();
  }

  function show(): void {
    sender.showTyping(channelId).then(
      () => {
        if (!stopped) wait(TIMES.typing);
      },
      // Without it the answer comes all the same, so it is not tried again.
      onFailure,
    );
  }

  return {
    start() {
      if (timer === undefined && !stopped) wait(FIRST_MS);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
