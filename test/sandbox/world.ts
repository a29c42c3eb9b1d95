/** The people and posts of the sandbox. All of them are invented: any likeness of a name or a code is chance. */
import {
  BOWL,
  CLAY,
  CLAY_TRACKS,
  DUSK,
  FERN,
  LIGHTS,
  type Media,
  type Photo,
  SEA,
  SHORE,
  SILENT,
  SKY,
  TRAM,
  TRAMCAR,
} from './media.ts';

export interface Person {
  /** Digits. */
  readonly id: string;
  /** Of Instagram, and the path on Facebook. */
  readonly username: string;
  readonly name: string;
  readonly verified: boolean;
  readonly avatar: string;
}

const MARA: Person = {
  id: '61200345671',
  username: 'mara.turns.clay',
  name: 'Mara Lindqvist',
  verified: false,
  avatar: 'person-2.jpg',
};
const KEEPER: Person = {
  id: '61200345672',
  username: 'keeper.of.skerrow',
  name: 'Skerrow Lighthouse',
  verified: true,
  avatar: 'person-1.jpg',
};
const TRAMS: Person = {
  id: '61200345673',
  username: 'ostvik.tram.museum',
  name: 'Ostvik Tram Museum',
  verified: true,
  avatar: 'person-3.jpg',
};
const OMAR: Person = {
  id: '61200345674',
  username: 'omar_bakes_at_night',
  name: 'Omar Haddad-Rossi',
  verified: false,
  avatar: 'person-4.jpg',
};
const STRANGER: Person = {
  id: '61200345699',
  username: 'somebody.else.entirely',
  name: 'Somebody Else',
  verified: false,
  avatar: 'person-4.jpg',
};

export interface Counts {
  readonly likes: number;
  readonly comments: number;
  readonly plays: number | null;
}

export type State =
  | 'public'
  | 'private'
  | 'age-restricted'
  | 'region-blocked'
  | 'removed'
  | 'rate-limited'
  | 'login-wall';

/** What `/p/CODE/embed/captioned/` shows of a post. */
export type Embed = 'context' | 'markup' | 'withheld' | 'broken';

export interface InstagramPost {
  /** 11 digits of the base64url alphabet; id and publish time follow from it. */
  readonly code: string;
  readonly author: Person;
  readonly caption: string | null;
  readonly media: readonly Media[];
  /** Null when the author hides them. */
  readonly counts: Counts | null;
  /** `2022`: the mobile API's older set of keys. */
  readonly dialect: '2026' | '2022';
  readonly embed: Embed;
  readonly state: State;
  /** One line about the link. */
  readonly about: string;
  /** What follows the code in a link that was shared by a private account. */
  readonly suffix: string;
}

export interface FacebookPost {
  /** Digits. */
  readonly id: string;
  readonly form: 'reel' | 'watch' | 'photo' | 'post' | 'group';
  readonly owner: Person;
  readonly text: string | null;
  readonly title: string | null;
  readonly media: readonly Media[];
  /** False: the page has no HD address. */
  readonly hasHd: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly reactions: number;
  readonly comments: number;
  readonly shares: string;
  readonly group: string | null;
  readonly pfbid: string | null;
  readonly state: State;
  readonly about: string;
}

/** A short link and the path on the site that it leads to. */
export interface ShortLink {
  readonly host: 'www.instagram.com' | 'www.facebook.com' | 'fb.watch';
  readonly path: string;
  readonly target: string;
  readonly about: string;
}

export interface World {
  readonly instagram: readonly InstagramPost[];
  readonly facebook: readonly FacebookPost[];
  readonly shortLinks: readonly ShortLink[];
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The media id of a code: the same number, in decimal. */
export function pkOf(code: string): string {
  return [...code].reduce((id, digit) => id * 64n + BigInt(ALPHABET.indexOf(digit)), 0n).toString();
}

/** Unix seconds. */
export function takenAt(pk: string): number {
  return Number(((BigInt(pk) >> 23n) + 1_314_220_021_721n) / 1000n);
}

function instagram(
  code: string,
  author: Person,
  about: string,
  media: readonly Media[],
  more: Partial<InstagramPost> = {},
): InstagramPost {
  const fixed = { code, author, about, media, caption: null, counts: null } as const;
  return { ...fixed, dialect: '2026', embed: 'context', state: 'public', suffix: '', ...more };
}

function facebook(
  id: string,
  form: FacebookPost['form'],
  owner: Person,
  about: string,
  media: readonly Media[],
  more: Partial<FacebookPost> = {},
): FacebookPost {
  const fixed = {
    id,
    form,
    owner,
    about,
    media,
    text: null,
    title: null,
    hasHd: true,
    createdAt: 1_775_044_800,
  } as const;
  const counts = { reactions: 412, comments: 37, shares: '18' };
  return { ...fixed, ...counts, group: null, pfbid: null, state: 'public', ...more };
}

const MANY_WORDS = `Night bake, batch no. 7 🥖🔥👩🏽‍🍳 — three things I learnt:

1️⃣ steam early, 2️⃣ steam more, 3️⃣ do not <b>open the door</b> to look & hope.

شكراً لكل من جاء في الثالثة صباحاً، الخبز ما زال ساخناً. תודה גם לשכנים!

Thanks @mara.turns.clay for the bowls and @keeper.of.skerrow for the light. Not you, @everyone; and [not a link](https://example.com) *either* _this_ \`that\`.

${'Flour, water, salt and a little patience, folded and folded again. '.repeat(14).trim()}

#bread #näköala #夜のパン #sourdough_2026 #bread`;

const POSTS: readonly InstagramPost[] = [
  instagram('DVclaybowl1', MARA, 'a reel with its counts, 1080p in two tracks', [CLAY], {
    caption:
      'From lump to bowl in six seconds. The wheel does the work, I only hold on. #pottery #wheelthrown with @ostvik.tram.museum',
    counts: { likes: 4_821, comments: 96, plays: 120_334 },
  }),
  instagram('DWlightkeep', KEEPER, 'a carousel of five: photos and videos', [SHORE, SEA, LIGHTS, SKY, DUSK], {
    caption: 'One evening on the rock, five ways. #lighthouse #skerrow',
    counts: { likes: 1_207, comments: 43, plays: null },
  }),
  instagram('DXtramshed1', TRAMS, 'a single photo', [TRAMCAR], {
    caption: 'Car 14 is back from the paint shop. Come and ring the bell!',
    counts: { likes: 318, comments: 12, plays: null },
    embed: 'markup',
  }),
  instagram('Cjpotfern42', MARA, 'an old carousel, in the shape of 2022', [FERN, BOWL, SKY], {
    caption: 'Glaze tests, the good ones. #glaze',
    counts: { likes: 240, comments: 8, plays: null },
    dialect: '2022',
  }),
  instagram('DYnightsky7', KEEPER, 'a reel whose counts are hidden', [SEA], {
    caption: 'The lamp turns whether anybody looks or not.',
    embed: 'withheld',
  }),
  instagram('DZsilentsky', KEEPER, 'a video without sound', [SILENT], {
    caption: 'Turn your sound down: there is none.',
    counts: { likes: 77, comments: 3, plays: 2_040 },
  }),
  instagram('DZmanywords', OMAR, 'a long caption: emoji, tags, right-to-left text, markup', [SEA], {
    caption: MANY_WORDS,
    counts: { likes: 9_913, comments: 512, plays: 402_118 },
  }),
  instagram('DZtwotracks', MARA, 'a reel of which there are two tracks and no whole file', [CLAY_TRACKS], {
    caption: 'The same bowl, turned once more.',
    counts: { likes: 64, comments: 2, plays: 1_904 },
    embed: 'broken',
  }),
  instagram('DXprivatebo', OMAR, 'a post that only its followers see', [SKY], {
    state: 'private',
    embed: 'broken',
    suffix: 'c2FuZGJveC1wcml2YXRlLXBvc3Qh',
  }),
  instagram('DXkilnfire1', MARA, 'restricted by age', [CLAY], { state: 'age-restricted', embed: 'broken' }),
  instagram('DXregionone', TRAMS, 'not shown in this country', [TRAM], { state: 'region-blocked', embed: 'broken' }),
  instagram('DXgonepost1', TRAMS, 'removed', [TRAMCAR], { state: 'removed', embed: 'broken' }),
  instagram('DXtoomany42', KEEPER, 'answered by "please wait a few minutes"', [SEA], {
    state: 'rate-limited',
    embed: 'broken',
  }),
];

const PAGES: readonly FacebookPost[] = [
  facebook('1184420716302551', 'reel', TRAMS, "a reel; the page shows another author's first", [TRAM], {
    text: 'First run of the season. Mind the bell! #trams',
    reactions: 2_636,
    comments: 401,
    shares: '4.7K',
    createdAt: 1_778_316_300,
  }),
  facebook('731904415522087', 'watch', KEEPER, 'a video in HD and SD', [SEA], {
    title: 'Evening at Skerrow',
    text: 'Eight seconds of nothing happening, beautifully.',
  }),
  facebook('846215530917743', 'watch', OMAR, 'a video without HD', [SKY], {
    title: 'Waiting for the oven',
    hasHd: false,
  }),
  facebook('122108744930184', 'photo', TRAMS, 'a single photo', [TRAMCAR], { text: 'Car 14, washed and polished.' }),
  facebook('1022334455667788', 'post', KEEPER, 'a post with three photos', [SHORE, LIGHTS, DUSK], {
    text: 'Three evenings in a row. #skerrow',
    pfbid: 'pfbid02SandboxSkerrowEveningsThreeInARowAbCdEfGhJkLmNpQrStUvWxYz',
  }),
  facebook('3344556677889900', 'group', MARA, 'a video in a group', [CLAY], {
    text: 'Does anybody else count the turns?',
    group: 'potters.of.the.north',
  }),
  facebook('690117452208834', 'watch', MARA, 'a video of which there are two tracks and no whole file', [CLAY_TRACKS], {
    title: 'From lump to bowl',
  }),
  facebook('555000111222333', 'reel', OMAR, 'behind the login wall', [SKY], { state: 'login-wall' }),
  facebook('555000111222444', 'reel', OMAR, 'removed', [SKY], { state: 'removed' }),
];

/** The other reel that reel pages carry, before the one asked for. */
export const DECOY: FacebookPost = facebook('972204416630188', 'reel', STRANGER, 'a decoy', [SKY], {
  text: 'You may also like this one. #notyours',
  reactions: 51_889,
  comments: 1_078,
  shares: '8.1K',
  createdAt: 1_777_000_000,
});

const SHORT_LINKS: readonly ShortLink[] = [
  {
    host: 'www.instagram.com',
    path: '/share/reel/SandBowl01/',
    target: '/reel/DVclaybowl1/',
    about: 'a share link of the reel',
  },
  {
    host: 'www.instagram.com',
    path: '/share/p/SandFive02/',
    target: '/p/DWlightkeep/',
    about: 'a share link of the carousel',
  },
  {
    host: 'www.instagram.com',
    path: '/share/SandTram03/',
    target: '/p/DXtramshed1/',
    about: 'a share link of the photo',
  },
  {
    host: 'www.facebook.com',
    path: '/share/r/SandReel01/',
    target: '/reel/1184420716302551/',
    about: 'a share link of the reel',
  },
  {
    host: 'www.facebook.com',
    path: '/share/v/SandWatch2/',
    target: '/watch/?v=731904415522087',
    about: 'a share link of the video',
  },
  { host: 'fb.watch', path: '/sandTram01/', target: '/watch/?v=731904415522087', about: 'a short link of the video' },
];

export const WORLD: World = { instagram: POSTS, facebook: PAGES, shortLinks: SHORT_LINKS };

/** The code of a media id; the other way of `pkOf`. */
function codeOf(pk: string): string {
  let code = '';
  for (let rest = BigInt(pk); rest > 0n; rest /= 64n) code = ALPHABET.charAt(Number(rest % 64n)) + code;
  return code;
}

/** A reel for any code or id at all, always the same for the same one: for loads of distinct posts. Undefined for what is neither. */
export function generatedReel(name: { readonly code: string } | { readonly pk: string }): InstagramPost | undefined {
  const isCode = 'code' in name;
  if (isCode ? !/^[\w-]{5,11}$/.test(name.code) : !/^\d{8,20}$/.test(name.pk)) return undefined;
  const code = isCode ? name.code : codeOf(name.pk);
  const seed = Number(BigInt(isCode ? pkOf(code) : name.pk) % 99_991n);
  return instagram(code, MARA, 'a generated reel', [CLAY], {
    caption: `Bowl no. ${seed}. Another morning at the wheel, another lump of clay that wanted to be something. #pottery #bowl${seed}`,
    counts: { likes: seed, comments: seed % 97, plays: seed * 31 },
  });
}

/** Photos alone, for pages that list other people's posts beside the one asked for. */
export const PASSERS_BY: { readonly author: Person; readonly photos: readonly Photo[] } = {
  author: STRANGER,
  photos: [BOWL, DUSK],
};
