import type { DiscordApi } from '../api/discord-api.ts';
import { TIMES } from '../api/limits.ts';

/** Shows in a channel that Medley is at work, a moment from now until the returned function is called. */
export function showTyping(
  api: Pick<DiscordApi, 'showTyping'>,
  channelId: string,
  onFailure: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  function wait(ms: number): void {
    timer = setTimeout(show, ms);
    timer.unref();
  }

  function show(): void {
    api.showTyping(channelId).then(
      () => {
        if (!isOver) wait(TIMES.typing);
      },
      // Without it the answer comes all the same, so it is not tried again.
      onFailure,
    );
  }

  wait(TIMES.firstTyping);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
