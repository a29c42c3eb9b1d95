/** Words in drawn image cards: short, since they do not wrap. */
export const cards = {
  unranked: 'unranked',
  pp: 'pp',
  accuracy: 'accuracy',
  plays: 'plays',
  playTime: 'play time',
  hours: (n: string) => `${n} h`,
  level: 'level',
  noHistory: 'No rank in recent days.',
  lastDays: (n: number) => `rank, last ${n} days`,
  bestPlays: (n: number) => `pp, best ${n} plays`,
  hardest: (at: string) => `hardest at ${at}`,
  topPlays: (name: string, n: number) => `${name}: top ${n} plays`,
  worth: (pp: string) => `${pp} pp`,
  gain: (pp: string) => `+${pp} in total`,
  /** For those who cannot see them. */
  profileAlt: (name: string, rank: string, pp: string) =>
    `Profile of ${[name, rank, pp].filter(part => part !== '').join(', ')}, with the ranks of recent days`,
  curveAlt: (name: string, n: number, top: string, last: string) =>
    `The ${n} best plays of ${name}, from ${top} down to ${last}`,
  strainsAlt: (map: string, at: string) => `How hard ${map} is over its length; hardest at ${at}`,
  /** By the names the difficulty calculation gives them. */
  skills: new Map(
    Object.entries({
      aim: 'aim',
      speed: 'speed',
      flashlight: 'flashlight',
      color: 'colour',
      rhythm: 'rhythm',
      stamina: 'stamina',
      reading: 'reading',
      movement: 'movement',
      strains: 'strain',
    }),
  ),
};
