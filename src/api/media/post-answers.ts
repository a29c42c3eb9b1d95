import type { Post } from '../../media/post.ts';
import { playerTunnelFile } from '../../media/tunnel/player-file.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import { type Answer, createAnswer } from '../answer.ts';
import type { OwnAddress } from './post-shapes.ts';

export interface PostAnswer {
  readonly answer: Answer;
  /** The server whose address is in it; undefined when there is none of ours in it. */
  readonly origin: string | undefined;
}

/**
 * The answer about a post for those who asked at `origin`; remembered as long as the post is held, where that `isKept`.
 * @throws what `shape` throws
 */
export type PostAnswers = (post: Post, origin: string, isKept: boolean) => PostAnswer;

export interface PostAnswersOptions {
  /** Addresses of ours live until `expiresAt`. */
  readonly shape: (post: Post, ownAddress: OwnAddress, expiresAt: number) => object;
  readonly tunnel: Pick<Tunnel, 'address'>;
  readonly now: () => number;
}

/** Addresses of ours in an answer live this long, and are handed out for half of it. */
const LINK_LIFE_MS = 6 * 3_600_000;

/** A post that is asked for often is the same object every time: its answer is written once, with our own addresses once for each half of their life. */
export function createPostAnswers({ shape, tunnel, now }: PostAnswersOptions): PostAnswers {
  const written = new WeakMap<Post, PostAnswer & { readonly until: number }>();

  function write(post: Post, origin: string): PostAnswer & { readonly until: number } {
    const expiresAt = now() + LINK_LIFE_MS;
    let isOurs = false;
    const ownAddress: OwnAddress = (index, file, of = post) => {
      isOurs = true;
      return origin + tunnel.address(playerTunnelFile(of, index, file, expiresAt));
    };
    const answer = createAnswer(shape(post, ownAddress, expiresAt));
    return { answer, origin: isOurs ? origin : undefined, until: expiresAt - LINK_LIFE_MS / 2 };
  }

  return (post, origin, isKept) => {
    if (!isKept) return write(post, origin);
    const known = written.get(post);
    if (known !== undefined && (known.origin === undefined || (known.origin === origin && known.until > now())))
      return known;
    const fresh = write(post, origin);
    written.set(post, fresh);
    return fresh;
  };
}
