import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDispatcher, type Dispatcher } from '../../src/bot/answer/answer.ts';
import type { ButtonTokens } from '../../src/bot/contract/services.ts';
import type { SettingsStore } from '../../src/bot/contract/settings.ts';
import { AppError, StoreAway } from '../../src/errors.ts';
import { openStore, type Store } from '../../src/infra/store/store.ts';
import type { Delivery } from '../../src/media/delivery/delivery.ts';
import { createSentFiles, type SentFiles } from '../../src/media/delivery/sent-files.ts';
import { commandList } from '../bot/command-list.ts';
import { fakeExtractor, link, memoryLimiter, samplePost, sampleServices } from '../bot/sample.ts';
import { createFileDelivery } from '../fakes/file-delivery.ts';
import { createRecordingLog, type RecordingLog } from '../fakes/log.ts';
import { embeddedRecords } from '../records.ts';
import { settle } from '../settle.ts';

/** What all platforms share: the bot's own dispatcher and stores over a scripted upstream. */
export interface Core {
  /** Where requests are kept. */
  readonly store: Store;
  readonly dispatcher: Dispatcher;
  readonly settings: SettingsStore;
  readonly tagOf: ButtonTokens['tagOf'];
  readonly sentFiles: SentFiles;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly log: RecordingLog;
}

/** One thing that Medley has said. */
export interface Heard {
  /** As people read it. */
  readonly text: string;
  readonly files: number;
  /** Whether text of others could have become markup, a link or a mention in it. */
  readonly isTampered: boolean;
}

/** A platform in a runtime. */
export interface Hosted {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A platform on loopback, with people in private chats with Medley. */
export interface PlatformUnderTest {
  readonly platform: Hosted;
  /** Before the first word. */
  say(person: number, text: string): Promise<void>;
  /** Everything said to that person, oldest first. */
  heard(person: number): readonly Heard[];
  /** What a well-behaved bot would not have done. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** To try again, or where requests go on by themselves, to wait. */
const LIMITED =
  /^(Too many requests\. Please try again|That was a lot at once\. One link waits and follows by itself) in \d+ seconds\.$/;

/** Running work may take this long after `stop()`. */
export const DRAIN_MS = 300;

const GOOD = link('Good01');
const LOUD = link('Loud01');
const WAITS = link('Waits01');
const CRASHES = link('Crashes01');

/** Captions and names come from strangers. */
const LOUD_TEXT = '**loud** [free](https://evil.example) @everyone <@300> <b>bold</b> `code`';

interface Scene {
  readonly core: Core;
  readonly under: PlatformUnderTest;
  readonly asked: readonly string[];
  breakStore(what: Breakdown | undefined): void;
  /** How often it has failed. */
  refusals(): number;
  /** Waits for that many things to be said to the person, and a moment for more. */
  told(person: number, count: number): Promise<readonly Heard[]>;
}

/** What every platform promises. The real libraries run; only the networks are played. */
export function platformContract(name: string, open: (core: Core) => Promise<PlatformUnderTest>): void {
  async function scene({ units = 1_000 } = {}): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'medley-contract-'));
    const store = breakable(openStore(':memory:'));
    const extractor = fakeExtractor((id, { signal }) => {
      if (id === 'Crashes01') throw new TypeError('secret detail');
      if (id === 'Waits01') {
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      }
      const words = id === 'Loud01' ? { caption: LOUD_TEXT, title: LOUD_TEXT } : {};
      return samplePost({ id, url: link(id), ...words });
    });
    const services = sampleServices(extractor, store);
    const log = createRecordingLog();
    const dispatcher = createDispatcher({
      commands: commandList,
      services,
      limiter: memoryLimiter(Date.now),
      userLimit: { units, windowMs: 60_000 },
      log,
    });
    const delivery = createFileDelivery(folder, new Set(), () => [20_000]);
    const { settings, actions } = services;
    const core = {
      store,
      dispatcher,
      settings,
      tagOf: actions.tagOf,
      sentFiles: createSentFiles({ records: embeddedRecords(store), onFailure: () => undefined }),
      delivery,
      log,
    };
    const under = await open(core);
    onTestFinished(async () => {
      await under.platform.stop();
      await under.close();
      store.close();
      await rm(folder, { recursive: true, force: true });
      expect(under.problems).toEqual([]);
    });
    return {
      core,
      under,
      asked: extractor.asked,
      breakStore: store.breakDown,
      refusals: () => store.refusals,
      async told(person, count) {
        await expect.poll(() => under.heard(person).length, { interval: 10 }).toBeGreaterThanOrEqual(count);
        await settle();
        return under.heard(person);
      },
    };
  }

  describe(`${name}`, () => {
    it('answers a pasted link once, with its file', async () => {
      const { under, told } = await scene();
      await under.say(1, `look ${GOOD}`);
      const heard = await told(1, 1);
      expect(heard).toMatchObject([{ files: 1, text: expect.stringContaining('Tari Senja') }]);
    });

    it('explains itself', async () => {
      const { under, told } = await scene();
      await under.say(1, '/help');
      expect(await told(1, 1)).toMatchObject([{ files: 0, text: expect.stringContaining('/download') }]);
    });

    it('says calmly, once, that something failed, and goes on', async () => {
      const { under, core, told } = await scene();
      await under.say(1, CRASHES);
      const [word] = await told(1, 1);
      expect(word?.text).toContain('went wrong');
      expect(word?.text).not.toContain('secret');
      expect(under.heard(1)).toHaveLength(1);
      expect(core.log.at('error')).not.toEqual([]);
      await under.say(1, GOOD);
      expect((await told(1, 2)).at(-1)).toMatchObject({ files: 1 });
    });

    it('tells a person over the limit so for every message, with the time until they go on', async () => {
      const { under, told, asked } = await scene({ units: 2 });
      for (const id of ['One01', 'Two02', 'Three03', 'Four04']) await under.say(1, link(id));
      const heard = await told(1, 4);
      expect(heard.map(({ files }) => files).toSorted()).toEqual([0, 0, 0, 1]);
      for (const { text } of heard.filter(({ files }) => files === 0)) {
        expect(text).toMatch(LIMITED);
      }
      expect(asked).toHaveLength(1);
    });

    it('shows the words of strangers as they stand, and mentions no one', async () => {
      const { under, told } = await scene();
      await under.say(1, LOUD);
      const [answer] = await told(1, 1);
      expect(answer?.text).toContain(LOUD_TEXT);
      expect(answer?.isTampered).toBe(false);
    });

    it('does not let one link wait for another', async () => {
      const { under, told, asked } = await scene();
      await under.say(1, WAITS);
      await expect.poll(() => asked).toEqual([WAITS]);
      await under.say(2, GOOD);
      expect(await told(2, 1)).toMatchObject([{ files: 1 }]);
      expect(under.heard(1)).toEqual([]);
    });

    it('lives through a store that fails, says something all the same, and recovers', async () => {
      const { under, told, breakStore } = await scene();
      await under.say(1, '/help');
      await told(1, 1);
      breakStore('writing');
      await under.say(1, GOOD);
      expect(await told(1, 2)).toHaveLength(2);
      breakStore(undefined);
      await under.say(1, link('After01'));
      expect((await told(1, 3)).at(-1)).toMatchObject({ files: 1 });
    });

    it('keeps what is asked while nothing can be read, and answers it when that is over', async () => {
      const { under, told, breakStore, refusals } = await scene();
      breakStore('all');
      await under.say(1, GOOD);
      await expect.poll(refusals).toBeGreaterThan(0);
      await settle();
      expect(under.heard(1)).toEqual([]);
      breakStore(undefined);
      expect(await told(1, 1)).toMatchObject([{ files: 1 }]);
    });

    it('stops in time although work never ends, twice as well as once, and holds nothing open', async () => {
      const before = openThings();
      const { under, asked } = await scene();
      await under.say(1, WAITS);
      await expect.poll(() => asked).toEqual([WAITS]);
      const since = performance.now();
      await Promise.all([under.platform.stop(), under.platform.stop()]);
      await under.platform.stop();
      expect(performance.now() - since).toBeLessThan(10_000);
      await under.close();
      await expect.poll(openThings).toEqual(before);
    });
  });
}

/** Sockets and servers; timers and files come and go with the test's own doings. */
function openThings(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter(kind => /TCP|TLS|HTTP/.test(kind))
    .toSorted();
}

/** `writing`: the disk is full. `all`: it does not answer. */
type Breakdown = 'writing' | 'all';

function breakable(store: Store): Store & { breakDown(what: Breakdown | undefined): void; readonly refusals: number } {
  let broken: Breakdown | undefined;
  let refusals = 0;
  const check = (kind: 'reading' | 'writing') => {
    if (broken === undefined || (broken === 'writing' && kind === 'reading')) return;
    refusals += 1;
    throw broken === 'all' ? new StoreAway('the disk does not answer') : new AppError('internal', 'the disk is full');
  };
  return {
    ...store,
    all(sql, params, row) {
      check('reading');
      return store.all(sql, params, row);
    },
    get(sql, params, row) {
      check('reading');
      return store.get(sql, params, row);
    },
    run(sql, params) {
      check('writing');
      return store.run(sql, params);
    },
    breakDown(what) {
      broken = what;
    },
    get refusals() {
      return refusals;
    },
  };
}
