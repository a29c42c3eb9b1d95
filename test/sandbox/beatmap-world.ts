/** Made-up songs, mappers and players for the osu! side of the sandbox. */

export interface SandboxMap {
  readonly id: number;
  readonly mode: 0 | 1 | 2 | 3;
  readonly version: string;
  readonly stars: number;
  /** Seconds. */
  readonly length: number;
  readonly ar: number;
  readonly od: number;
  readonly cs: number;
  readonly hp: number;
  readonly circles: number;
  readonly sliders: number;
}

export interface SandboxSet {
  readonly id: number;
  readonly artist: string;
  readonly artistUnicode: string;
  readonly title: string;
  readonly titleUnicode: string;
  readonly creator: string;
  readonly creatorId: number;
  /** -2 graveyard to 4 loved. */
  readonly status: number;
  readonly bpm: number;
  readonly favourites: number;
  readonly plays: number;
  readonly tags: string;
  readonly video: boolean;
  readonly nsfw: boolean;
  readonly spotlight: boolean;
  readonly genre: number;
  readonly language: number;
  /** Unix seconds. */
  readonly submitted: number;
  readonly disabledWhy: string | null;
  readonly maps: readonly SandboxMap[];
}

export interface SandboxPlayer {
  readonly id: number;
  readonly username: string;
  readonly country: { readonly code: string; readonly name: string };
  readonly playmode: 0 | 1 | 2 | 3;
  readonly pp: number;
  readonly rank: number;
  /** Their profiles are gone for everybody else. */
  readonly restricted: boolean;
  /** Difficulties of osu! that they played in their own ruleset. */
  readonly converts?: readonly number[];
}

export interface BeatmapWorld {
  readonly sets: readonly SandboxSet[];
  readonly players: readonly SandboxPlayer[];
}

const LEVELS = ['Easy', 'Normal', 'Hard', 'Insane', 'Expert', 'Finale'] as const;
const DAY = 86_400;
const EPOCH = 1_420_070_400;

function mapOf(setId: number, index: number, mode: SandboxMap['mode'], stars: number, length: number): SandboxMap {
  const cs = mode === 3 ? 4 + (setId % 4) : 3 + index * 0.4;
  return {
    id: setId * 10 + index + 1,
    mode,
    version: `${mode === 3 ? `[${cs}K] ` : ''}${LEVELS[index] ?? 'Extra'}`,
    stars,
    length,
    ar: Math.min(10, 4 + stars * 0.9),
    od: Math.min(10, 3 + stars * 0.8),
    cs,
    hp: Math.min(8, 3 + stars * 0.5),
    circles: Math.round(length * stars * 0.6),
    sliders: Math.round(length * stars * 0.4),
  };
}

interface Draft extends Partial<Omit<SandboxSet, 'maps'>> {
  readonly id: number;
  readonly artist: string;
  readonly title: string;
  readonly creator: string;
  readonly stars: readonly number[];
  readonly mode?: SandboxMap['mode'];
  readonly length?: number;
}

function setOf({ stars, mode = 0, length = 120, ...draft }: Draft): SandboxSet {
  const { id } = draft;
  return {
    artistUnicode: draft.artist,
    titleUnicode: draft.title,
    creatorId: 70_000 + (id % 97),
    status: 1,
    bpm: 150 + (id % 60),
    favourites: (id * 37) % 4_000,
    plays: (id * 7_919) % 2_000_000,
    tags: 'made up sandbox',
    video: id % 3 === 0,
    nsfw: false,
    spotlight: false,
    genre: 10,
    language: 5,
    submitted: EPOCH + (id % 4_000) * DAY,
    disabledWhy: null,
    ...draft,
    maps: stars.map((each, index) => mapOf(id, index, mode, each, length)),
  };
}

const SETS: readonly SandboxSet[] = [
  setOf({
    id: 900_001,
    artist: 'Marble Lanterns',
    title: 'Paper Comet',
    creator: 'quietmallet',
    stars: [1.6, 2.4, 3.7, 5.2, 6.4],
    bpm: 180,
    video: true,
    plays: 2_400_000,
    favourites: 5_100,
    tags: 'electronic comet paper lantern festival',
  }),
  setOf({
    id: 900_002,
    artist: 'Marble Lanterns',
    title: 'Glass Harbour',
    creator: 'Old Ferry',
    stars: [2.1, 4.4],
    bpm: 128,
    status: 4,
    plays: 640_000,
  }),
  setOf({
    id: 900_003,
    artist: 'Yukari Amane',
    artistUnicode: '天音ゆかり',
    title: 'Hoshi no Tegami',
    titleUnicode: '星の手紙',
    creator: 'quietmallet',
    stars: [2.2, 3.3, 4.6],
    language: 3,
    genre: 3,
    plays: 1_100_000,
  }),
  setOf({
    id: 900_004,
    artist: 'The Tin Orchard',
    title: 'Slow Tram',
    creator: 'drumkeeper',
    stars: [1.9, 3.1, 4.8],
    mode: 1,
    plays: 88_000,
  }),
  setOf({
    id: 900_005,
    artist: 'Vega Foundry',
    title: 'Seven Keys to Nowhere',
    creator: 'Columnist',
    stars: [2.5, 3.9, 5.6],
    mode: 3,
    plays: 120_000,
  }),
  setOf({
    id: 900_006,
    artist: 'Night Grocer',
    title: 'Closed on Sundays',
    creator: 'Old Ferry',
    spotlight: true,
    stars: [3.4, 5.1],
    disabledWhy: 'Taken down at the wish of the label.',
    video: true,
  }),
  setOf({
    id: 900_007,
    artist: 'Night Grocer',
    title: 'Receipt',
    creator: 'beginner4ever',
    stars: [2.8],
    status: -2,
    plays: 12,
  }),
  setOf({ id: 900_008, artist: 'Fruit Parade', title: 'Basket Song', creator: 'plateful', stars: [2.2, 4.1], mode: 2 }),
  setOf({
    id: 900_009,
    artist: 'Vega Foundry',
    title: 'Furnace',
    creator: 'Columnist',
    stars: [7.3],
    status: 3,
    bpm: 220,
  }),
  setOf({
    id: 900_010,
    artist: 'Paper Tigers Club',
    title: 'Roar Softly',
    creator: 'quietmallet',
    stars: [4.2],
    status: 0,
  }),
  setOf({ id: 900_011, artist: 'Mild Sauce', title: 'Rude Song', creator: 'spicerack', stars: [3.9, 5.5], nsfw: true }),
];

const FIRST = [
  'Amber',
  'Brass',
  'Cedar',
  'Distant',
  'Early',
  'Fallen',
  'Gilded',
  'Hollow',
  'Inner',
  'Jagged',
  'Kind',
  'Lunar',
];
const SECOND = [
  'Arcade',
  'Balcony',
  'Canal',
  'Drift',
  'Engine',
  'Ferris',
  'Garden',
  'Hallway',
  'Island',
  'Junction',
  'Kettle',
];
const MODES = [0, 0, 0, 0, 0, 1, 2, 3] as const;
const STATUSES = [1, 1, 1, 1, 1, 1, 4, 2, 3, 0, -1, -2] as const;

function pick<T>(words: readonly T[], at: number): T {
  const word = words[at % words.length];
  if (word === undefined) throw new RangeError('nothing to pick from');
  return word;
}

/** The same song for the same number, whenever it is asked for. */
function generatedSet(index: number): SandboxSet {
  const id = index + 1;
  const hardest = 2 + ((index * 31) % 60) / 10;
  return setOf({
    id,
    artist: `${pick(FIRST, index)} ${pick(SECOND, index * 7 + 3)}`,
    title: `${pick(SECOND, index * 5)} of ${pick(FIRST, index * 3 + 1)} No. ${id}`,
    creator: `mapper${index % 499}`,
    stars: [hardest * 0.4, hardest * 0.7, hardest],
    mode: pick(MODES, index),
    length: 45 + ((index * 17) % 240),
    status: pick(STATUSES, index * 5 + 1),
  });
}

const PLAYERS: readonly SandboxPlayer[] = [
  {
    id: 4_400_001,
    username: 'lamp post',
    country: { code: 'ID', name: 'Indonesia' },
    playmode: 0,
    pp: 6_240.5,
    rank: 21_480,
    restricted: false,
  },
  {
    id: 4_400_002,
    username: 'Drum_Kitten',
    country: { code: 'JP', name: 'Japan' },
    playmode: 1,
    pp: 3_100,
    rank: 4_012,
    restricted: false,
    converts: [9_000_015],
  },
  {
    id: 4_400_003,
    username: 'gonefishing',
    country: { code: 'SE', name: 'Sweden' },
    playmode: 0,
    pp: 0,
    rank: 0,
    restricted: true,
  },
  {
    id: 4_400_004,
    username: 'night bus',
    country: { code: 'ID', name: 'Indonesia' },
    playmode: 0,
    pp: 4_870,
    rank: 52_300,
    restricted: false,
  },
  {
    id: 4_400_005,
    username: 'tea kettle',
    country: { code: 'GB', name: 'United Kingdom' },
    playmode: 0,
    pp: 1_420.25,
    rank: 310_400,
    restricted: false,
  },
];

/** @param extra how many generated sets beside those that have a story */
export function createBeatmapWorld(extra = 0): BeatmapWorld {
  return { sets: [...SETS, ...Array.from({ length: extra }, (_, index) => generatedSet(index))], players: PLAYERS };
}
