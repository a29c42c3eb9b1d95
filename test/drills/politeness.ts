import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../end-to-end/program.ts';
import type { EndpointGroup, Fault } from '../sandbox/faults.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { WORLD, type World } from '../sandbox/world.ts';
import { ask, type Seen } from './bystander.ts';
import type { Drill } from './drill.ts';

const SECONDS = 60;
const CHATS = 10;
const PRIVATE_CHAT = CHATS - 1;
const PRIVATE_POSTS = 5;
const ACCOUNT_SECONDS = 20;
const ACCOUNT_POSTS = 200;
/** One in eight seconds. */
const MAX_BY_ACCOUNT = 3;

interface Case {
  readonly about: string;
  readonly faults: readonly (readonly [EndpointGroup, Fault])[];
  /** Most requests to the site in the minute. */
  readonly atMost: number;
  /** The endpoint that says how long it is to be left alone: it is asked once. */
  readonly limited?: EndpointGroup;
  /** Whether every post comes. */
  readonly isBrought?: boolean;
}

const CASES: readonly Case[] = [
  { about: 'everything redirects to the login page', faults: [['instagram.*', 'wall']], atMost: 90 },
  { about: 'everything answers 401 "Please wait"', faults: [['instagram.*', 'wait']], atMost: 90 },
  { about: 'everything answers 429 with Retry-After: 600', faults: [['instagram.*', 'retry-after:600']], atMost: 12 },
  {
    about: 'one endpoint answers 429 with Retry-After: 600',
    faults: [['instagram.graphql-shortcode', 'retry-after:600']],
    atMost: 2 * SECONDS,
    limited: 'instagram.graphql-shortcode',
    isBrought: true,
  },
];

function codeOf(seen: Seen): string {
  return seen.status === 200 ? 'ok' : (/"code":"(\w+)"/.exec(seen.body)?.[1] ?? `${seen.status}`);
}

/** `12 ok, 48 timeout` */
function tally(answers: readonly Seen[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(codeOf(answer), (counts.get(codeOf(answer)) ?? 0) + 1);
  return [...counts].map(([code, count]) => `${count} ${code}`).join(', ');
}

/** One post a second from ten addresses in turn, each of which is a chat of its own. */
async function askForPosts(origin: string): Promise<readonly Seen[]> {
  const asked: Promise<Seen>[] = [];
  for (let turn = 0; turn < SECONDS; turn += 1) {
    const link = encodeURIComponent(linkAt(turn));
    asked.push(ask(`${origin}/api/post?url=${link}`, `127.0.1.${(turn % CHATS) + 1}`));
    await pause(1_000);
  }
  return Promise.all(asked);
}

/** The post that the private chat asks for at that turn, which only followers see. */
function isPrivate(turn: number): boolean {
  return turn % CHATS === PRIVATE_CHAT && turn < PRIVATE_POSTS * CHATS;
}

function codeAt(turn: number): string {
  return `Po${String(turn).padStart(9, '0')}`;
}

function linkAt(turn: number): string {
  return `https://www.instagram.com/reel/${codeAt(turn)}/`;
}

function worldWithPrivatePosts(): World {
  const example = WORLD.instagram.find(({ state }) => state === 'private');
  if (example === undefined) throw new Error('no post of the world is private');
  const turns = Array.from({ length: SECONDS }, (_, turn) => turn).filter(isPrivate);
  const posts = turns.map(turn => ({ ...example, code: codeAt(turn), suffix: '' }));
  return { ...WORLD, instagram: [...WORLD.instagram, ...posts] };
}

async function withProgram(
  work: (origin: string, sandbox: Sandbox) => Promise<boolean>,
  {
    world = WORLD,
    settings = {},
  }: { readonly world?: World; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<boolean> {
  const sandbox = await createSandbox({ generate: true, world });
  const program = await startProgram({
    UPSTREAM_OVERRIDES: sandbox.overrides,
    CANARY: 'off',
    LOG_LEVEL: 'error',
    ...settings,
  });
  try {
    return await work((await program.ready).replace(/\/$/, ''), sandbox);
  } finally {
    await program.kill();
    await sandbox.close();
  }
}

function runCase({ about, faults, atMost, limited, isBrought }: Case, say: (line: string) => void): Promise<boolean> {
  return withProgram(async (origin, sandbox) => {
    for (const [group, fault] of faults) sandbox.faults.set(group, fault);
    const answers = await askForPosts(origin);
    const requests = sandbox.count('instagram.*');
    const toLimited = limited === undefined ? 0 : sandbox.count(limited);
    const toIt = limited === undefined ? '' : `, ${toLimited} of them to it (at most 1)`;
    say(`${about}: ${requests} requests (at most ${atMost})${toIt}; people got ${tally(answers)}`);
    const brought = answers.filter(({ status }) => status === 200).length;
    return requests <= atMost && toLimited <= 1 && (isBrought !== true || brought === SECONDS);
  });
}

/** Private posts of one chat among good ones of the others. */
function runPrivate(say: (line: string) => void): Promise<boolean> {
  return withProgram(
    async (origin, sandbox) => {
      const answers = await askForPosts(origin);
      const [bad, good] = [true, false].map(is => answers.filter((_, turn) => isPrivate(turn) === is));
      const requests = sandbox.count('instagram.*');
      say(
        `${PRIVATE_POSTS} private posts of one chat: ${requests} requests; it got ${tally(bad ?? [])}, all else ${tally(good ?? [])}`,
      );
      return (good ?? []).every(({ status }) => status === 200) && tally(bad ?? []) === `${PRIVATE_POSTS} private`;
    },
    { world: worldWithPrivatePosts() },
  );
}

/** Posts that an account alone is shown. */
async function runAccount(say: (line: string) => void): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-account-'));
  const file = join(folder, 'cookies.txt');
  await writeFile(file, '.instagram.com\tTRUE\t/\tTRUE\t0\tsessionid\tmade-up\n');
  const asksAccount = async (origin: string, sandbox: Sandbox) => {
    sandbox.faults.set('instagram.*', 'wall');
    sandbox.faults.clear('instagram.media-info');
    const asked: Promise<Seen>[] = [];
    for (let turn = 0; turn < ACCOUNT_POSTS; turn += 1) {
      const link = encodeURIComponent(linkAt(turn));
      asked.push(ask(`${origin}/api/post?url=${link}`, `127.0.1.${(turn % CHATS) + 1}`));
      await pause((1_000 * ACCOUNT_SECONDS) / ACCOUNT_POSTS);
    }
    const requests = sandbox.count('instagram.media-info');
    const answers = tally(await Promise.all(asked));
    say(
      `${ACCOUNT_POSTS} walled posts in ${ACCOUNT_SECONDS} s: ${requests} requests by the account (at most ${MAX_BY_ACCOUNT}); people got ${answers}`,
    );
    return requests > 0 && requests <= MAX_BY_ACCOUNT;
  };
  try {
    return await withProgram(asksAccount, { settings: { INSTAGRAM_COOKIES_FILE: file } });
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const politenessDrill: Drill = {
  name: 'politeness',
  about: `the site refuses this address; one post a second for ${SECONDS} s from ${CHATS} chats`,
  async run(say) {
    const results = await Promise.all([...CASES.map(each => runCase(each, say)), runPrivate(say), runAccount(say)]);
    return results.every(Boolean);
  },
};
