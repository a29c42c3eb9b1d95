import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Acceptance, NewRequest } from '../../../src/bot/contract/chat-platform.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { DELETIONS } from '../../../src/bot/runtime/deletions.ts';
import { createReplyEdits } from '../../../src/bot/runtime/runtime.ts';
import { AppError } from '../../../src/errors.ts';
import { workContext } from '../../../src/infra/concurrency/running-work.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import type { Queue, QueueEntry } from '../../../src/infra/queue/queue.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { createWorld, linksDraft, unreachable } from './scripted-platform.ts';
import { FAILED, openStage, type Stage, type StageOptions, t, UNSURE } from './stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let stages: Stage[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 1) });
});

afterEach(async () => {
  for (const stage of stages) await stage.close();
  stages = [];
  vi.useRealTimers();
});

async function open(options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  stages.push(stage);
  return stage;
}

/** Accepts, and lets it run. */
async function ask(stage: Stage, draft: NewRequest<{ chat: string }>): Promise<Acceptance | undefined> {
  const accepting = stage.platform.host()?.accept(draft);
  await stage.pass(20);
  return accepting;
}

const text = (id: string) => `answer of ${id}`;

describe('a request', () => {
  it('is answered once, and a replay of its event is recognised', async () => {
    const stage = await open();
    expect(await ask(stage, linksDraft('1', ['a']))).toBe('accepted');
    expect(stage.said()).toEqual([text('a')]);
    expect(await ask(stage, linksDraft('1', ['a']))).toBe('known');
    await stage.settle();
    expect(stage.said()).toEqual([text('a')]);
    expect(stage.outcomes).toEqual(['answered']);
    expect(stage.acceptances).toEqual(['accepted', 'known']);
  });

  it('shows that it is being worked on, until it is answered', async () => {
    const stage = await open();
    await ask(stage, linksDraft('1', ['a']));
    expect(stage.platform.log).toEqual(['working: resolving', 'not working']);
  });

  it('says what is being done once that takes ten seconds, edits it rarely, and takes it away', async () => {
    let finish = () => {};
    const slow = new Promise<void>(resolve => {
      finish = resolve;
    });
    const records = embeddedRecords();
    const work = (link: string) => (link === 'slow' ? slow : Promise.resolve());
    const stage = await open({ showsStatus: true, work, runtime: { records } });
    await ask(stage, linksDraft('1', ['quick']));
    expect(stage.platform.log).toEqual(['working: resolving', 'not working']);
    await ask(stage, linksDraft('2', ['slow']));
    const [, , ...log] = stage.platform.log;
    expect(log).toEqual(['working: resolving']);
    await stage.pass(60_000);
    // The same is not said again.
    expect(stage.platform.log.slice(3)).toEqual([`status: ${t.messages.progress.resolving}`]);
    finish();
    await stage.settle();
    expect(stage.said()).toEqual([text('quick'), text('slow')]);
    expect(stage.platform.log.slice(4).toSorted()).toEqual(['deleted: status in square', 'not working']);
    // Nothing is left to be deleted later.
    expect(await records.groupedCollection(DELETIONS).listGroup(stage.platform.id)).toEqual([]);
    await stage.pass(HOUR);
    expect(stage.platform.log.filter(line => line.startsWith('deleted'))).toHaveLength(1);
  });

  it('says how long a video is encoded still, at most every fifteen seconds', async () => {
    const prepare = async () => {
      const { onEncoding } = workContext();
      for (let left = 35; left > 0; left -= 1) {
        onEncoding?.(left * 1_000);
        await new Promise(resolve => setTimeout(resolve, 1_000));
      }
    };
    const stage = await open({ showsStatus: true, prepare });
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(45_000);
    const [, ...log] = stage.platform.log;
    expect(log.slice(0, 2)).toEqual([
      expect.stringMatching(/^status: .*0:2[56]/),
      expect.stringMatching(/^edited: .*0:1[01]/),
    ]);
    expect(log.filter(line => /status:|edited:/.test(line))).toHaveLength(2);
    expect(stage.said()).toEqual([text('a')]);
  });

  it('with many links is answered in order, five at a time, without keeping others waiting', async () => {
    const stage = await open({ runtime: { concurrency: 1 } });
    const links = Array.from({ length: 12 }, (_, index) => `l${index}`);
    const accepting = stage.platform.host()?.accept(linksDraft('1', links));
    await stage.platform.host()?.accept(linksDraft('2', ['quiet'], 'harbour'));
    await accepting;
    await stage.settle();
    expect(stage.said()).toEqual(links.map(text));
    const order = stage.world.shown.map(({ text: shown }) => shown);
    expect(order.indexOf(text('quiet'))).toBeLessThanOrEqual(5);
  });

  it('whose answers are shown together is sent as a whole', async () => {
    const stage = await open({ repliesAtOnce: 5 });
    await ask(stage, linksDraft('1', ['a', 'b', 'c', 'd', 'e', 'f', 'g']));
    await stage.settle();
    expect(stage.said()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(text));
    expect(stage.outcomes).toEqual(['answered']);
  });

  it('over the person’s limit says so once, waits, and goes on by itself', async () => {
    const limit = { left: 2, retryAfterMs: 40_000 };
    const stage = await open({ limit });
    await ask(stage, linksDraft('1', ['a', 'b', 'c', 'd', 'e']));
    const notice = t.messages.requests.waiting({ links: 3, wait: t.wait(40_000) });
    expect(stage.said()).toEqual([text('a'), text('b'), notice]);
    expect(await stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    limit.left = 2;
    await stage.pass(40_000);
    limit.left = 2;
    await stage.settle();
    expect(stage.said()).toEqual([text('a'), text('b'), notice, text('c'), text('d'), text('e')]);
    expect(stage.charged).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('over the person’s limit waits without a word where the platform shows progress', async () => {
    const limit = { left: 1, retryAfterMs: 30_000 };
    const stage = await open({ limit, showsProgress: true });
    await ask(stage, linksDraft('1', ['a', 'b']));
    limit.left = 1;
    await stage.settle();
    expect(stage.said()).toEqual([text('a'), text('b')]);
    expect(stage.platform.log.filter(line => !line.includes('working'))).toEqual([
      'progress: stage resolving',
      'progress: waiting 1 30000',
      'progress: stage resolving',
      'end: answered',
    ]);
  });

  it('is charged once, however often it is tried', async () => {
    const stage = await open({ world: createWorld(['away', 'away', 'flood']) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([text('a')]);
    expect(stage.charged).toEqual(['a']);
  });

  it('is acknowledged when it is stored, and answered after that', async () => {
    const stage = await open();
    let acknowledged: () => void = () => undefined;
    const order: string[] = [];
    const draft = {
      ...linksDraft('1', ['a']),
      acknowledge: async () => {
        order.push(`stored: ${(await stage.queue.stats()).waiting}`);
        await new Promise<void>(resolve => (acknowledged = resolve));
      },
    };
    const accepting = ask(stage, draft);
    await stage.pass(1_000);
    expect(stage.said()).toEqual([]);
    acknowledged();
    await stage.pass(20);
    expect(await accepting).toBe('accepted');
    expect(order).toEqual(['stored: 1']);
    expect(stage.said()).toEqual([text('a')]);
    expect(await ask(stage, { ...draft, acknowledge: () => Promise.reject(new Error('twice')) })).toBe('known');
  });

  it('that is heard twice at once is taken and acknowledged once', async () => {
    const added: string[] = [];
    const stage = await open({
      // As a shared queue, which cannot say at once that it has an entry.
      queueOver: queue => ({
        ...queue,
        async add(entry) {
          added.push(entry.id);
          await queue.add(entry);
          return { outcome: 'accepted', ahead: 0 };
        },
      }),
    });
    let acknowledged = 0;
    const draft = {
      ...linksDraft('1', ['a']),
      acknowledge: async () => {
        acknowledged += 1;
        if (acknowledged > 1) throw new Error('twice');
      },
    };
    const both = [stage.platform.host()?.accept(draft), stage.platform.host()?.accept(draft)];
    await stage.pass(20);
    expect(await Promise.all(both)).toEqual(['accepted', 'known']);
    expect(added).toHaveLength(1);
    await stage.settle();
    expect(stage.said()).toEqual([text('a')]);
  });

  it('that was acknowledged by a process that died is run a little later', async () => {
    const stage = await open();
    void stage.platform.host()?.accept({ ...linksDraft('1', ['a']), acknowledge: () => new Promise(() => undefined) });
    await stage.pass(2_000);
    expect(stage.said()).toEqual([]);
    await stage.pass(2_000);
    expect(stage.said()).toEqual([text('a')]);
    // The process is not waited for.
    stages = [];
  });

  it('that nobody wants any more ends without a word', async () => {
    let release: () => void = () => undefined;
    const stage = await open({ work: () => new Promise(resolve => (release = resolve)), limits: { perLane: 1 } });
    await ask(stage, linksDraft('1', ['a']));
    await ask(stage, linksDraft('2', ['b']));
    await stage.platform.host()?.cancel('2');
    await stage.platform.host()?.cancel('1');
    release();
    await stage.settle();
    expect(stage.said()).toEqual([]);
    expect(stage.outcomes).toEqual(['cancelled']);
  });

  it('that nobody wants any more is over though it does not end', async () => {
    const stage = await open({ work: () => new Promise(() => undefined) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.platform.host()?.cancel('1');
    await stage.pass(2_000);
    expect(stage.outcomes).toEqual(['cancelled']);
    expect(await stage.queue.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('of a person who wants to be forgotten is dropped', async () => {
    const stage = await open({ world: createWorld(['away']) });
    await ask(stage, linksDraft('1', ['secret']));
    await stage.queue.forget('scripted:sari');
    await stage.settle();
    expect(stage.said()).toEqual([]);
  });
});

describe('when nothing can have arrived', () => {
  it('the request waits for the platform, with growing pauses, and holds no worker', async () => {
    const stage = await open({
      world: createWorld(Array.from({ length: 8 }, () => 'away' as const)),
      runtime: { concurrency: 1 },
    });
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(10_000);
    expect(await stage.queue.stats()).toMatchObject({ running: 0, waiting: 1 });
    expect(stage.world.calls).toBeLessThan(6);
    await stage.settle();
    expect(stage.said()).toEqual([text('a')]);
    expect(stage.outcomes).toEqual(['answered']);
  });

  it('a flood limit keeps its chat waiting and no other', async () => {
    const stage = await open({ world: createWorld(['flood']), retryAfterMs: 22_000, runtime: { concurrency: 1 } });
    await ask(stage, linksDraft('1', ['a'], 'loud'));
    await ask(stage, linksDraft('2', ['b'], 'loud'));
    await ask(stage, linksDraft('3', ['c'], 'quiet'));
    expect(stage.said('loud')).toEqual([]);
    expect(stage.said('quiet')).toEqual([text('c')]);
    await stage.pass(22_100);
    expect(stage.said('loud')).toEqual([text('a'), text('b')]);
    expect(stage.world.calls).toBe(4);
  });

  it('the platform’s own pace is heeded before anything is begun', async () => {
    const pace = { spacingMs: 5_000, groupPerMinute: 20, overallPerSecond: 30 };
    const asked: string[] = [];
    const stage = await open({ pace, work: async link => void asked.push(link) });
    for (const link of ['a', 'b', 'c']) await ask(stage, linksDraft(link, [link]));
    await stage.pass(4_000);
    expect(asked).toEqual(['a']);
    await stage.pass(1_100);
    expect(asked).toEqual(['a', 'b']);
    await stage.pass(5_100);
    expect(stage.said()).toEqual(['a', 'b', 'c'].map(text));
  });

  it('a clock that is set back by two hours keeps nobody waiting', async () => {
    for (const fate of ['away', 'flood'] as const) {
      const stage = await open({ world: createWorld([fate]), retryAfterMs: 2_000 });
      await ask(stage, linksDraft('1', ['a']));
      vi.setSystemTime(Date.now() - 2 * HOUR);
      await ask(stage, linksDraft('2', ['b']));
      await stage.pass(5_000);
      expect(stage.said()).toContain(text('b'));
    }
  });

  it('a day is enough', async () => {
    const stage = await open({ world: createWorld(Array.from({ length: 5_000 }, () => 'away' as const)) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(DAY - HOUR);
    expect(await stage.queue.stats()).toMatchObject({ waiting: 1 });
    await stage.pass(2 * HOUR);
    expect(await stage.queue.stats()).toMatchObject({ waiting: 0 });
    expect(stage.outcomes).toEqual(['expired']);
  });

  it('an interaction is tried as long as its token lives', async () => {
    const stage = await open({ world: createWorld(Array.from({ length: 500 }, () => 'away' as const)) });
    await ask(stage, { ...linksDraft('1', ['a']), until: Date.now() + 15 * MINUTE });
    await stage.pass(14 * MINUTE);
    expect(await stage.queue.stats()).toMatchObject({ waiting: 1 });
    await stage.pass(3 * MINUTE);
    expect(stage.outcomes).toEqual(['expired']);
  });

  it('what the platform refuses is regretted once', async () => {
    const stage = await open({ world: createWorld(['refused']) });
    await ask(stage, linksDraft('1', ['a', 'b']));
    await stage.settle();
    expect(stage.said()).toEqual([FAILED, text('b')]);
    expect(stage.outcomes).toEqual(['failed']);
  });

  it('a regret that is refused too is the end of it', async () => {
    const stage = await open({ world: createWorld(['refused', 'refused']) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.world.calls).toBe(2);
    expect(stage.outcomes).toEqual(['failed']);
  });

  it('a regret waits for the platform like an answer', async () => {
    const stage = await open({ world: createWorld(['refused', 'away', 'away']) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([FAILED]);
  });

  it('where nobody can be told, nothing is said', async () => {
    const stage = await open({ world: createWorld(['gone']) });
    await ask(stage, linksDraft('1', ['a', 'b']));
    await stage.settle();
    expect(stage.world.calls).toBe(1);
    expect(stage.outcomes).toEqual(['gone']);
  });

  it('a defect is regretted, and logged', async () => {
    const stage = await open({
      work: async link => {
        if (link === 'a') throw new TypeError('a defect');
      },
    });
    await ask(stage, linksDraft('1', ['a', 'b']));
    await stage.settle();
    expect(stage.said()).toEqual([FAILED, text('b')]);
    expect(stage.log.at('error')).not.toEqual([]);
  });
});

describe('when it may have arrived', () => {
  it('it is sent again where the platform recognises repeats', async () => {
    for (const fate of ['lost', 'vanished'] as const) {
      const stage = await open({ world: createWorld([fate]), repeatMs: 2 * MINUTE });
      await ask(stage, linksDraft('1', ['a']));
      await stage.settle();
      expect(stage.said()).toEqual([text('a')]);
      expect(stage.outcomes).toEqual(['answered']);
    }
  });

  it('as long as it does; then the person is told', async () => {
    const fates = Array.from({ length: 60 }, () => 'vanished' as const);
    const stage = await open({ world: createWorld(fates), repeatMs: 2 * MINUTE });
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(90_000);
    stage.world.fates.length = 0;
    stage.world.fates.push('away', 'away', 'away', 'away', 'away', 'away', 'away', 'away', 'away', 'away');
    await stage.settle();
    expect(stage.said()).toEqual([UNSURE]);
    expect(stage.outcomes).toEqual(['unsure']);
  });

  it('else the person is told once, and the rest goes on', async () => {
    const stage = await open({ world: createWorld(['lost', 'away', 'away']) });
    await ask(stage, linksDraft('1', ['a', 'b']));
    await stage.settle();
    expect(stage.said()).toEqual([text('a'), UNSURE, text('b')]);
    expect(stage.outcomes).toEqual(['unsure']);
  });

  it('when the platform can be reached again', async () => {
    let isThere = false;
    const verify = async () => {
      if (!isThere) throw unreachable();
    };
    const stage = await open({ world: createWorld(['vanished']), verify });
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(10 * MINUTE);
    expect(stage.world.calls).toBe(1);
    isThere = true;
    await stage.settle();
    expect(stage.said()).toEqual([UNSURE]);
    expect(stage.world.calls).toBe(2);
  });

  it('and rather twice than never', async () => {
    const stage = await open({ world: createWorld(['vanished', 'vanished', 'vanished']) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([UNSURE]);
    expect(stage.outcomes).toEqual(['unsure']);
  });

  it('six workers that are lost over it do not make a failure of an answer that arrived', async () => {
    const world = createWorld();
    const store = openStore(':memory:');
    const dying: Partial<StageOptions> = {
      step: name => (name === 'called' ? new Promise(() => undefined) : Promise.resolve()),
    };
    for (let lost = 0; lost < 6; lost += 1) {
      const stage = await openStage({ ...dying, world, store, repeatMs: DAY });
      if (lost === 0) await ask(stage, linksDraft('1', ['a']));
      for (const before = world.calls; world.calls === before; ) await stage.pass(1_000);
    }
    const last = await open({ world, store, repeatMs: DAY });
    await last.settle();
    expect(last.said()).toEqual([text('a'), UNSURE]);
  });

  it('but not for ever', async () => {
    const stage = await open({ world: createWorld(Array.from({ length: 50 }, () => 'vanished' as const)) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([]);
    expect(stage.world.calls).toBe(6);
  });

  it('a defect in the middle of a call is such a case', async () => {
    const stage = await open({ world: createWorld(['defect']) });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([UNSURE]);
  });

  it('a part of an answer that stands is not sent again', async () => {
    const stage = await open({ world: createWorld(['sent', 'away', 'sent', 'flood']), messages: 3 });
    await ask(stage, linksDraft('1', ['a']));
    await stage.settle();
    expect(stage.said()).toEqual([1, 2, 3].map(part => `${text('a')} (${part}/3)`));
  });
});

describe('too much', () => {
  it('of one chat is refused with a sentence, once a minute', async () => {
    const stage = await open({ limits: { entriesPerFairBy: 2 }, work: () => new Promise(() => undefined) });
    await ask(stage, linksDraft('1', ['a']));
    await ask(stage, linksDraft('2', ['b']));
    expect(await ask(stage, linksDraft('3', ['c']))).toBe('refused');
    expect(await ask(stage, linksDraft('4', ['d']))).toBe('refused');
    expect(stage.said()).toEqual([t.messages.errors.rate_limited_busy({})]);
  });

  it('is said in the platform’s own way where it has one', async () => {
    const stage = await open({ limits: { entriesPerFairBy: 1 }, work: () => new Promise(() => undefined) });
    await ask(stage, linksDraft('1', ['a']));
    const refuse = vi.fn(async () => undefined);
    const acknowledge = vi.fn(async () => undefined);
    expect(await ask(stage, { ...linksDraft('2', ['b']), acknowledge, refuse })).toBe('refused');
    expect(refuse).toHaveBeenCalledOnce();
    expect(acknowledge).not.toHaveBeenCalled();
    expect(stage.said()).toEqual([]);
  });

  it('names the place in line to whoever has to wait for long, once a minute', async () => {
    const stage = await open({ limits: { perLane: 1 }, work: () => new Promise(() => undefined) });
    for (let n = 0; n < 14; n += 1) await ask(stage, linksDraft(`${n}`, ['a']));
    expect(stage.said()).toEqual([t.messages.requests.place({ ahead: 10 })]);
  });
});

describe('a store that is away', () => {
  const broken = () => Promise.reject(new AppError('internal', 'away'));
  /** A queue in which workers can write nothing down as long as `isAway`. */
  const unwritableWhile =
    (isAway: () => boolean) =>
    (queue: Queue): Queue => ({
      ...queue,
      work: (handler, options) =>
        queue.work(
          claim => handler({ ...claim, save: payload => (isAway() ? broken() : claim.save(payload)) }),
          options,
        ),
    });

  it('keeps requests waiting in memory; they are accepted when it is back', async () => {
    let isAway = true;
    const stage = await open({
      queueOver: queue => ({ ...queue, add: entry => (isAway ? broken() : queue.add(entry)) }),
    });
    const accepting = stage.platform.host()?.accept(linksDraft('1', ['a']));
    await stage.pass(MINUTE);
    expect(stage.acceptances).toEqual([]);
    isAway = false;
    await stage.pass(5_000);
    expect(await accepting).toBe('accepted');
    expect(stage.said()).toEqual([text('a')]);
  });

  it('keeps so many and no more, and none after a stop', async () => {
    const stage = await open({ queueOver: queue => ({ ...queue, add: broken }) });
    const { platform } = stage;
    const accepting = Array.from({ length: 1_200 }, (_, n) => platform.host()?.accept(linksDraft(`${n}`, ['a'])));
    await stage.pass(10_000);
    expect(stage.acceptances).toEqual(Array.from({ length: 200 }, () => 'closed'));
    const stopping = stage.runtime.stop();
    await stage.pass(20_000);
    await stopping;
    expect(new Set(await Promise.all(accepting))).toEqual(new Set(['closed']));
  });

  it('is said at once to whoever wants an answer within seconds', async () => {
    const stage = await open({ queueOver: queue => ({ ...queue, add: broken }) });
    const refuse = vi.fn(async () => undefined);
    const accepting = ask(stage, { ...linksDraft('1', ['a']), acknowledge: async () => undefined, refuse });
    await stage.pass(2_000);
    expect(await accepting).toBe('refused');
    expect(refuse).toHaveBeenCalledOnce();
  });

  it('costs nobody an answer where this process can keep the request itself', async () => {
    const log = { warn: () => undefined, error: () => undefined };
    const spare = createEmbeddedQueue({ store: openStore(':memory:'), log });
    const stage = await open({ queueOver: queue => ({ ...queue, add: broken }), runtime: { spare } });
    expect(await ask(stage, linksDraft('1', ['a']))).toBe('accepted');
    expect(stage.said()).toEqual([text('a')]);
    await spare.close();
  });

  it.each<readonly [string, (queue: Queue, entry: QueueEntry) => Promise<unknown>]>([
    ['has it not', async () => undefined],
    ['has it after all', (queue, entry) => queue.add(entry)],
  ])('runs an acknowledged request at once, and once, where the queue %s', async (_, store) => {
    const log = { warn: () => undefined, error: () => undefined };
    const spare = createEmbeddedQueue({ store: openStore(':memory:'), log });
    const promoted: string[] = [];
    const noting = (name: string, queue: Queue): Queue => ({
      ...queue,
      promote(id) {
        promoted.push(`${name} ${id}`);
        return queue.promote(id);
      },
    });
    const stage = await open({
      queueOver: queue => ({ ...noting('queue', queue), add: entry => store(queue, entry).then(broken) }),
      runtime: { spare: noting('spare', spare) },
      callMs: 500,
    });
    expect(await ask(stage, { ...linksDraft('1', ['a']), acknowledge: async () => undefined })).toBe('accepted');
    expect(promoted).toEqual(['queue scripted:1', 'spare scripted:1']);
    await stage.pass(600);
    expect(stage.said()).toEqual([text('a')]);
    await stage.settle();
    expect(stage.world.calls).toBe(1);
    await spare.close();
  });

  it('sends nothing that cannot be written down before', async () => {
    let isAway = false;
    const stage = await open({
      queueOver: unwritableWhile(() => isAway),
    });
    isAway = true;
    await ask(stage, linksDraft('1', ['a']));
    await stage.pass(MINUTE);
    expect(stage.world.calls).toBe(0);
    isAway = false;
    await stage.settle();
    expect(stage.said()).toEqual([text('a')]);
  });

  it('leaves whoever waits a notice at the last moment, if it is back by then', async () => {
    let isAway = true;
    const stage = await open({
      queueOver: unwritableWhile(() => isAway),
    });
    await ask(stage, { ...linksDraft('1', ['a']), until: Date.now() + MINUTE });
    await stage.pass(53_000);
    expect(stage.outcomes).toEqual([]);
    isAway = false;
    await stage.pass(5_000);
    expect(stage.said()).toEqual([t.messages.errors.internal]);
  });
});

describe('a stop', () => {
  it('lets what runs finish, and leaves the rest to the next start', async () => {
    const stage = await open({ callMs: 5_000, limits: { perLane: 1 } });
    await ask(stage, linksDraft('1', ['a']));
    await ask(stage, linksDraft('2', ['b']));
    const { platform } = stage;
    const host = platform.host();
    const stopping = stage.runtime.stop();
    await stage.pass(20_000);
    await stopping;
    await stage.runtime.stop();
    expect(stage.said()).toEqual([text('a')]);
    expect(platform.log.filter(line => /closed|let go/.test(line))).toEqual(['closed', 'let go']);
    expect(await host?.accept(linksDraft('3', ['c']))).toBe('closed');
    expect(await stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    await stage.queue.close();
    const next = await open({ store: stage.store, world: stage.world });
    await next.settle();
    expect(next.said()).toEqual([text('a'), text('b')]);
  });

  it('does not wait for what does not heed its end', async () => {
    const stage = await open({ work: () => new Promise(() => undefined) });
    await ask(stage, linksDraft('1', ['a']));
    const since = Date.now();
    const stopping = stage.runtime.stop();
    await stage.pass(12_000);
    await stopping;
    expect(Date.now() - since).toBeLessThanOrEqual(12_000);
    expect(await stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
  });

  it('cuts what takes longer than eight seconds short, and it is sent after the start', async () => {
    const stage = await open({ callMs: MINUTE });
    await ask(stage, linksDraft('1', ['a']));
    const since = Date.now();
    const stopping = stage.runtime.stop();
    await stage.pass(8_000);
    await stopping;
    expect(Date.now() - since).toBeLessThanOrEqual(8_000);
    expect(stage.said()).toEqual([]);
    await stage.queue.close();
    const next = await open({ store: stage.store, world: stage.world });
    await next.settle();
    expect(next.said()).toEqual([text('a')]);
  });
});

const better = reply({ blocks: [{ kind: 'text', text: ['all of it'] }] });

describe('a reply that is edited later', () => {
  it('shows what came late once, and what cannot be shown stays as it is', async () => {
    const log = createRecordingLog();
    const edits = createReplyEdits({ log });
    const shown: string[] = [];
    edits.add(Promise.resolve(better), async () => void shown.push('a'));
    edits.add(Promise.resolve(undefined), async () => void shown.push('b'));
    edits.add(Promise.resolve(better), () => Promise.reject(new Error('it was deleted')));
    await expect.poll(() => [shown, log.lines.length]).toEqual([['a'], 1]);
  });

  it('shows nothing any more when Medley stops', async () => {
    const edits = createReplyEdits({ log: createRecordingLog() });
    const shown: string[] = [];
    const late = Promise.resolve(better);
    edits.add(late, async () => void shown.push('a'));
    edits.close();
    await late;
    await Promise.resolve();
    expect(shown).toEqual([]);
  });
});
