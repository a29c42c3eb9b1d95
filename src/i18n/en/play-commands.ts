const MODE = { name: 'mode', description: 'osu, taiko, catch or mania' };
const PLAYER = { name: 'player', description: 'Name, ID or profile link; yourself once linked' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };
const MAP = { name: 'map', description: 'Link, ID or words of its title; the last one shown here by default' };

/** Names and descriptions of the commands about plays. */
export const playCommands = {
  'osu recent': {
    description: 'What an osu! player just played',
    options: { player: PLAYER, mode: MODE, nth: { name: 'nth', description: 'Not the last play but the nth last' } },
    choices: { mode: MODES },
  },
  'osu compare': {
    description: 'A player’s plays on the map last shown here, or on another',
    options: { player: PLAYER, map: MAP },
    choices: {},
  },
  'beatmap leaderboard': {
    description: 'The best plays on a map, of the world or of this chat',
    options: {
      map: MAP,
      mods: { name: 'mods', description: 'Only plays with exactly these mods, like +HDDT, or NM for none' },
      of: { name: 'of', description: 'The world, or the linked members of this chat' },
    },
    choices: { of: { world: 'world', here: 'here' } },
  },
  'beatmap simulate': {
    description: 'What a play would be worth: accuracy, misses, mods, speed',
    options: {
      map: MAP,
      mods: { name: 'mods', description: 'Mods to play it with, like +HDDT' },
      accuracy: { name: 'accuracy', description: 'In percent, like 98.5' },
      combo: { name: 'combo', description: 'The longest combo of the play' },
      misses: { name: 'misses', description: 'How many misses' },
      n300: { name: 'n300', description: 'How many 300s' },
      n100: { name: 'n100', description: 'How many 100s' },
      n50: { name: 'n50', description: 'How many 50s' },
      rate: { name: 'rate', description: 'Speed, like 1.2' },
    },
    choices: {},
  },
  'osu nochoke': {
    description: 'A player’s best plays as if they had not choked',
    options: { player: PLAYER, mode: MODE },
    choices: { mode: MODES },
  },
  'osu whatif': {
    description: 'What a player’s total would be with another play',
    options: {
      pp: { name: 'pp', description: 'What the play is worth' },
      times: { name: 'times', description: 'How many such plays' },
      player: PLAYER,
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'osu target': {
    description: 'Which plays a player needs for a total or a rank',
    options: {
      pp: { name: 'pp', description: 'The total to reach' },
      rank: { name: 'rank', description: 'The rank to reach, up to 10000' },
      player: PLAYER,
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'osu ranking': {
    description: 'The linked players of this chat by pp',
    options: { mode: MODE },
    choices: { mode: MODES },
  },
  'osu track': {
    description: 'Post a player’s new best plays here (admins)',
    options: {
      player: { name: 'player', description: 'Name, ID or profile link; without one, who is watched' },
      mode: MODE,
    },
    choices: { mode: MODES },
  },
};
