/** Makes one world and its players, beside whatever else is made: the library takes a core for as long. */
import { z } from 'zod';
import { RULESETS } from '../../../src/beatmaps/model/beatmapset.ts';
import { createLibraryPlayer } from './library-player.ts';
import { createLibraryWorld } from './library-world.ts';
import type { Prepared } from './prepared-worlds.ts';

const { ruleset, sets, players, plays } = z
  .object({ ruleset: z.enum(RULESETS), sets: z.number(), players: z.number(), plays: z.array(z.number()) })
  .parse(JSON.parse(process.argv[2] ?? ''));
const world = createLibraryWorld(ruleset, sets);
const prepared: Prepared = {
  sets: world.sets,
  players: new Map(
    plays.map(known => [
      known,
      Array.from({ length: players }, (_, index) =>
        createLibraryPlayer(world, known * 10 + index, { plays: known, level: (index + 0.5) / players }),
      ),
    ]),
  ),
};
process.send?.(prepared, () => process.disconnect());
