/** The people and posts of the sandbox's Threads. All of them are invented. */
import { threads } from '../../../src/media/sources/threads/descriptor.ts';
import { BOWL, CLAY, DUSK, FERN, type Media, SEA, SHORE, TRAM } from '../media.ts';

export interface ThreadsPerson {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly verified: boolean;
  readonly avatar: string;
}

export interface ThreadsPost {
  readonly code: string;
  readonly author: ThreadsPerson;
  readonly text: string | null;
  readonly media: readonly Media[];
  /** Likes, replies, reposts, shares. */
  readonly counts: readonly [number, number, number, number];
  readonly quotes: ThreadsPost | null;
  readonly repliesTo: ThreadsPost | null;
  /** Its video is a reel of Instagram. */
  readonly sharesReel: boolean;
  readonly isGone: boolean;
  readonly about: string;
}

const POTTER: ThreadsPerson = {
  id: '63400345671',
  username: 'mara.turns.clay',
  name: 'Mara Lindqvist',
  verified: false,
  avatar: 'person-2.jpg',
};
const TRAMS: ThreadsPerson = {
  id: '63400345673',
  username: 'ostvik.tram.museum',
  name: 'Ostvik Tram Museum',
  verified: true,
  avatar: 'person-3.jpg',
};

function post(code: string, author: ThreadsPerson, about: string, more: Partial<ThreadsPost>): ThreadsPost {
  const counts = [41, 3, 2, 1] as const;
  const nothing = { text: null, media: [], counts, quotes: null, repliesTo: null, sharesReel: false, isGone: false };
  return { code, author, about, ...nothing, ...more };
}

const SHED = post('DTtramshed1', TRAMS, 'a video on Threads', {
  text: 'Car 12 leaves the shed for the first time since 1968.\n#trams',
  media: [TRAM],
  counts: [2_140, 96, 120, 55],
});

export const THREADS_POSTS: readonly ThreadsPost[] = [
  SHED,
  post('DTkilnfull1', POTTER, 'an album on Threads', {
    text: 'What came out of the kiln today',
    media: [FERN, CLAY, BOWL],
  }),
  post('DTwordsonly', POTTER, 'words on Threads', { text: 'Nobody tells you how loud a kiln is at night.' }),
  post('DTquotes_it', POTTER, 'a quoted video on Threads', { text: 'I would ride this.', quotes: SHED }),
  post('DTreplyhere', POTTER, 'a reply with a photo on Threads', {
    text: 'Taken from the last stop.',
    media: [SHORE],
    repliesTo: SHED,
  }),
  post('DTreelshare', POTTER, 'a reel shared into Threads', {
    text: 'From the other place',
    media: [SEA],
    sharesReel: true,
  }),
  post('DTisgone_00', POTTER, 'a removed post on Threads', { isGone: true }),
  ...threads.examples.map(link =>
    post(link.slice(link.lastIndexOf('/') + 1), TRAMS, 'an example', { text: 'An example', media: [DUSK] }),
  ),
];
