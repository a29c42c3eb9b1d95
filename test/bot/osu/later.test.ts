/** A card does not wait for what is slow; what came late is shown in its place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { type BuiltWorker, buildWorker } from '../../beatmaps/built-worker.ts';
import type { EndpointGroup } from '../../sandbox/faults.ts';
import { openOsuStage, textOf } from './osu-stage.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const MAP = 'osu.ppy.sh/b/9000014';

/** Ten times the second that a card waits: more is no slow machine. */
const HANG_MS = 10_000;
const PATIENT = { ratingsMs: 60_000, times: { laterMs: 60_000, runMs: 90_000 } };
const SLOW = ['osu.attributes', 'osu.file', 'osu-direct.file', 'catboy.file'] as const;

async function withSlow(endpoints: readonly EndpointGroup[]) {
  const stage = await openOsuStage({ workerFile: worker.file, ...PATIENT });
  for (const endpoint of endpoints) stage.sandbox.faults.set(endpoint, 'hang');
  const asked = async (text: string): Promise<{ first: Reply; firstMs: number; later: Reply | undefined }> => {
    const start = performance.now();
    let firstMs = 0;
    const seen: Reply[] = [];
    const [first] = await stage.say(text, undefined, reply => {
      firstMs = performance.now() - start;
      // What is slow answers only after the card stands, however long that took.
      stage.sandbox.faults.clear();
      seen.push(reply);
    });
    if (first === undefined || seen[0] === undefined) throw new Error(`no answer to ${text}`);
    return { first: seen[0], firstMs, later: first === seen[0] ? undefined : first };
  };
  return { ...stage, asked };
}

type Stage = Awaited<ReturnType<typeof withSlow>>;

describe('where osu!’s stars and the files take long', () => {
  it('every command has a card at once, and the rest of it later', async () => {
    const texts = [
      `/beatmap info ${MAP} +HDDT`,
      `/beatmap simulate ${MAP} +HDDT accuracy:98`,
      '/osu recent lamp post',
      '/osu scores lamp post',
      '/osu score https://osu.ppy.sh/scores/5000000001',
    ];
    const each = async ({ asked }: Stage, text: string): Promise<void> => {
      const { first, firstMs, later } = await asked(text);
      // It did not wait for any of them, since its better form brings more; how soon it stands is measured by the bench.
      expect(firstMs, text).toBeLessThan(HANG_MS);
      expect(later, text).toBeDefined();
      expect(textOf([first]), text).not.toBe(later && textOf([later]));
    };
    // Side by side, since they only wait; none is asked while the stage of another still opens, which takes a while.
    const stages = await Promise.all(texts.map(async text => [await withSlow(SLOW), text] as const));
    await Promise.all(stages.map(([stage, text]) => each(stage, text)));
  });

  it('nothing is mended where nothing is late', async () => {
    const { asked } = await withSlow([]);
    // The thread that computes may have to be started first.
    await asked(`/beatmap info ${MAP} +HDDT`);
    expect((await asked(`/beatmap info ${MAP} +HDDT`)).later).toBeUndefined();
  });
});
