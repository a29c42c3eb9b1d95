/** How often osu!'s API is asked for each command, at first and a moment later. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltWorker, buildWorker } from '../../beatmaps/built-worker.ts';
import { openOsuStage, textOf } from './osu-stage.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

/** The API's own calls, then attributes, as many as there may be at first. */
const COMMANDS: readonly (readonly [text: string, api: number, attributes: number])[] = [
  ['/beatmap search paper comet', 1, 0],
  ['/beatmap info paper comet', 1, 0],
  ['/beatmap info osu.ppy.sh/s/900001', 1, 0],
  ['/beatmap info osu.ppy.sh/b/9000014', 1, 0],
  ['/beatmap info osu.ppy.sh/s/900001 +HDDT', 1, 5],
  ['/beatmap info osu.ppy.sh/b/9000014 +HDDT', 1, 5],
  ['/beatmap info https://osu.ppy.sh/beatmapsets/900001#taiko/9000014', 1, 1],
  ['/beatmap download 900001', 1, 0],
  ['/beatmap recommend lamp post', 6, 5],
  ['/beatmap recommend stars:5-6', 2, 5],
  ['/osu profile lamp post', 3, 0],
  ['/osu score https://osu.ppy.sh/scores/5000000001', 1, 1],
  ['/osu scores lamp post', 3, 5],
  ['/osu scores lamp post recent', 2, 5],
  ['/osu maps lamp post most_played', 2, 0],
];

it.each(COMMANDS)('%s asks %i times and for %i ratings at most, then not at all', async (text, api, attributes) => {
  const stage = await openOsuStage({ workerFile: worker.file, beatmapsets: 60 });
  // A new catalogue is filled from the mirrors.
  stage.osu.catalogue.remember((await stage.osu.beatmaps.search({ q: 'No.', limit: 50 })).sets);
  await stage.osu.catalogue.flush();
  stage.sandbox.clearRequests();
  const cold = await stage.say(text);
  expect(cold).toHaveLength(1);
  const asked = stage.calls();
  expect(asked.api, textOf(cold).slice(0, 300)).toBeLessThanOrEqual(api);
  expect(api).toBeLessThanOrEqual(6);
  expect(asked.attributes).toBeLessThanOrEqual(attributes);
  stage.sandbox.clearRequests();
  await stage.say(text);
  // The next recommendations are other maps, which may have to be rated.
  const warm = stage.calls();
  expect(warm.api).toBe(0);
  if (!text.startsWith('/beatmap recommend')) expect(warm.attributes).toBe(0);
});
