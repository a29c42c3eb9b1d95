/** Plays, leaderboards, and what could be. */
export const plays = {
  buttons: {
    map: 'Beatmap',
    compare: 'Compare',
    leaderboard: 'Leaderboard',
    simulate: 'Simulate',
    profile: 'Player',
    best: 'Best plays',
    recent: 'Recent plays',
    earlier: 'Earlier',
    later: 'Later',
    again: 'Go on',
    world: 'World',
    here: 'This chat',
  },
  recent: {
    title: (mode: string) => `most recent play (${mode})`,
    nth: (n: string, mode: string) => `recent play ${n} (${mode})`,
    none: 'There were no plays in the last 24 hours.',
    fewer: (n: number, shown: string) =>
      n === 1 ? 'There was only 1 play in the last 24 hours.' : `There were only ${shown} plays in the last 24 hours.`,
  },
  onMap: (rank: string) => `#${rank} on this map`,
  inBest: (place: string) => `#${place} of the best plays`,
  bestIfFullCombo: (place: string, gain: string) =>
    `as a full combo about #${place} of the best plays, ${gain} pp in total`,
  compare: {
    title: 'plays on this map',
    none: (name: string) => `${name} has no play that counts on this map.`,
  },
  leaderboard: {
    world: 'Best of the world',
    here: 'Best of this chat',
    none: 'This map has no plays like that yet.',
    noLeaderboard: 'osu! keeps no leaderboard for this map.',
    noneHere: 'None of the linked players of this chat has a play like that on this map.',
    /** Players who were not asked about yet. */
    left: (n: number) =>
      n === 1 ? '1 player of this chat was not looked up yet.' : `${n} players of this chat were not looked up yet.`,
  },
  simulate: {
    title: 'What a play would be worth',
    asked: 'This play',
    rate: (shown: string) => `${shown}x speed`,
    full: 'full combo',
    unknown: 'I could not read this map, so I cannot say what a play would be worth.',
    otherMods: 'Other mods…',
    fullCombo: 'Full combo',
    moreMisses: (n: number) => (n === 1 ? '1 miss' : `${n} misses`),
    percent: (shown: string) => `${shown}%`,
  },
  noMembers: 'No linked player has used an osu! command in this chat yet. /osu link links yours.',
  onlyGroups: 'This is a list of a group’s members, so it works in groups.',
  noChoke: {
    title: (mode: string) => `best plays without chokes (${mode})`,
    total: (now: string, then: string) => `${now} pp now, about ${then} pp without chokes`,
    gain: (gain: string) => `${gain} pp`,
    worth: (now: string, then: string) => `${now} → about ${then} pp`,
    none: 'Every one of these plays is a full combo already.',
    partial: (done: string, all: string) =>
      `Worked out for ${done} of ${all} chokes so far; the others count as they are.`,
  },
  whatIf: {
    title: (times: number, pp: string) =>
      times === 1 ? `One more play of ${pp} pp` : `${times} more plays of ${pp} pp`,
    total: (now: string, then: string) => `${now} → ${then} pp`,
    gain: (gain: string) => `${gain} pp in total`,
    place: (n: string) => `#${n} of the best plays`,
    nothing: 'It would not count: every one of the best plays that count is worth more.',
  },
  target: {
    title: (pp: string) => `The way to ${pp} pp`,
    titleRank: (rank: string, pp: string) => `The way to #${rank}, held with ${pp} pp`,
    reached: (now: string) => `Reached: there are ${now} pp already.`,
    now: (now: string, left: string) => `${now} pp now, ${left} to go`,
    plays: (times: number) => (times === 1 ? '1 play' : `${times} plays`),
    each: (times: number, pp: string) => (times === 1 ? `of ${pp} pp` : `of ${pp} pp each`),
    tooFar: 'more than any play gives',
    unknownRank: (rank: string) => `osu! does not say who holds #${rank}.`,
  },
  ranking: {
    title: (mode: string) => `Players of this chat (${mode})`,
    noPp: 'no pp yet',
    none: 'osu! knows none of the players linked here any more.',
    more: (n: number) => (n === 1 ? 'and 1 more, not looked up' : `and ${n} more, not looked up`),
  },
  track: {
    title: 'Players I watch for this chat',
    none: 'I watch no player for this chat. An admin can add one with /osu track and a name.',
    added: (name: string, mode: string) =>
      `From now on I post new best plays of ${name} (${mode}) here, within the hour.`,
    removed: (name: string) => `I no longer watch ${name}.`,
    notTracked: 'I was not watching that player.',
    cannotPost: 'I cannot post here unasked, so I cannot watch players for this chat.',
    full: 'No more players can be watched. Stop one of them first.',
    onlyGroups: 'I post new best plays in groups and servers, so players are watched there.',
    stop: (name: string) => `Stop ${name}`,
    news: 'a new best play',
    manyNews: (n: number) => `${n} new best plays`,
  },
  shown: {
    /** How a list is filtered. */
    filtered: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
    none: 'No play is like that.',
    noSuch: (n: number, shown: string) =>
      n === 1 ? 'There is only 1 play like that.' : `There are only ${shown} plays like that.`,
  },
};
