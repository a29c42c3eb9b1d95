import type { ErrorCode } from '../../errors.ts';
import type { Params, Sentence } from './errors.ts';

function modsSentence({ reason, mods }: Params): string {
  if (reason === 'clash') return `The mods ${mods} cannot be combined.`;
  if (reason === 'ruleset') return `The mod ${mods} does not exist in this mode.`;
  return `I do not know the mod “${mods ?? ''}”. Write mods like this: +HDDT`;
}

/** A part of a search that starts with a minus, or that osu! itself takes and ignores. */
function refusedSentence({ key }: Params): string {
  return `I cannot search by “${key ?? ''}”. With a minus, only artist, title, creator, source, difficulty and tag can be left out.`;
}

function offline(wait = 'in a few minutes'): string {
  return `I cannot reach osu! because this server seems to have no internet connection. Please try again ${wait}.`;
}

export const osu = {
  /** In place of `errors` where a command speaks of beatmaps or players. */
  errors: {
    beatmap: {
      invalid_request: (p: Params) =>
        p.what === 'q' && p.key !== undefined
          ? refusedSentence(p)
          : p.what === 'q'
            ? `A search can be at most ${p.max ?? 500} characters long.`
            : p.what === 'cursor'
              ? 'That page is no longer there. Please search again.'
              : p.what === 'mods'
                ? modsSentence(p)
                : p.what === 'counts'
                  ? 'These results do not fit that map. In osu!catch, and for converted maps, give accuracy and misses instead.'
                  : 'I could not read that. Name a beatmap by its link, its ID or some words of its title.',
      not_found: (p: Params) =>
        p.what === 'words'
          ? 'I found no beatmap with these words. Try fewer words.'
          : 'That beatmap does not exist, or it was deleted.',
      upstream_rate_limited: (_: Params, wait?: string) =>
        `The beatmap sites ask me to slow down. Please try again ${wait ?? 'in a few minutes'}.`,
      upstream_unavailable: (p: Params, wait?: string) =>
        p.what === 'offline'
          ? offline(wait)
          : `The beatmap sites are not answering right now. Please try again ${wait ?? 'in a minute'}.`,
      upstream_changed: (_: Params) =>
        'The beatmap sites answer in a way I cannot read. Please try again later; the bot’s operator can see why.',
      timeout: (_: Params) => 'The beatmap sites took too long to answer. Please try again in a minute.',
      credentials_required: (_: Params) =>
        'Only osu! itself knows this, and the bot’s operator has not given me a key for it. Searching and downloading beatmaps works without one.',
      forbidden: (p: Params) =>
        p.what === 'button'
          ? 'That button belongs to someone else. You can send the command yourself.'
          : 'osu! does not let me see that.',
    },
    player: {
      invalid_request: (p: Params) =>
        p.what === 'cursor'
          ? 'That page is no longer there. Please send the command again.'
          : p.what === 'mods'
            ? modsSentence(p)
            : p.what === 'q'
              ? refusedSentence(p)
              : p.what === 'like'
                ? 'Give a link or ID of a beatmap to match.'
                : 'I could not read that. Name a player by name, ID or profile link.',
      not_found: (p: Params) =>
        p.what === 'beatmap'
          ? 'That beatmap does not exist, or it was deleted.'
          : p.what === 'score'
            ? 'That score does not exist, or osu! no longer keeps it.'
            : 'That player does not exist, or is restricted.',
      upstream_rate_limited: (_: Params, wait?: string) =>
        `osu! asks me to slow down. Please try again ${wait ?? 'in a few minutes'}.`,
      upstream_unavailable: (p: Params, wait?: string) =>
        p.what === 'offline'
          ? offline(wait)
          : `osu! is not answering right now. Please try again ${wait ?? 'in a minute'}.`,
      upstream_changed: (_: Params) =>
        'osu! answers in a way I cannot read. Please try again later; the bot’s operator can see why.',
      timeout: (_: Params) => 'osu! took too long to answer. Please try again in a minute.',
      credentials_required: (p: Params) =>
        p.what === 'score'
          ? 'Only osu! itself knows scores, and the bot’s operator has not given me a key for it. Searching and downloading beatmaps works without one.'
          : 'Only osu! itself knows players, and the bot’s operator has not given me a key for it. Searching and downloading beatmaps works without one.',
      forbidden: (p: Params) =>
        p.what === 'button'
          ? 'That button belongs to someone else. You can send the command yourself.'
          : p.what === 'tracking'
            ? 'Only admins of this chat can change whom I watch for it.'
            : 'osu! does not let me see that player.',
    },
  } satisfies Readonly<Record<string, Partial<Record<ErrorCode, Sentence>>>>,

  search: {
    title: (query: string) => `Beatmaps for “${query}”`,
    none: (query: string) => `I found no beatmap for “${query}”. Try fewer words, or status “any”.`,
  },
  sets: (n: number, shown: string) => (n === 1 ? '1 beatmap' : `${shown} beatmaps`),
  setsAtLeast: (n: number, shown: string) => (n === 1 ? 'at least 1 beatmap' : `at least ${shown} beatmaps`),
  page: (n: number) => `page ${n}`,
  back: 'Back',
  more: 'More',
  open: 'Open a beatmap…',
  openDifficulty: 'Open a difficulty…',
  /** Followed by the mappers of a difficulty. */
  by: 'by',
  openOne: 'Open',
  mappedBy: (name: string) => `mapped by ${name}`,
  difficultiesTitle: 'Difficulties',
  otherDifficulties: 'Other difficulties',
  moreDifficulties: (n: number) => (n === 1 ? 'and 1 more' : `and ${n} more`),
  /** `shown` is `n`, written short. */
  plays: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
  favourites: (n: number, shown: string) => (n === 1 ? '1 favourite' : `${shown} favourites`),
  combo: (shown: string) => `${shown}x`,
  objects: (shown: string) => `${shown} objects`,
  explicit: 'explicit',
  spotlight: 'spotlight',
  preview: 'Preview',
  openAtOsu: 'Open on osu!',
  download: 'Download',
  downloadLight: 'Without video',
  downloadHint: 'Download from:',
  unavailable: 'osu! has taken down the download of this beatmap.',
  unavailableBecause: (reason: string) => `osu! has taken down the download of this beatmap: ${reason}`,
  withVideo: 'with video',
  withoutVideo: 'without video',
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
  yours: (name: string) => `${name} (you)`,
  /** How often the player played it. */
  played: (n: number, shown: string) => (n === 1 ? 'played once' : `played ${shown} times`),
  linked: (name: string) => `Linked ${name}. /osu profile now works without a name.`,
  linkedIn: (name: string, mode: string) => `Linked ${name} in ${mode}. /osu profile now works without a name.`,
  unlinked: (name: string) => `Unlinked ${name}.`,
  notLinked: 'You had no player linked.',
  noMaps: 'There are no beatmaps in this list.',
  withMods: (mods: string) => `With +${mods}.`,
  /** Worked out by Medley, not by osu!. */
  estimate: {
    pp: (shown: string) => `${shown} pp`,
    about: (shown: string) => `about ${shown}`,
    by: (date: string) => `stars and pp are estimates by the rules of ${date}`,
    ppBy: (date: string) => `pp is an estimate by the rules of ${date}, on today’s scale`,
    byOtherFile: (date: string) => `estimates from another version of the map, by the rules of ${date}`,
    byFigures: 'stars with mods are estimates from the maps’ figures',
  },
  mapTypes: {
    ranked: 'ranked beatmaps',
    loved: 'loved beatmaps',
    pending: 'pending beatmaps',
    graveyard: 'beatmaps in the graveyard',
    guest: 'guest difficulties',
    nominated: 'nominated beatmaps',
    favourite: 'favourite beatmaps',
    most_played: 'most played beatmaps',
  },
  profile: {
    supporter: 'supporter',
    joined: 'joined',
    online: 'online now',
    seen: 'last seen',
    rank: 'Rank',
    unranked: 'unranked',
    pp: 'pp',
    accuracy: 'Accuracy',
    level: 'Level',
    plays: 'Plays',
    time: 'Play time',
    hours: (n: number, shown: string) => (n === 1 ? '1 hour' : `${shown} hours`),
    combo: 'Longest combo',
    score: 'Ranked score',
    grades: 'Grades',
    peak: 'Best rank',
    medals: 'Medals',
    followers: 'Followers',
    keys: 'By keys',
    mapping: 'Mapping:',
    best: 'Best plays',
    recent: 'Recent plays',
    maps: 'Beatmaps',
  },
  scores: {
    titles: { best: 'best plays', recent: 'recent plays', firsts: 'first places', pinned: 'pinned plays' },
    none: {
      best: 'There are no plays that count here yet.',
      recent: 'There were no plays in the last 24 hours.',
      firsts: 'There are no first places here.',
      pinned: 'There are no pinned plays here.',
    },
    noMore: 'That is all; the list ends here.',
    unknownPlayer: 'A player',
    map: 'Beatmap',
    player: 'Player',
    unknownMap: (id: string) => `Beatmap ${id}`,
    weighted: (pp: string) => `counts ${pp} pp`,
    failed: 'failed',
    ifRanked: (pp: string) => `about ${pp} pp if ranked`,
    untilFail: (pp: string) => `about ${pp} pp up to there`,
    failedAt: (percent: string) => `failed at ${percent}`,
    score: (shown: string) => `score ${shown}`,
    /** Names of the results that have no number for a name. */
    results: { miss: 'miss', fruits: 'fruits', drops: 'drops', droplets: 'missed droplets' },
    ifFullCombo: (pp: string) => `about ${pp} pp as a full combo`,
    fullCombo: 'full combo',
    misses: (n: number) => (n === 1 ? '1 miss' : `${n} misses`),
  },
  recommend: {
    title: 'What to play next',
    titleFor: (name: string) => `What ${name} could play next`,
    none: 'No matches. Try wider filters.',
    target: (pp: string) => `Maps for plays of about ${pp} pp.`,
    beside: (pp: string) => `I found little for plays of about ${pp} pp; these come nearest.`,
    few: 'I found only these; with wider filters there may be more.',
    gain: (pp: string) => `+${pp} pp in total`,
    /** `percent`: the accuracy that pp is expected at. */
    at: (percent: string) => `at ${percent}`,
    /** Followed by a play or a map. */
    like: 'like',
    mods: (percent: string) => `${percent} of the best plays have these mods`,
    farm: 'often played for its pp',
    start: 'a gentle start',
    byFigures: 'pp and gains are estimates from the maps’ figures.',
    byRules: (date: string) => `pp and gains are estimates by the rules of ${date}.`,
    byBoth: (date: string) => `pp and gains are estimates, some by the rules of ${date}, some from the maps’ figures.`,
    another: 'More like these',
    easier: 'Easier',
    harder: 'Harder',
    withDoubleTime: 'With DT',
  },
  origin: {
    local: 'From my own copy; osu! was not asked.',
    remembered: 'osu! and its mirrors are not answering right now, so this is from my own copy.',
    stale: 'osu! is not answering right now, so this is an earlier answer.',
    corrected: 'Nothing matches these words exactly; this may be what you meant.',
  },
};
