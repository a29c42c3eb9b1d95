/** The people and posts of the sandbox's TikTok. All of them are invented. */
import { tiktok } from '../../../src/media/sources/tiktok/descriptor.ts';
import { BOWL, CLAY, type Clip, DUSK, FERN, type Photo, SEA, TRAM } from '../media.ts';

export interface TiktokPost {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly text: string;
  readonly clip: Clip | null;
  /** Shown to a sound. */
  readonly slides: readonly Photo[];
  readonly state: 'public' | 'removed' | 'private' | 'classified' | 'abroad';
  readonly about: string;
}

function post(id: string, about: string, more: Partial<TiktokPost>): TiktokPost {
  const author = { username: 'mara.turns.clay', name: 'Mara Lindqvist' };
  return { id, about, ...author, text: '', clip: null, slides: [], state: 'public', ...more };
}

export const TIKTOK_POSTS: readonly TiktokPost[] = [
  post('7560000000000000011', 'a video on TikTok', { text: 'Centring for beginners #pottery', clip: CLAY }),
  post('7560000000000000022', 'photos with their sound on TikTok', {
    text: 'Three glazes, one kiln',
    slides: [FERN, BOWL, DUSK],
  }),
  post('7560000000000000033', 'a removed video on TikTok', { clip: SEA, state: 'removed' }),
  post('7560000000000000044', 'a private video on TikTok', { clip: SEA, state: 'private' }),
  post('7560000000000000055', 'a video for adults on TikTok', { clip: SEA, state: 'classified' }),
  post('7560000000000000066', 'a video that is not shown abroad on TikTok', { clip: SEA, state: 'abroad' }),
  ...tiktok.examples.map(link =>
    post(link.slice(link.lastIndexOf('/') + 1), 'an example', { username: 'ostvik.tram.museum', clip: TRAM }),
  ),
];

/** Where a short link leads, by its host and code. */
export const TIKTOK_SHORT_LINKS: ReadonlyMap<string, string> = new Map([
  ['vm.tiktok.com/ZMsandbowl', '7560000000000000011'],
  // Its page names the post.
  ['vt.tiktok.com/ZSsandbowl', '7560000000000000022'],
  // By way of the login page.
  ['www.tiktok.com/ZTsandbowl', '7560000000000000011'],
]);
