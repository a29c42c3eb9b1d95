/** The posts of Bluesky in the sandbox. People and posts are invented. */
import { BOWL, DUSK, FERN, LIGHTS, type Media, SEA, TRAM } from '../media.ts';

export interface BlueskyPerson {
  readonly did: string;
  readonly handle: string;
  readonly name: string;
  readonly avatar: string;
  /** Where their files are kept. */
  readonly server: string;
  readonly isForMembers?: boolean;
}

export interface BlueskyPost {
  readonly key: string;
  readonly author: BlueskyPerson;
  readonly text: string;
  readonly media: readonly Media[];
  readonly isGallery?: boolean;
  readonly quotes?: string;
  readonly label?: string;
  readonly state: 'public' | 'blocked' | 'gone' | 'taken-down';
  readonly about: string;
}

const KEEPER: BlueskyPerson = {
  did: 'did:plc:sandboxskerrowlightaaaaa',
  handle: 'skerrow.bsky.social',
  name: 'Skerrow Lighthouse',
  avatar: 'person-1.jpg',
  server: 'https://amanita.us-east.host.bsky.network',
};
const MARA: BlueskyPerson = {
  did: 'did:plc:sandboxmaraturnsclayaaaa'.slice(0, 32),
  handle: 'mara-turns.example',
  name: 'Mara Lindqvist',
  avatar: 'person-2.jpg',
  server: 'https://pds.mara-turns.example',
};
const OMAR: BlueskyPerson = {
  ...KEEPER,
  did: 'did:plc:sandboxomarbakesbreadaaa',
  handle: 'omar.bsky.social',
  name: 'Omar',
  isForMembers: true,
};
const OFFICE: BlueskyPerson = { ...KEEPER, did: 'did:plc:z72i7hdynmk6r22z27h6tvur', handle: 'bsky.app' };
const BLUE: BlueskyPerson = { ...KEEPER, did: 'did:plc:sandboxbluethreeblueaaaa', handle: 'blu3blue.bsky.social' };

function post(
  key: string,
  author: BlueskyPerson,
  about: string,
  text: string,
  more: Partial<BlueskyPost> = {},
): BlueskyPost {
  return { key, author, about, text, media: [], state: 'public', ...more };
}

export const BLUESKY_POSTS: readonly BlueskyPost[] = [
  post('3sandvideo222', KEEPER, 'Bluesky: a video', 'The swell this morning #skerrow', { media: [SEA] }),
  post('3sandphotos22', KEEPER, 'Bluesky: photos', 'What the light sees', { media: [DUSK, LIGHTS] }),
  post('3sandgallery2', KEEPER, 'Bluesky: a gallery', 'From the kiln', { media: [BOWL, FERN, DUSK], isGallery: true }),
  post('3sandwords222', KEEPER, 'Bluesky: words alone', 'Fog signal tested.'),
  post('3sandquote222', KEEPER, 'Bluesky: a quoted post', 'So that was it', { media: [BOWL], quotes: '3sandvideo222' }),
  post('3sandlabel222', KEEPER, 'Bluesky: a labelled post', 'A cut finger', { media: [BOWL], label: 'graphic-media' }),
  post('3sandelse2222', MARA, 'Bluesky: a video kept elsewhere', 'My own server', { media: [TRAM] }),
  post('3sandmember22', OMAR, 'Bluesky: for members alone', 'Bread'),
  post('3sandblock222', KEEPER, 'Bluesky: blocked', '', { state: 'blocked' }),
  post('3sandgone2222', KEEPER, 'Bluesky: deleted', '', { state: 'gone' }),
  post('3sandtaken222', KEEPER, 'Bluesky: an account taken down', '', { state: 'taken-down' }),
  // What the doctor asks for.
  post('3l3vgf77uco2g', OFFICE, 'Bluesky: an example', 'The lamp room', { media: [SEA] }),
  post('3l4omssdl632g', BLUE, 'Bluesky: an example', 'The gallery', { media: [SEA] }),
];
