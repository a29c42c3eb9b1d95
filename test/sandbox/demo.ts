/** `npm run demo`: Medley as it is built, against the sandbox. Needs no network and no account. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { demoLinks } from './links.ts';
import { SANDBOX_OSU } from './osu.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { DemoLink } from './site.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const READY = /^Medley is ready at \S+$/;
/** Set by people for the real bot; the demo stays on this machine. */
const PRIVATE_SETTINGS = [
  ...['DISCORD_TOKEN', 'TELEGRAM_TOKEN', 'ROLES', 'REDIS_URL', 'INSTAGRAM_COOKIES_FILE', 'FACEBOOK_COOKIES_FILE'],
  ...['UPSTREAM_PROXY', 'UPSTREAM_LOCAL_ADDRESS', 'UPSTREAM_CONSTANTS', 'TRANSLATE_URL', 'TELEGRAM_WEBHOOK_SECRET'],
];

/** What the empty chat offers to try. */
const EXAMPLES = [
  'reel=https://www.instagram.com/reel/DVclaybowl1/',
  'carousel=https://www.instagram.com/p/DWlightkeep/',
  'facebook=https://www.facebook.com/reel/1184420716302551/',
  'search=/beatmap search lantern',
  'recommend=/beatmap recommend lamp post',
  'beatmap=https://osu.ppy.sh/beatmapsets/900001',
  'player=https://osu.ppy.sh/users/4400001',
].join(',');

const BEATMAP_LINES = [
  ['/beatmap search lantern', 'beatmaps by words'],
  ['/beatmap search stars>4 mode:taiko', 'beatmaps by filters'],
  ['/beatmap info paper comet +HDDT', 'one beatmap, with mods'],
  ['https://osu.ppy.sh/beatmapsets/900001#osu/9000014', 'one of its difficulties'],
  ['/beatmap download 900006', 'a download that was taken down'],
  ['/beatmap recommend lamp post', 'what a player could play next'],
  ['/osu profile lamp post', 'a player'],
  ['https://osu.ppy.sh/scores/5000000001', 'one of their plays'],
  ['/osu scores Drum_Kitten recent', 'the plays of another'],
  ['/osu maps lamp post most_played', 'what they play most'],
  ['/beatmap recommend stars:4-5', 'what to play next'],
] as const;

function startMedley(sandbox: Sandbox, folder: string): ChildProcess {
  // Empty, not absent: what is absent would be read from .env.
  const none = Object.fromEntries(PRIVATE_SETTINGS.map(name => [name, '']));
  const settings = {
    UPSTREAM_OVERRIDES: sandbox.overrides,
    DATA_DIR: folder,
    WEB_EXAMPLES: EXAMPLES,
    OSU_CLIENT_ID: String(SANDBOX_OSU.clientId),
    OSU_CLIENT_SECRET: SANDBOX_OSU.clientSecret,
  };
  return spawn(process.execPath, [MAIN], {
    // Without a PATH there is no yt-dlp, which would ask the real sites.
    env: { ...process.env, ...none, ...settings, PATH: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function printLinks(sandbox: Sandbox): void {
  const links = demoLinks(sandbox.world);
  const width = Math.max(...links.map(link => link.about.length));
  const list = (shows: DemoLink['shows']) =>
    links.filter(link => link.shows === shows).map(({ url, about }) => `  ${about.padEnd(width)}  ${url}`);
  const lines = [
    '',
    'Open that page and paste one of these. The people and the posts are made up.',
    '',
    ...list('media'),
    '',
    'Or ask about osu!:',
    '',
    ...BEATMAP_LINES.map(([line, about]) => `  ${about.padEnd(width)}  ${line}`),
    '',
    'These cannot be shown, and say why:',
    '',
    ...list('notice'),
    '',
    'Ctrl+C stops it.',
  ];
  console.log(lines.join('\n'));
}

/** Resolves to the exit code, 1 for a child that a signal ended. */
function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve(code ?? 1));
  });
}

async function demo(): Promise<number> {
  const sandbox = await createSandbox({ beatmapsets: 200 });
  const folder = await mkdtemp(join(tmpdir(), 'medley-demo-'));
  try {
    const child = startMedley(sandbox, folder);
    process.on('SIGTERM', signal => child.kill(signal));
    // A terminal signals both processes; signalled twice, Medley would not finish what it does.
    process.on('SIGINT', signal => process.stdin.isTTY || child.kill(signal));
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', line => {
        console.log(line);
        if (READY.test(line)) printLinks(sandbox);
      });
    }
    return await exitOf(child);
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await demo();
