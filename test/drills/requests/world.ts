import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Program, startProgram } from '../../end-to-end/program.ts';
import { createFakeDiscord, type FakeDiscord } from '../../fakes/discord.ts';
import { createFakeTelegram, type FakeTelegram } from '../../fakes/telegram.ts';
import { createRedisServer, type RedisServer } from '../../redis-server.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { createGate, type Gate } from './gate.ts';

export type Face = 'discord' | 'slash' | 'telegram';
export const FACES: readonly Face[] = ['discord', 'slash', 'telegram'];

/** What became of requests that each were made in a chat of their own. */
export interface Tally {
  readonly asked: number;
  /** With the file, once. */
  readonly answered: number;
  /** With the file, and a sentence that it may be missing. */
  readonly unsure: number;
  /** With a sentence alone. */
  readonly regretted: number;
  /** Discord itself said that the application did not respond: it was not acknowledged within 3 seconds. */
  readonly refused: number;
  /** With nothing, or with "thinking..." for ever. */
  readonly lost: number;
  /** With the file more than once. */
  readonly twice: number;
}

export interface World {
  readonly sandbox: Sandbox;
  readonly discord: FakeDiscord;
  readonly telegram: FakeTelegram;
  readonly redis: RedisServer | undefined;
  /** In front of both platforms' APIs. */
  readonly gates: readonly Gate[];
  /** Starts the built program with the default roles, or others. */
  start(options?: { readonly roles?: string; readonly dataDir?: string }): Promise<Program>;
  /** Somebody new asks for a post of their own, alone with Medley. */
  ask(face: Face): void;
  /** Resolves when what is said is heard on the platforms. */
  heard(): Promise<void>;
  /** Resolves when every request has come to something, and a while after it, or when the time is over. */
  settle(timeoutMs: number): Promise<void>;
  tally(face: Face): Tally;
  close(): Promise<void>;
}

const LOADING = 128;
const HEARD_MS = 60_000;
/** Long enough for a second answer to show itself. */
const QUIET_MS = 1_500;

interface Asked {
  readonly face: Face;
  readonly chat: string;
  readonly interactionId?: string;
}

/** The platforms, the sites and, when wanted, Redis, on loopback. */
export async function openWorld(options: { readonly redis?: boolean } = {}): Promise<World> {
  const sandbox = await createSandbox({ generate: true });
  const discord = await createFakeDiscord({ maxConcurrency: 16 });
  const telegram = await createFakeTelegram();
  const gates = [await createGate(discord.apiUrl), await createGate(telegram.apiUrl)];
  const redis = options.redis === true ? await createRedisServer('--maxmemory-policy', 'noeviction') : undefined;
  await redis?.start();
  const folder = await mkdtemp(join(tmpdir(), 'medley-drill-'));
  const programs: Program[] = [];
  const asked: Asked[] = [];

  function ask(face: Face): void {
    const n = asked.length;
    const id = 10_000 + n;
    const link = `https://www.instagram.com/reel/Dr${n.toString(36).padStart(7, 'x')}/`;
    if (face === 'telegram') {
      telegram.addChat({ id, type: 'private' });
      telegram.message({ from: { id, first_name: 'Sari', language_code: 'en' }, text: link });
      asked.push({ face, chat: String(id) });
      return;
    }
    const userId = String(id);
    const before = new Set(discord.messages.keys());
    // A message without words makes the channel, and is answered with nothing.
    const first = discord.message({ authorId: userId, content: face === 'discord' ? link : '' });
    const chat = discord.messages.get(first)?.channelId ?? '';
    if (before.has(first) || chat === '') throw new Error('nothing was said');
    if (face === 'discord') {
      asked.push({ face, chat });
      return;
    }
    const command = { kind: 'command', name: 'download', options: { link } } as const;
    const { id: interactionId } = discord.interaction({ ...command, userId, channelId: chat, context: 1 });
    asked.push({ face, chat, interactionId });
  }

  function isTaken({ interactionId }: Asked): boolean {
    if (interactionId === undefined) return true;
    const path = `/interactions/${interactionId}/`;
    return discord.requests.some(each => each.path.startsWith(path) && each.status !== undefined && each.status < 300);
  }

  /** Files and sentences that stand in a chat. */
  function standing({ face, chat }: Asked): { readonly files: number; readonly sentences: number } {
    const own =
      face === 'telegram'
        ? [...telegram.messages.values()]
            .filter(({ byBot, chatId, deleted }) => byBot && String(chatId) === chat && !deleted)
            .map(({ file }) => file !== undefined)
        : [...discord.messages.values()]
            .filter(each => each.own && each.channelId === chat && !each.deleted)
            // What was acknowledged and never answered.
            .filter(each => (each.flags & LOADING) === 0 || each.files.length > 0)
            .map(({ files }) => files.length > 0);
    const files = own.filter(Boolean).length;
    return { files, sentences: own.length - files };
  }

  function tally(wanted: Face): Tally {
    const all = asked
      .filter(({ face }) => face === wanted)
      .map(each => ({ ...standing(each), wasTaken: isTaken(each) }));
    const count = (is: (each: (typeof all)[number]) => boolean) => all.filter(is).length;
    return {
      asked: all.length,
      answered: count(({ files, sentences }) => files === 1 && sentences <= 0),
      unsure: count(({ files, sentences }) => files === 1 && sentences > 0),
      regretted: count(({ files, sentences }) => files === 0 && sentences > 0),
      refused: count(({ files, sentences, wasTaken }) => files === 0 && sentences <= 0 && !wasTaken),
      lost: count(({ files, sentences, wasTaken }) => files === 0 && sentences <= 0 && wasTaken),
      twice: count(({ files }) => files > 1),
    };
  }

  return {
    sandbox,
    discord,
    telegram,
    redis,
    gates,
    async start({ roles, dataDir = folder } = {}) {
      const program = await startProgram({
        DATA_DIR: dataDir,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: gates[0]?.url ?? '',
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_API_URL: gates[1]?.url ?? '',
        UPSTREAM_OVERRIDES: sandbox.overrides,
        USER_LIMIT: '1000/60',
        ...(roles !== undefined && { ROLES: roles }),
        ...(redis !== undefined && { REDIS_URL: redis.url }),
      });
      programs.push(program);
      return program;
    },
    ask,
    async heard() {
      await discord.waitFor(() => discord.isHeard || undefined, HEARD_MS);
      await telegram.waitFor(() => telegram.isPolled || undefined, HEARD_MS);
    },
    async settle(timeoutMs) {
      const until = Date.now() + timeoutMs;
      while (Date.now() < until && FACES.some(face => tally(face).lost > 0)) await pause(50);
      await pause(QUIET_MS);
    },
    tally,
    async close() {
      await Promise.all(programs.map(program => program.kill()));
      await Promise.all(gates.map(gate => gate.close()));
      await Promise.all([discord.close(), telegram.close(), sandbox.close(), redis?.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
