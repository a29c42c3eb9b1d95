import { ownerCommands } from './owner.ts';
import { playCommands } from './play-commands.ts';

const MODE = { name: 'mode', description: 'osu, taiko, catch or mania' };
const PLAYER = { name: 'player', description: 'Name, ID or profile link; yourself once linked' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };

/** Names and descriptions of commands, their options and choices. */
export const commands = {
  download: {
    description: 'Show the video or photos of a post here',
    options: {
      link: { name: 'link', description: 'Link to an Instagram or Facebook post' },
      item: { name: 'item', description: 'Only this item of several, counted from 1' },
      audio: { name: 'audio', description: 'Only the audio' },
    },
    choices: {},
  },
  help: {
    description: 'What I can do',
    options: { command: { name: 'command', description: 'The command you want to know more about' } },
    choices: {},
  },
  settings: {
    description: 'See and change your settings, and those of a group',
    options: {
      language: { name: 'language', description: 'The language I answer you in' },
      links: { name: 'links', description: 'This group: answer pasted links to posts' },
      'osu-links': {
        name: 'osu-links',
        description: 'This group: show previews for pasted osu! links',
      },
      embeds: { name: 'embeds', description: 'This group: hide a link’s embed once I have answered it' },
      captions: { name: 'captions', description: 'This group: show the captions of posts' },
      prefix: { name: 'prefix', description: 'This group: what short forms such as !rs, !c and !map begin with' },
      'chat-language': { name: 'chat-language', description: 'This group: the language for members who chose none' },
    },
    choices: {
      language: { auto: 'Automatic' },
      prefix: { off: 'off' },
      'chat-language': { auto: 'Automatic' },
    },
  },
  privacy: {
    description: 'Have me ignore the links you paste, or answer them again',
    options: { links: { name: 'links', description: 'What I do with the links you paste' } },
    choices: { links: { ignore: 'ignore', answer: 'answer' } },
  },
  forget: {
    description: 'Delete everything I keep about you',
    options: { what: { name: 'what', description: 'Write “me” to confirm' } },
    choices: { what: { me: 'Me' } },
  },
  about: { description: 'Who I am, and what I keep', options: {}, choices: {} },
  'beatmap search': {
    description: 'Search osu! beatmaps by words and filters, for example camellia stars>6',
    options: {
      query: { name: 'query', description: 'Words, and filters as on osu!: stars>6 ar=9 bpm>180 creator=…' },
      mode: MODE,
      status: { name: 'status', description: 'Ranked and loved by default' },
      sort: { name: 'sort', description: 'Sort order' },
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
    options: {
      map: { name: 'map', description: 'Its osu! link, its ID, or words of its title' },
      mods: { name: 'mods', description: 'Mods to play it with, like +HDDT' },
    },
    choices: {},
  },
  'beatmap recommend': {
    description: 'What to play next, and why, based on a player’s best plays',
    options: {
      player: PLAYER,
      mods: { name: 'mods', description: '+HDDT with these, -HR without, NM with none' },
      stars: { name: 'stars', description: 'Stars with the mods, like 5-6' },
      pp: { name: 'pp', description: 'Expected pp, like 200-250' },
      ar: { name: 'ar', description: 'Approach rate with the mods, like 9-9.6' },
      bpm: { name: 'bpm', description: 'BPM with the mods, like 170-200' },
      length: { name: 'length', description: 'Length, like 1:00-2:30' },
      like: { name: 'like', description: 'Link or ID of a beatmap to match' },
      farm: { name: 'farm', description: 'Only maps played for their pp, or only others' },
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'beatmap download': {
    description: 'Where to download an osu! beatmap',
    options: {
      map: { name: 'map', description: 'Its osu! link, its ID, or words of its title' },
      video: { name: 'video', description: 'Only files with its video, or only those without' },
    },
    choices: {},
  },
  'osu profile': {
    description: 'An osu! player: rank, pp, accuracy and more',
    options: { player: PLAYER, mode: MODE },
    choices: { mode: MODES },
  },
  'osu scores': {
    description: 'The best or most recent plays of an osu! player',
    options: {
      player: PLAYER,
      type: { name: 'type', description: 'Which plays; the best by default' },
      mode: MODE,
      mods: { name: 'mods', description: '+HDDT with these, HDDT! with just these, -HR without, NM with none' },
      grade: { name: 'grade', description: 'Only plays of that grade' },
      sort: { name: 'sort', description: 'Sort order' },
      search: { name: 'search', description: 'Words of the map, or conditions: camellia stars>6' },
      index: { name: 'index', description: 'Only that play of the list, counted from 1' },
      reverse: { name: 'reverse', description: 'The list from its end' },
      chokes: { name: 'chokes', description: 'Only plays whose combo broke' },
    },
    choices: {
      type: { best: 'best', recent: 'recent', firsts: 'first places', pinned: 'pinned' },
      mode: MODES,
      sort: { pp: 'pp', accuracy: 'accuracy', date: 'date', combo: 'combo', stars: 'stars' },
    },
  },
  'osu score': {
    description: 'One osu! score, by its link',
    options: { play: { name: 'play', description: 'Its link, like https://osu.ppy.sh/scores/…' } },
    choices: {},
  },
  'osu maps': {
    description: 'Beatmaps an osu! player made, likes or plays most',
    options: {
      player: PLAYER,
      type: { name: 'type', description: 'Which list; the ranked by default' },
    },
    choices: {
      type: {
        ranked: 'ranked',
        loved: 'loved',
        pending: 'pending',
        graveyard: 'graveyard',
        guest: 'guest difficulties',
        nominated: 'nominated',
        favourite: 'favourites',
        most_played: 'most played',
      },
    },
  },
  'osu link': {
    description: 'Link your osu! player',
    options: {
      player: { name: 'player', description: 'Your osu! name, ID or profile link' },
      mode: { name: 'mode', description: 'The mode you want to see: osu, taiko, catch or mania' },
    },
    choices: { mode: MODES },
  },
  'osu unlink': { description: 'Unlink your osu! player', options: {}, choices: {} },
  ...playCommands,
  ...ownerCommands,
};
