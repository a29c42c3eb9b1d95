import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, ONE_PROCESS, SPLIT, startCluster } from './cluster.ts';
import type { GateMode } from './gate.ts';
import { FACES, type Face, openWorld, type Tally, type World } from './world.ts';

/** Something that goes wrong while people ask. */
export interface RequestFault {
  readonly name: string;
  /** What happens, in a few words. */
  readonly about: string;
  /** What has to be there; `split`: two gateways and three workers over Redis. */
  readonly setting: 'one process' | 'split';
  /** Asks, and makes it go wrong. `scale` 1 is the whole drill, less a shorter one. */
  run(world: World, cluster: Cluster, scale: number): Promise<void>;
  /** For everything to come to something afterwards. Default 60,000. */
  readonly settleMs?: number;
  /** It is given up after this time. */
  readonly maxMs?: number;
  /** It takes so long that it runs only when it is named. */
  readonly isLong?: boolean;
}

/** The same series of numbers from 0 to 1 every time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function askAll(world: World): void {
  for (const face of FACES) world.ask(face);
}

/** One request on every face each time, so many times, so far apart. */
async function askFor(world: World, times: number, everyMs: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    askAll(world);
    await pause(everyMs);
  }
}

async function killAtRandom(world: World, cluster: Cluster, scale: number): Promise<void> {
  const random = createRandom(42);
  for (let n = 0; n < Math.ceil(50 * scale); n += 1) {
    // What is said while nobody listens, Discord tells nobody.
    await world.heard();
    askAll(world);
    await pause(random() * 900);
    await cluster.kill(Math.floor(random() * cluster.size));
  }
}

async function away(world: World, mode: GateMode, ms: number): Promise<void> {
  await askFor(world, 2, 100);
  await Promise.all(world.gates.map(gate => gate.set(mode)));
  const back = pause(ms);
  await askFor(world, 4, 100);
  await back;
  await Promise.all(world.gates.map(gate => gate.set('open')));
  await askFor(world, 2, 100);
}

const SENDS = /^send(Video|Photo|Message|MediaGroup)$/;
const POSTS = { method: 'POST', path: /\/messages$/ };
const EDITS = { method: 'PATCH', path: /@original$/ };

export const REQUEST_FAULTS: readonly RequestFault[] = [
  { name: 'kill', about: 'kill -9 at random moments', setting: 'one process', run: killAtRandom, maxMs: 600_000 },
  {
    name: 'kill-split',
    about: 'kill -9 at random moments',
    setting: 'split',
    run: killAtRandom,
    settleMs: 120_000,
    maxMs: 600_000,
  },
  {
    name: 'terminate',
    about: 'SIGTERM during uploads',
    setting: 'one process',
    async run(world, cluster, scale) {
      for (let n = 0; n < Math.ceil(10 * scale); n += 1) {
        const slow = { delayMs: 3_000, times: 1 };
        world.discord.fault({ ...POSTS, ...slow });
        world.telegram.fault({ method: SENDS, ...slow });
        askAll(world);
        await pause(150 + n * 60);
        await cluster.replace(0);
      }
    },
  },
  ...(['refuse', 'cut', 'unavailable', 'hang'] as const).map(
    (mode): RequestFault => ({
      name: `away-${mode}`,
      about: `the platforms’ APIs away: ${mode}`,
      setting: 'one process',
      run: (world, _, scale) => away(world, mode, 8_000 * scale),
    }),
  ),
  ...([60, 600] as const).map(
    (seconds): RequestFault => ({
      name: `away-${seconds}s`,
      about: `the platforms’ APIs refuse connections for ${seconds} s`,
      setting: 'one process',
      run: (world, _, scale) => away(world, 'refuse', seconds * 1_000 * scale),
      settleMs: 180_000,
      maxMs: seconds * 1_000 + 240_000,
      isLong: true,
    }),
  ),
  {
    name: 'unauthorized',
    about: 'one 401 on a send, on typing, on polling',
    setting: 'one process',
    async run(world) {
      const refusal = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
      world.discord.fault({ ...POSTS, ...refusal });
      world.discord.fault({ method: 'POST', path: /\/typing$/, ...refusal });
      for (const method of [SENDS, 'sendChatAction', 'getUpdates'])
        world.telegram.fault({ method, errorCode: 401, description: 'Unauthorized' });
      await askFor(world, 6, 200);
    },
  },
  {
    name: 'flood',
    about: '429 of one chat and of all',
    setting: 'one process',
    async run(world) {
      const limited = (global: boolean) => ({
        status: 429,
        body: { message: 'You are being rate limited.', retry_after: 2, global },
        headers: { 'retry-after': '2', 'x-ratelimit-scope': global ? 'global' : 'user' },
      });
      world.discord.fault({ ...POSTS, ...limited(false), times: 2 });
      world.discord.fault({ ...EDITS, ...limited(true) });
      const slow = { errorCode: 429, description: 'Too Many Requests: retry after 2', parameters: { retry_after: 2 } };
      world.telegram.fault({ method: SENDS, ...slow, times: 3 });
      await askFor(world, 6, 100);
    },
  },
  {
    name: 'deploy',
    about: 'a rolling deploy',
    setting: 'one process',
    async run(world, cluster, scale) {
      for (let n = 0; n < Math.ceil(4 * scale); n += 1) {
        const asking = askFor(world, 5, 150);
        await pause(200);
        await cluster.replace(0);
        await asking;
      }
    },
  },
  {
    name: 'deploy-split',
    about: 'a rolling deploy',
    setting: 'split',
    async run(world, cluster, scale) {
      for (let n = 0; n < Math.ceil(cluster.size * scale); n += 1) {
        const asking = askFor(world, 4, 150);
        await pause(200);
        await cluster.replace(n);
        await asking;
      }
    },
  },
  {
    name: 'redis-away',
    about: 'Redis does not answer for a while',
    setting: 'split',
    async run(world, _, scale) {
      await askFor(world, 3, 100);
      world.redis?.freeze();
      const back = pause(15_000 * scale);
      // A command that finds no storage is answered with one sentence at once; messages wait.
      for (let n = 0; n < 4; n += 1) {
        world.ask('discord');
        world.ask('telegram');
        await pause(200);
      }
      await back;
      world.redis?.thaw();
      await askFor(world, 3, 100);
    },
    settleMs: 120_000,
  },
  {
    name: 'frozen-worker',
    about: 'a worker frozen past its lease, and woken',
    setting: 'split',
    async run(world, cluster) {
      await askFor(world, 3, 50);
      cluster.freeze(2);
      await askFor(world, 3, 50);
      // The lease is 20 seconds.
      await pause(30_000);
      cluster.thaw(2);
    },
    settleMs: 120_000,
  },
];

export interface FaultReport {
  readonly faces: readonly ({ readonly face: Face } & Tally)[];
  /** Complaints of the platforms about what a well-behaved bot would not have done. */
  readonly problems: readonly string[];
}

export async function runRequestFault(fault: RequestFault, scale: number): Promise<FaultReport> {
  const world = await openWorld({ redis: fault.setting === 'split' });
  try {
    const cluster = await startCluster(world, fault.setting === 'split' ? SPLIT : ONE_PROCESS);
    await fault.run(world, cluster, scale);
    await world.settle(fault.settleMs ?? 60_000);
    return {
      faces: FACES.map(face => ({ face, ...world.tally(face) })),
      // Uploads that end with their process.
      problems: [...world.discord.problems, ...world.telegram.problems].filter(each => !each.endsWith('aborted')),
    };
  } finally {
    await world.close();
  }
}
