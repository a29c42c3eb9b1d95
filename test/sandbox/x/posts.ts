/** The posts of X in the sandbox. People and posts are invented. */
import { BOWL, CLAY, DUSK, FERN, LIGHTS, type Media, SEA, SHORE, SILENT, TRAM } from '../media.ts';

export interface XPerson {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly verified: boolean;
  readonly avatar: string;
}

export interface XPost {
  readonly id: string;
  readonly author: XPerson;
  readonly text: string;
  /** All of a text that syndication has the beginning of alone. */
  readonly longText?: string;
  readonly media: readonly Media[];
  /** A clip that plays over and over, without sound. */
  readonly isLoop?: boolean;
  readonly isSensitive?: boolean;
  readonly quotes?: string;
  readonly state: 'public' | 'age' | 'private' | 'suspended' | 'deleted';
  readonly about: string;
}

const KEEPER: XPerson = {
  id: '72100345671',
  username: 'skerrow_light',
  name: 'Skerrow Lighthouse',
  verified: true,
  avatar: 'person-1.jpg',
};
const MARA: XPerson = {
  id: '72100345672',
  username: 'mara_turns_clay',
  name: 'Mara Lindqvist',
  verified: false,
  avatar: 'person-2.jpg',
};

function post(id: string, author: XPerson, about: string, text: string, more: Partial<XPost> = {}): XPost {
  return { id, author, about, text, media: [], state: 'public', ...more };
}

const LONG = `Why the lamp turns: ${'a lens of two tons floats on a bath of mercury and is moved by a finger. '.repeat(8)}`;

export const X_POSTS: readonly XPost[] = [
  post('1980000000000000101', KEEPER, 'X: a video', 'The swell this morning & the whole rock shook #skerrow', {
    media: [SEA],
  }),
  post('1980000000000000102', MARA, 'X: four photos and clips', 'From the kiln', { media: [BOWL, FERN, CLAY, LIGHTS] }),
  post('1980000000000000103', MARA, 'X: a silent loop', 'Round and round', { media: [SILENT], isLoop: true }),
  post('1980000000000000104', KEEPER, 'X: words alone', 'Fog signal tested. Sorry, @mara_turns_clay.'),
  post('1980000000000000105', MARA, 'X: a quoted post', 'So that was the noise', {
    media: [DUSK],
    quotes: '1980000000000000101',
  }),
  post('1980000000000000106', KEEPER, 'X: a long text', `${LONG.slice(0, 270)}`, { longText: LONG, media: [SHORE] }),
  post('1980000000000000107', MARA, 'X: a sensitive post', 'A cut finger, careful', {
    media: [TRAM],
    isSensitive: true,
  }),
  post('1980000000000000108', MARA, 'X: restricted by age', '', { state: 'age' }),
  post('1980000000000000109', MARA, 'X: a protected account', '', { state: 'private' }),
  post('1980000000000000110', MARA, 'X: a suspended account', '', { state: 'suspended' }),
  post('1980000000000000111', MARA, 'X: a deleted post', '', { state: 'deleted' }),
  // What the doctor asks for.
  post('440322224407314432', KEEPER, 'X: an example', 'All of us on the gallery', { media: [SHORE] }),
  post('665052190608723968', KEEPER, 'X: an example', 'The lamp room', { media: [SEA] }),
];

/** By `t.co`, the number of a post. */
export const X_SHORT: ReadonlyMap<string, string> = new Map([['SandSea101', '1980000000000000101']]);
