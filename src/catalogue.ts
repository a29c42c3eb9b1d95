import type { Catalogue } from './beatmaps/catalogue/catalogue.ts';
import {
  type Feed,
  type FillProgress,
  fillCatalogue,
  PACE_OF_COMMAND,
  searchFeed,
} from './beatmaps/catalogue/catalogue-fill.ts';
import { openCatalogue } from './beatmaps/catalogue/open-catalogue.ts';
import { withContact } from './beatmaps/upstreams/contact.ts';
import { createMirrors, MIRROR_THROTTLES } from './beatmaps/upstreams/mirror.ts';
import { createOsuApi } from './beatmaps/upstreams/osu-api.ts';
import { OSU_HOST, OSU_THROTTLE } from './beatmaps/upstreams/osu-call.ts';
import { type Config, ConfigError, loadConfig, readEnvironment } from './config.ts';
import { AppError, toAppError } from './errors.ts';
import { createOverrides } from './infra/http/host-list.ts';
import { createHttpClient, type HttpClient } from './infra/http/http-client.ts';
import { createLogger, type Logger } from './infra/log.ts';
import { createSiteOutgoing } from './media/extract/site-outgoing.ts';
import { sourceDescriptors } from './media/sources/index.ts';

const BAR_WIDTH = 30;
/** How often a line of progress is written if the output is no terminal. */
const LINE_EVERY_MS = 5_000;

type Progress = ReturnType<typeof createProgress>;

function createProgress(stream: NodeJS.WriteStream) {
  let shownAt = 0;
  let isOpen = false;
  return {
    show(progress: FillProgress) {
      const text = describe(progress);
      if (stream.isTTY) {
        stream.write(`\r${bar(progress)}${text}\u001b[K`);
        isOpen = true;
      } else if (Date.now() - shownAt >= LINE_EVERY_MS) {
        shownAt = Date.now();
        stream.write(`${text}\n`);
      }
    },
    /** Writes a line that stays; on a terminal the lines of `show` overwrite each other. */
    say(text: string) {
      if (isOpen) stream.write('\n');
      isOpen = false;
      stream.write(`${text}\n`);
    },
  };
}

function describe({ sets, total }: FillProgress): string {
  const count = (value: number) => value.toLocaleString('en');
  return total === null || total < sets ? `${count(sets)} sets` : `${count(sets)} of ${count(total)} sets`;
}

function bar({ sets, total }: FillProgress): string {
  if (total === null || total <= 0) return '';
  const done = Math.min(BAR_WIDTH, Math.round((sets / total) * BAR_WIDTH));
  return `[${'#'.repeat(done)}${'-'.repeat(BAR_WIDTH - done)}] `;
}

/** The lists of beatmapsets to read: the official API's if there are credentials, else the mirrors' lists in turn. */
function createFeeds({ osu, publicUrl }: Config, client: HttpClient, log: Logger): readonly Feed[] {
  const http = withContact(client, publicUrl);
  if (osu === undefined) return createMirrors({ http }).map(searchFeed);
  const api = createOsuApi({ http, log, clientId: osu.clientId, clientSecret: osu.clientSecret });
  return [searchFeed({ id: 'osu', search: api.search })];
}

async function fill(
  feeds: readonly Feed[],
  catalogue: Catalogue,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown = new AppError('internal', 'there is nothing to fill the catalogue from');
  for (const feed of feeds) {
    let sets: number | undefined;
    try {
      await fillCatalogue({
        name: `feed ${feed.name}`,
        feeds: [feed],
        catalogue,
        pace: PACE_OF_COMMAND,
        signal,
        onPage(current) {
          sets = current.sets;
          progress.show(current);
        },
        onFailure: (error, waitMs) =>
          progress.say(`${feed.name}: ${error.message}. Once more in ${Math.ceil(waitMs / 1000)} s.`),
      });
      progress.say(`Read ${(sets ?? 0).toLocaleString('en')} sets from ${feed.name}. Putting the catalogue in order.`);
      await catalogue.tidy();
      progress.say(`The catalogue holds ${(await catalogue.size()).toLocaleString('en')} sets.`);
      return;
    } catch (error) {
      if (signal.aborted || sets !== undefined) throw error;
      failure = error;
      progress.say(`${feed.name} cannot be read: ${toAppError(error).message}.`);
    }
  }
  throw failure;
}

async function main(): Promise<number> {
  const progress = createProgress(process.stderr);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new AppError('internal', 'stopped'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const config = loadConfig(readEnvironment());
  const log = createLogger({ level: 'silent' });
  const http = createHttpClient({
    overrides: createOverrides(config.upstreamOverrides),
    outgoing: createSiteOutgoing(sourceDescriptors, config.upstreamProxies, config.upstreamLocalAddress),
    throttle: { hosts: { ...MIRROR_THROTTLES, [OSU_HOST]: OSU_THROTTLE } },
    log,
  });
  let isOpen = false;
  const catalogue = openCatalogue({
    dataDir: config.dataDir,
    isFilling: true,
    onFailure(error) {
      if (isOpen) progress.say(`${error.message}.`);
    },
  });
  try {
    await catalogue.size();
    isOpen = true;
    await fill(createFeeds(config, http, log), catalogue, progress, stop.signal);
    return 0;
  } catch (error) {
    if (!isOpen) throw error;
    progress.say(`${stop.signal.aborted ? 'Stopped' : toAppError(error).message}. Run it again to go on from here.`);
    return stop.signal.aborted ? 130 : 1;
  } finally {
    await catalogue.close();
    await http.close();
  }
}

main().then(
  code => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${error instanceof ConfigError ? message : `The catalogue cannot be filled: ${message}.`}\n`);
    process.exitCode = 1;
  },
);
