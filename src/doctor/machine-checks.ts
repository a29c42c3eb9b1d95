/** Checks of the machine that Medley runs on. */
import { join } from 'node:path';
import { type CalculatorLibrary, createCalculator } from '../beatmaps/difficulty/calculator.ts';
import { findPrograms } from '../infra/child-process.ts';
import { openStore } from '../infra/store/store.ts';
import { readCookies } from '../media/extract/cookies-file.ts';
import { cookiesVariable, type SourceDescriptor } from '../media/extract/source-descriptor.ts';
import { inspectFfmpeg } from '../media/transcode/ffmpeg.ts';
import { type Finding, note, ok, wrong } from '../platforms/platform.ts';

/** Checks that Node is new enough. The build refuses an older Node, but a finished build may be started with one. */
function checkNode(): Finding {
  const what = `Node ${process.versions.node}`;
  const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)));
  return isOld ? wrong(what, 'Install Node 20.18.1 or newer.') : ok(what);
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
    return ok(what);
  } catch (error) {
    return wrong(what, error instanceof Error ? error.message : 'Choose another DATA_DIR.');
  }
}

type Account = Pick<SourceDescriptor, 'id' | 'name' | 'hosts' | 'sessionCookie'>;

async function checkCookies(source: Account, path: string | undefined): Promise<Finding> {
  const { name, hosts, sessionCookie = '' } = source;
  const what = `${name} cookies`;
  const variable = cookiesVariable(source);
  if (path === undefined) {
    const remedy = `Stories and posts behind the login need ${variable}; docs/operate/configuration.md says what that risks.`;
    return note(`${what}: none`, remedy);
  }
  try {
    const accounts = (await readCookies({ [source.id]: path })).get(source.id) ?? [];
    const lacking = accounts.filter(({ cookies }) => !cookies.some(({ key }) => key === sessionCookie));
    if (accounts.length === 0) return wrong(what, `${path} holds no file. Correct ${variable}.`);
    if (lacking.length === 0) return ok(accounts.length === 1 ? what : `${what}: ${accounts.length} accounts`);
    const files = accounts.length === 1 ? path : lacking.map(({ name }) => name).join(', ');
    return wrong(what, `${files}: no ${sessionCookie} of ${hosts[0]} in it. Export it again, logged in.`);
  } catch {
    return wrong(what, `${path} cannot be read. Correct ${variable}.`);
  }
}

async function checkFfmpeg(searchPath: string): Promise<Finding> {
  const finding = await inspectFfmpeg(searchPath);
  if (finding.state === 'missing')
    return note('ffmpeg: not installed', 'Install it: without it videos too large for a chat are sent as a link.');
  if (finding.state === 'unusable') {
    const remedy = 'Install a build with libx264 and aac. Until then videos too large for a chat are sent as a link.';
    return note(`ffmpeg at ${finding.program} is of no use: ${finding.why}`, remedy);
  }
  const { program, version, hasMp3 } = finding.ffmpeg;
  const skills = hasMp3 ? 'H.264, AAC, MP3' : 'H.264, AAC; no MP3';
  return ok(`ffmpeg ${version} at ${program} (${skills}): videos that are too large are compressed`);
}

/** Checks that osu!'s own difficulty calculator works. @param library default: the installed one */
export async function checkCalculator(library?: CalculatorLibrary): Promise<Finding> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const calculator = createCalculator({ log: quiet, ...(library && { library }) });
  const finding = await calculator.inspect().finally(() => calculator.close());
  const { state } = finding;
  const error =
    'With rosu-pp-js alone pp is an estimate: within 1 % in catch and mania, about 10 % off in osu!, 20 % in taiko.';
  if (state === 'missing') {
    return note('osu!’s own calculator: not installed', `${error} See docs/operate/osu.md.`);
  }
  const what = `osu!’s own calculator ${finding.version}`;
  if (state === 'ready') return ok(`${what}: stars with mods and pp are by today’s rules`);
  return note(`${what} is of no use: ${finding.why.split('\n')[0]}`, `It needs glibc 2.38. ${error}`);
}

async function checkRedis(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) return [];
  const { inspectRedis, redisShortcomings } = await import('../infra/redis/redis-inspection.ts');
  try {
    const inspection = await inspectRedis(url);
    const shortcomings = redisShortcomings(inspection);
    const what = `Redis ${inspection.version} answers`;
    if (shortcomings.length === 0) return [ok(`${what}, appends to a file and deletes nothing`)];
    return [wrong(`${what}, but is not safe to keep records in`, shortcomings.join(' '))];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Start it or correct REDIS_URL. Until then nothing new is taken and no setting can be changed.';
    return [wrong(`Redis does not answer: ${reason}`, remedy)];
  }
}

async function checkYtDlp({ searchPath, ytDlpHosts }: Machine): Promise<Finding> {
  const [program] = await findPrograms('yt-dlp', searchPath);
  if (program !== undefined) return ok(`yt-dlp at ${program}`);
  const what = 'yt-dlp: not installed';
  if (ytDlpHosts.length === 0)
    return note(what, 'It is the last resort when the sites change; without it that resort is missing.');
  return wrong(what, `YT_DLP_HOSTS names ${ytDlpHosts.join(', ')}: install it, or leave YT_DLP_HOSTS empty.`);
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
