import { type Player, parsePlayer } from '../../src/beatmaps/model/player.ts';

/** A made-up player. */
export function madeUpPlayer(id: number, pp: number | null, mode = 'osu'): Player {
  const player = parsePlayer({ id, username: `crane ${id}`, playmode: mode, statistics: { pp } });
  if (player === undefined) throw new TypeError('not what it was made as');
  return player;
}
