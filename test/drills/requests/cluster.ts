import type { Program } from '../../end-to-end/program.ts';
import type { World } from './world.ts';

/** The processes of one installation: one with every role, or gateways and workers over Redis. */
export interface Cluster {
  /** Kills one of them at once, whichever `pick` says, and starts it again. */
  kill(pick: number): Promise<void>;
  /** Ends one of them by SIGTERM while its successor starts beside it, as a rolling deploy does. */
  replace(pick: number): Promise<void>;
  /** Stops one of them without a word, and lets it go on later. */
  freeze(pick: number): void;
  thaw(pick: number): void;
  readonly size: number;
}

const ALL = undefined;
export const ONE_PROCESS = [ALL] as const;
export const SPLIT = ['gateway', 'gateway', 'worker', 'worker', 'worker'] as const;

export async function startCluster(world: World, roles: readonly (string | undefined)[]): Promise<Cluster> {
  const start = async (role: string | undefined): Promise<Program> => {
    const program = await world.start(role === undefined ? {} : { roles: role });
    await ready(program);
    return program;
  };
  const members = await Promise.all(roles.map(start));
  await world.heard();

  const memberAt = (pick: number): { readonly place: number; readonly program: Program } => {
    const place = pick % members.length;
    const program = members[place];
    if (program === undefined) throw new Error('there is no such process');
    return { place, program };
  };

  return {
    size: members.length,
    async kill(pick) {
      const { place, program } = memberAt(pick);
      await program.kill();
      members[place] = await start(roles[place]);
    },
    async replace(pick) {
      const { place, program } = memberAt(pick);
      const next = world.start(roles[place] === undefined ? {} : { roles: roles[place] });
      program.child.kill('SIGTERM');
      await program.ended;
      const started = await next;
      await ready(started);
      members[place] = started;
    },
    freeze: pick => void memberAt(pick).program.child.kill('SIGSTOP'),
    thaw: pick => void memberAt(pick).program.child.kill('SIGCONT'),
  };
}

const START_MS = 45_000;

async function ready(program: Program): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not ready: ${program.stderr().slice(-2_000)}`)), START_MS);
  });
  const ended = program.ended.then(code => {
    throw new Error(`it ended with ${code}: ${program.stderr().slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([program.ready, late, ended]);
  } finally {
    clearTimeout(timer);
  }
}
