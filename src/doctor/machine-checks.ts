/** Checks of the machine that Medley runs on. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type CalculatorLibrary, createCalculator } from '../beatmaps/difficulty/calculator.ts';
import { openStore } from '../infra/store/store.ts';
import { readCookies } from '../media/extract/cookies-file.ts';
import { cookiesVariable, type SourceDescriptor } from '../media/extract/source-descriptor.ts';
import { inspectFfmpeg } from '../media/transcode/ffmpeg.ts';
import type { Finding } from '../platforms/platform.ts';

function checkNode(): Finding {
  const what = `Node ${process.versions.node}`;
  const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)));
  return isOld ? { state: 'wrong', what, remedy: 'Install Node 20.18.1 or newer.' } : { state: 'ok', what };
}

function checkData(dataDir: string): Finding {
  const what = `data in ${dataDir}`;
  try {
    const store = openStore(join(dataDir, 'medley.db'));
    try {
      // A transaction takes the write lock and releases it, which proves that the database can be written.
      store.transaction(() => undefined);
    } finally {
      store.close();
    }
    return { state: 'ok', what };
  } catch (error) {
    return { state: 'wrong', what, remedy: error instanceof Error ? error.message : 'Choose another DATA_DIR.' };
  }
}

type Account = Pick<SourceDescriptor, 'id' | 'name' | 'hosts' | 'sessionCookie'>;

async function checkCookies(source: Account, path: string | undefined): Promise<Finding> {
  const { name, hosts, sessionCookie = '' } = source;
  const what = `${name} cookies`;
  const variable = cookiesVariable(source);
  if (path === undefined) {
    const remedy = `Stories and posts behind the login need ${variable}; docs/operate/configuration.md says what that risks.`;
    return { state: 'note', what: `${what}: none`, remedy };
  }
  try {
    const accounts = (await readCookies({ [source.id]: path })).get(source.id) ?? [];
    const wrong = accounts.filter(({ cookies }) => !cookies.some(({ key }) => key === sessionCookie));
    if (accounts.length === 0) return { state: 'wrong', what, remedy: `${path} holds no file. Correct ${variable}.` };
    if (wrong.length === 0)
      return { state: 'ok', what: accounts.length === 1 ? what : `${what}: ${accounts.length} accounts` };
    const files = accounts.length === 1 ? path : wrong.map(({ name }) => name).join(', ');
    return {
      state: 'wrong',
      what,
      remedy: `${files}: no ${sessionCookie} of ${hosts[0]} in it. Export it again, logged in.`,
    };
  } catch {
    return { state: 'wrong', what, remedy: `${path} cannot be read. Correct ${variable}.` };
  }
}

async function checkProgram(name: string, searchPath: string, use: string): Promise<Finding> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return { state: 'ok', what: `${name} at ${path}` };
  }
  return { state: 'note', what: `${name}: not installed`, remedy: use };
}

async function checkFfmpeg(searchPath: string): Promise<Finding> {
  const finding = await inspectFfmpeg(searchPath);
  switch (finding.state) {
    case 'ready': {
      const { program, version, hasMp3 } = finding.ffmpeg;
      const skills = hasMp3 ? 'H.264, AAC, MP3' : 'H.264, AAC; no MP3';
      return {
        state: 'ok',
        what: `ffmpeg ${version} at ${program} (${skills}): videos that are too large are compressed`,
      };
    }
    case 'unusable':
      return {
        state: 'note',
        what: `ffmpeg at ${finding.program} is of no use: ${finding.why}`,
        remedy: 'Install a build with libx264 and aac. Until then videos too large for a chat are sent as a link.',
      };
    case 'missing': {
      const remedy = 'Install it: without it videos too large for a chat are sent as a link.';
      return { state: 'note', what: 'ffmpeg: not installed', remedy };
    }
  }
}

/** Checks osu!'s own calculator. @param library default: the installed one */
export async function checkCalculator(library?: CalculatorLibrary): Promise<Finding> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const calculator = createCalculator({ log: quiet, ...(library && { library }) });
  const finding = await calculator.inspect().finally(() => calculator.close());
  const { state } = finding;
  const error =
    'With rosu-pp-js alone pp is an estimate: within 1 % in catch and mania, about 10 % off in osu!, 20 % in taiko.';
  if (state === 'missing') {
    return { state: 'note', what: 'osu!’s own calculator: not installed', remedy: `${error} See docs/operate/osu.md.` };
  }
  const what = `osu!’s own calculator ${finding.version}`;
  if (state === 'ready') return { state: 'ok', what: `${what}: stars with mods and pp are by today’s rules` };
  return {
    state: 'note',
    what: `${what} is of no use: ${finding.why.split('\n')[0]}`,
    remedy: `It needs glibc 2.38. ${error}`,
  };
}

async function checkRedis(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) return [];
  const { inspectRedis, redisShortcomings } = await import('../infra/redis/redis-inspection.ts');
  try {
    const inspection = await inspectRedis(url);
    const shortcomings = redisShortcomings(inspection);
    const what = `Redis ${inspection.version} answers`;
    if (shortcomings.length === 0) return [{ state: 'ok', what: `${what}, appends to a file and deletes nothing` }];
    return [{ state: 'wrong', what: `${what}, but is not safe to keep records in`, remedy: shortcomings.join(' ') }];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Start it or correct REDIS_URL. Until then nothing new is taken and no setting can be changed.';
    return [{ state: 'wrong', what: `Redis does not answer: ${reason}`, remedy }];
  }
}

async function checkYtDlp({ searchPath, ytDlpHosts }: Machine): Promise<Finding> {
  const resort = 'It is the last resort when the sites change; without it that resort is missing.';
  const finding = await checkProgram('yt-dlp', searchPath, resort);
  if (finding.state === 'ok' || ytDlpHosts.length === 0) return finding;
  const remedy = `YT_DLP_HOSTS names ${ytDlpHosts.join(', ')}: install it, or leave YT_DLP_HOSTS empty.`;
  return { ...finding, state: 'wrong', remedy };
}

export interface Machine {
  /** Hosts whose links only yt-dlp can read. */
  readonly ytDlpHosts: readonly string[];
  readonly sites: readonly SourceDescriptor[];
  readonly dataDir: string;
  readonly cookiesFiles: Readonly<Record<string, string | undefined>>;
  readonly redisUrl: string | undefined;
  /** The folders in which programs such as ffmpeg are searched for. */
  readonly searchPath: string;
}

export async function checkMachine(machine: Machine): Promise<readonly Finding[]> {
  const accounts = machine.sites.filter(({ sessionCookie }) => sessionCookie !== undefined);
  return [
    checkNode(),
    checkData(machine.dataDir),
    ...(await Promise.all(accounts.map(source => checkCookies(source, machine.cookiesFiles[source.id])))),
    await checkFfmpeg(machine.searchPath),
    await checkYtDlp(machine),
    await checkCalculator(),
    ...(await checkRedis(machine.redisUrl)),
  ];
}
