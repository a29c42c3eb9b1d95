import { expect, it, onTestFinished } from 'vitest';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { BEATMAP_STEPS, lineOf } from '../beatmap-steps.ts';
import { connect, wordsOf } from './page-client.ts';
import { openStage } from './stage.ts';

it('the commands of osu! are answered one after the other, over the played upstreams', async () => {
  const { beatmaps } = await openHouse({ beatmapsets: 30 });
  const stage = await openStage({ beatmaps, limits: { drainMs: 200, closeMs: 200 } });
  const page = await connect(stage.origin);
  onTestFinished(async () => {
    page.socket.terminate();
    await stage.close();
  });
  for (const [place, step] of BEATMAP_STEPS.entries()) {
    const id = `step-${place}`;
    page.send({ type: 'message', id, text: lineOf(step) });
    const { reply } = await page.hear('reply', frame => frame.id === id);
    // No chat of the web can be posted in unasked.
    const says = step.command === 'osu track' ? /cannot post here/ : step.says;
    expect.soft(wordsOf(reply.blocks), lineOf(step)).toMatch(says);
  }
  expect(stage.logged).toEqual([]);
});
