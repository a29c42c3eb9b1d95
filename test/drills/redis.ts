import { createRedisServer, redisMissing } from '../redis-server.ts';
import { ask, compare, sample } from './bystander.ts';
import type { Drill } from './drill.ts';
import { openScene } from './scene.ts';

async function readiness(origin: string, wanted: number): Promise<string> {
  for (let i = 0; i < 24; i += 1) {
    const { status, body } = await ask(`${origin}/readyz`);
    if (status === wanted) return `${status} ${body}`;
    await new Promise(resolve => setTimeout(resolve, 500));
  }
  return 'never';
}

export const redisDrill: Drill = {
  name: 'redis',
  about: 'Redis is frozen, woken, dead and back',
  async run(say) {
    if (redisMissing !== undefined) {
      say(`skipped: ${redisMissing}`);
      return true;
    }
    const redis = await createRedisServer();
    await redis.start();
    const scene = await openScene({ REDIS_URL: redis.url, LOG_LEVEL: 'info' });
    try {
      const { origin } = scene;
      const link = encodeURIComponent('https://www.instagram.com/p/DXtramshed1/');
      const post = () => ask(`${origin}/api/post?url=${link}`);
      const results: boolean[] = [];
      const see = async (what: string, wanted: number) => {
        const said = await readiness(origin, wanted);
        say(`${what}: /readyz ${said}`);
        results.push(said.startsWith(String(wanted)));
      };
      await see('at first', 200);
      await sample(5, post);
      const before = await sample(30, post);
      redis.freeze();
      const frozen = await sample(30, post);
      // Redis is waited for, shortly: what counts is that everyone is answered.
      compare(say, 'a post by the API while Redis is frozen', before, frozen);
      results.push(frozen.failed === 0 && frozen.p95 < 1_000);
      await see('frozen', 503);
      redis.thaw();
      await see('woken', 200);
      await redis.stop();
      const dead = await sample(30, post);
      results.push(compare(say, 'a post by the API while Redis is dead', before, dead));
      await see('dead', 503);
      await redis.start();
      await see('back', 200);
      return results.every(Boolean);
    } finally {
      redis.thaw();
      await scene.close();
      await redis.stop();
    }
  },
};
