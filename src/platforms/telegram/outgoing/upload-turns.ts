import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { isAudio } from '../render/render.ts';
import type { ReplyContext } from './context.ts';
import type { FileCandidates } from './file-candidates.ts';
import type { ChatAction, ChatActions } from './message-api.ts';

export type UploadInTurn = ReturnType<typeof createUploadTurns>;

export function createUploadTurns(actions: ChatActions) {
  const busy = new Map<string, Promise<void>>();

  /**
   * Sends a post's files. Requests for the same post take turns: the first one uploads the files, and the next ones
   * send them by the ids that Telegram gave.
   * @throws whatever `send` throws, or the signal's reason
   */
  return async <T>(
    items: readonly GalleryItem[],
    ways: readonly FileCandidates[],
    { to, signal }: Pick<ReplyContext, 'to' | 'signal'>,
    send: () => Promise<T>,
  ): Promise<T> => {
    const post = postKey(items);
    for (;;) {
      if (await areRemembered(ways)) return send();
      const other = busy.get(post);
      if (other === undefined) break;
      await abortable(other, signal);
    }
    const release = () => void busy.delete(post);
    const sending = actions.during(to, actionFor(items), send);
    busy.set(post, sending.then(release, release));
    return sending;
  };
}

/** The key of the post that these files belong to. */
export function postKey([first]: readonly GalleryItem[]): string {
  return JSON.stringify(first && [first.post.source, first.post.id, first.form]);
}

async function areRemembered(ways: readonly FileCandidates[]): Promise<boolean> {
  return (await Promise.all(ways.map(each => each.isRemembered()))).every(Boolean);
}

function actionFor(items: readonly GalleryItem[]): ChatAction {
  if (items.every(isAudio)) return 'upload_document';
  return items.some(({ post, index }) => post.items[index]?.kind === 'video') ? 'upload_video' : 'upload_photo';
}
