import type { ErrorCode } from '../errors.ts';

type Params = Readonly<Record<string, string | number>>;
type Sentence = (params: Params, wait?: string) => string;

/** English for all that has to do with osu!; a part of `en`. */
export const enOsu = {
  /** In place of `errors` where a command speaks of beatmaps or players. */
  errors: {
    beatmap: {
      invalid_request: (p: Params) =>
        p.what === 'q'
          ? `A search can be at most ${p.max ?? 500} characters long.`
          : p.what === 'cursor'
            ? 'That page is no longer there. Please search again.'
            : 'I could not read that. Name a beatmap by its link, its number or some words of its name.',
      not_found: (p: Params) =>
        p.what === 'words'
          ? 'I found no beatmap with these words. Fewer words find more.'
          : 'That beatmap does not exist, or it was deleted.',
      upstream_rate_limited: (_: Params, wait?: string) =>
        `The beatmap sites ask us to slow down. Please try again ${wait ?? 'in a few minutes'}.`,
      upstream_unavailable: (_: Params, wait?: string) =>
        `The beatmap sites do not answer right now. Please try again ${wait ?? 'in a minute'}.`,
      upstream_changed: (_: Params) =>
        'The beatmap sites answer in a way I cannot read. Please try again later; the people who run me can see why.',
      timeout: (_: Params) => 'The beatmap sites took too long to answer. Please try again in a minute.',
      credentials_required: (_: Params) =>
        'Only osu! itself knows this, and the people who run me have not given me a key for it. Searching and downloading beatmaps works without one.',
      forbidden: (p: Params) =>
        p.what === 'button'
          ? 'That button belongs to someone else. You can send the command yourself.'
          : 'osu! does not let me see that.',
    },
    player: {
      invalid_request: (p: Params) =>
        p.what === 'cursor'
          ? 'That page is no longer there. Please send the command again.'
          : 'I could not read that. Name a player by his name, number or profile link.',
      not_found: (_: Params) => 'That player does not exist, or is restricted.',
      upstream_rate_limited: (_: Params, wait?: string) =>
        `osu! asks us to slow down. Please try again ${wait ?? 'in a few minutes'}.`,
      upstream_unavailable: (_: Params, wait?: string) =>
        `osu! does not answer right now. Please try again ${wait ?? 'in a minute'}.`,
      upstream_changed: (_: Params) =>
        'osu! answers in a way I cannot read. Please try again later; the people who run me can see why.',
      timeout: (_: Params) => 'osu! took too long to answer. Please try again in a minute.',
      credentials_required: (_: Params) =>
        'Players are known to osu! alone, and the people who run me have not given me a key for it. Searching and downloading beatmaps works without one.',
      forbidden: (p: Params) =>
        p.what === 'button'
          ? 'That button belongs to someone else. You can send the command yourself.'
          : 'osu! does not let me see that player.',
    },
  } satisfies Readonly<Record<string, Partial<Record<ErrorCode, Sentence>>>>,

  search: {
    title: (query: string) => `Beatmaps for “${query}”`,
    none: (query: string) => `I found no beatmap for “${query}”. Fewer words find more, and so does status “any”.`,
  },
  sets: (n: number, shown: string) => (n === 1 ? '1 beatmap' : `${shown} beatmaps`),
  page: (n: number) => `page ${n}`,
  back: 'Back',
  more: 'More',
  open: 'Open a beatmap…',
  openOne: 'Open',
  mappedBy: (name: string) => `mapped by ${name}`,
  difficulties: (n: number) => (n === 1 ? '1 difficulty' : `${n} difficulties`),
  difficultiesTitle: 'Difficulties',
  otherDifficulties: 'Other difficulties',
  moreDifficulties: (n: number) => (n === 1 ? 'and 1 more' : `and ${n} more`),
  /** `shown` is `n`, written short. */
  plays: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
  favourites: (n: number, shown: string) => (n === 1 ? '1 favourite' : `${shown} favourites`),
  combo: (shown: string) => `${shown}x`,
  objects: (shown: string) => `${shown} objects`,
  explicit: 'explicit',
  preview: 'Preview',
  openAtOsu: 'Open on osu!',
  download: 'Download',
  downloadHint: 'Choose where to download it from:',
  unavailable: 'osu! has taken the download of this beatmap down.',
  unavailableBecause: (reason: string) => `osu! has taken the download of this beatmap down: ${reason}`,
  from: (site: string) => `From ${site}`,
  fromWithVideo: (site: string) => `From ${site}, with video`,
  fromWithoutVideo: (site: string) => `From ${site}, without video`,
  modes: { osu: 'osu!', taiko: 'osu!taiko', fruits: 'osu!catch', mania: 'osu!mania' },
  statuses: {
    graveyard: 'graveyard',
    wip: 'work in progress',
    pending: 'pending',
    ranked: 'ranked',
    approved: 'approved',
    qualified: 'qualified',
    loved: 'loved',
  },
  fields: {
    mapper: 'Mapper',
    status: 'Status',
    ranked: 'Ranked',
    updated: 'Updated',
    length: 'Length',
    bpm: 'BPM',
    favourites: 'Favourites',
    plays: 'Plays',
    source: 'Source',
  },
  origin: {
    local: 'From what I remember; osu! was not asked.',
    remembered: 'osu! and its mirrors do not answer right now, so this is what I remember.',
    stale: 'osu! does not answer right now, so this is an earlier answer.',
    corrected: 'Nothing has these words as written; this is what you may have meant.',
  },
};

const MODE = { name: 'mode', description: 'osu, taiko, catch or mania' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };

export const enOsuCommands = {
  'beatmap search': {
    description: 'Search osu! beatmaps by words and filters, for example camellia stars>6',
    options: {
      query: { name: 'query', description: 'Words, and filters as on osu!: stars>6 ar=9 bpm>180 creator=…' },
      mode: MODE,
      status: { name: 'status', description: 'Ranked and loved ones when left out' },
      sort: { name: 'sort', description: 'What comes first' },
    },
    choices: {
      mode: MODES,
      status: {
        any: 'any',
        leaderboard: 'with a leaderboard',
        ranked: 'ranked',
        qualified: 'qualified',
        loved: 'loved',
        pending: 'pending',
        wip: 'work in progress',
        graveyard: 'graveyard',
      },
      sort: {
        artist: 'artist',
        creator: 'mapper',
        difficulty: 'difficulty',
        favourites: 'favourites',
        nominations: 'nominations',
        plays: 'plays',
        ranked: 'newest ranked',
        rating: 'rating',
        relevance: 'best match',
        title: 'title',
        updated: 'last updated',
      },
    },
  },
  'beatmap info': {
    description: 'All about an osu! beatmap and its difficulties',
    options: { map: { name: 'map', description: 'Its osu! link, its number, or words of its name' } },
    choices: {},
  },
  'beatmap download': {
    description: 'Where to download an osu! beatmap',
    options: {
      map: { name: 'map', description: 'Its osu! link, its number, or words of its name' },
      video: { name: 'video', description: 'Only files with its video, or only those without' },
    },
    choices: {},
  },
};
