import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Claim, Handler, Queue, QueueEntry, QueueLimits, Verdict } from '../../src/infra/queue/queue.ts';

export interface QueueUnderTest {
  /** Whether several processes may work at the same time; otherwise one is opened after the other. */
  readonly isShared: boolean;
  /** What `frozen-worker.ts` is started with. */
  readonly worker: readonly string[];
  /** A process of its own over what is stored. */
  open(limits: Partial<QueueLimits>): Promise<Queue>;
  /** Everything that is stored, in any form. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Longer than a process may stand still, and short enough to be waited for. */
const LEASE_MS = 3_000;
const DONE: Verdict = { done: true };
const AGAIN: Verdict = { done: false, afterMs: 0 };

/** What every Queue promises. */
export function queueContract(name: string, create: () => Promise<QueueUnderTest>): void {
  let under: QueueUnderTest;
  const queues: Queue[] = [];

  beforeEach(async () => {
    under = await create();
  });

  afterEach(async () => {
    for (const queue of queues.splice(0)) {
      await queue.drain();
      await queue.close();
    }
    await under.close();
  });

  async function open(limits: Partial<QueueLimits> = {}): Promise<Queue> {
    const queue = await under.open(limits);
    queues.push(queue);
    return queue;
  }

  function entry(id: string, change: Partial<QueueEntry> = {}): QueueEntry {
    return { id, ...alone('square'), owner: 'sari', payload: `payload of ${id}`, ...change };
  }

  /** A chat that shares its turns with no other. */
  function alone(chat: string): Pick<QueueEntry, 'lane' | 'fairBy'> {
    return { lane: chat, fairBy: chat };
  }

  async function addAll(queue: Queue, ids: readonly string[], change: Partial<QueueEntry> = {}): Promise<void> {
    for (const id of ids) expect(await queue.add(entry(id, change))).toMatchObject({ outcome: 'accepted' });
  }

  /** Handles everything at once, and remembers in which order. */
  function recording(verdict: (claim: Claim) => Verdict | Promise<Verdict> = () => DONE) {
    const seen: string[] = [];
    const handler: Handler = async claim => {
      seen.push(claim.id);
      return verdict(claim);
    };
    return { seen, handler };
  }

  const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 10 });
  const idle = (queue: Queue) =>
    until(async () => expect(await queue.stats()).toEqual({ waiting: 0, running: 0, oldestAt: undefined }));

  describe(`${name} keeps entries`, () => {
    it('and hands each of them to one worker, once', async () => {
      const queue = await open();
      const before = Date.now();
      expect(await queue.add(entry('chat:1'))).toEqual({ outcome: 'accepted', ahead: 0 });
      expect(await queue.add(entry('chat:2'))).toEqual({ outcome: 'accepted', ahead: 1 });
      expect(await queue.stats()).toMatchObject({ waiting: 2, running: 0 });
      expect((await queue.stats()).oldestAt).toBeGreaterThanOrEqual(before);
      const claims: Partial<Claim>[] = [];
      queue.work(
        async ({ id, lane, payload, lostWorkers, addedAt }) => {
          claims.push({ id, lane, payload, lostWorkers });
          expect(addedAt).toBeGreaterThanOrEqual(before);
          return DONE;
        },
        { concurrency: 1 },
      );
      await idle(queue);
      expect(claims).toEqual([
        { id: 'chat:1', lane: 'square', payload: 'payload of chat:1', lostWorkers: 0 },
        { id: 'chat:2', lane: 'square', payload: 'payload of chat:2', lostWorkers: 0 },
      ]);
    });

    it('of one id once: while it waits, while it runs, and for a day after it is done', async () => {
      const queue = await open();
      let finish: (verdict: Verdict) => void = () => undefined;
      const { seen, handler } = recording(() => new Promise(resolve => (finish = resolve)));
      const [first, second] = await Promise.all([queue.add(entry('a')), queue.add(entry('a'))]);
      expect([first.outcome, second.outcome]).toContain('accepted');
      expect(await queue.add(entry('a'))).toEqual({ outcome: 'known' });
      queue.work(handler, { concurrency: 4 });
      await until(() => expect(seen).toEqual(['a']));
      expect(await queue.add(entry('a'))).toEqual({ outcome: 'known' });
      finish(DONE);
      await idle(queue);
      expect(await queue.add(entry('a'))).toEqual({ outcome: 'known' });
      await queue.close();
      const other = await open();
      expect(await other.add(entry('a'))).toEqual({ outcome: 'known' });
      expect(seen).toEqual(['a']);
    });

    it('of which nothing stays but the id when they are done', async () => {
      const queue = await open();
      await addAll(queue, ['done1', 'gone1', 'old1'], { ...alone('harbour'), owner: 'budi', payload: 'a secret link' });
      expect(await under.dump()).toContain('a secret link');
      await queue.cancel('gone1');
      queue.work(
        async claim => {
          await claim.save('another secret link');
          return DONE;
        },
        { concurrency: 1 },
      );
      await idle(queue);
      await until(async () => expect(await under.dump()).not.toMatch(/secret|harbour|budi/));
      expect(await under.dump()).toContain('done1');
    });

    it('over a restart', async () => {
      const before = await open();
      await addAll(before, ['a', 'b']);
      await before.drain();
      await before.close();
      const after = await open();
      expect(await after.stats()).toMatchObject({ waiting: 2 });
      const { seen, handler } = recording();
      after.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toEqual(['a', 'b']));
    });

    it('up to its bounds, and says what is full', async () => {
      const queue = await open({ entries: 3, entriesPerFairBy: 2 });
      await addAll(queue, ['a', 'b']);
      expect(await queue.add(entry('c'))).toEqual({ outcome: 'full', scope: 'fairBy', waiting: 2 });
      expect(await queue.add(entry('a'))).toEqual({ outcome: 'known' });
      await addAll(queue, ['d'], { ...alone('harbour') });
      expect(await queue.add(entry('e', { ...alone('market') }))).toEqual({
        outcome: 'full',
        scope: 'queue',
        waiting: 3,
      });
      queue.work(recording().handler, { concurrency: 1 });
      await idle(queue);
      await addAll(queue, ['c', 'e']);
    });

    it('until they are cancelled, or their owner is forgotten, unless they run', async () => {
      const queue = await open();
      await addAll(queue, ['run']);
      await addAll(queue, ['later'], { delayMs: 60_000 });
      await addAll(queue, ['budi'], { owner: 'budi', delayMs: 100 });
      let finish: (verdict: Verdict) => void = () => undefined;
      const { seen, handler } = recording(({ id }) =>
        id === 'run' ? new Promise(resolve => (finish = resolve)) : DONE,
      );
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toEqual(['run']));
      await addAll(queue, ['next', 'gone', 'revoked']);
      expect(await queue.revoke('revoked')).toBe(true);
      expect(await queue.revoke('revoked')).toBe(false);
      expect(await queue.cancel('gone')).toBe(true);
      expect(await queue.cancel('gone')).toBe(false);
      expect(await queue.cancel('run')).toBe(false);
      expect(await queue.cancel('nobody knows it')).toBe(false);
      expect(await queue.forget('sari')).toBe(2);
      finish(DONE);
      await idle(queue);
      expect(seen).toEqual(['run', 'budi']);
      expect(await queue.add(entry('later'))).toEqual({ outcome: 'known' });
    });
  });

  describe(`${name} can be emptied into another`, () => {
    it('of what no worker holds, as if it had never been there', async () => {
      const queue = await open();
      let finish: (verdict: Verdict) => void = () => undefined;
      await addAll(queue, ['runs']);
      const { seen, handler } = recording(({ id }) =>
        id === 'runs' ? new Promise(resolve => (finish = resolve)) : DONE,
      );
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toEqual(['runs']));
      await addAll(queue, ['next'], { lane: 'channel', fairBy: 'server', atOnce: 2 });
      await addAll(queue, ['later'], { delayMs: 60_000 });
      const entries = new Map((await queue.unclaimed()).map(each => [each.id, each]));
      expect(entries.get('next')).toEqual(entry('next', { lane: 'channel', fairBy: 'server', atOnce: 2 }));
      expect(entries.get('later')).toMatchObject({ lane: 'square', payload: 'payload of later' });
      expect(await queue.remove('runs')).toBe(false);
      expect(await queue.remove('next')).toBe(true);
      expect(await queue.remove('next')).toBe(false);
      expect(await queue.remove('later')).toBe(true);
      await addAll(queue, ['next', 'later']);
      expect(await queue.stats()).toMatchObject({ waiting: 2, running: 1 });
      finish(DONE);
    });
  });

  describe(`${name} says what waits`, () => {
    it('and since when something could have run, which is neither what runs nor what waits for its time', async () => {
      const queue = await open({ perLane: 1 });
      await addAll(queue, ['later'], { delayMs: 60_000 });
      expect(await queue.stats()).toMatchObject({ waiting: 1, oldestAt: undefined });
      let finish: () => void = () => undefined;
      const { seen, handler } = recording(() => new Promise(resolve => (finish = () => resolve(DONE))));
      queue.work(handler, { concurrency: 1 });
      await addAll(queue, ['runs']);
      await until(() => expect(seen).toEqual(['runs']));
      await until(async () => expect(await queue.stats()).toEqual({ waiting: 1, running: 1, oldestAt: undefined }));
      await addAll(queue, ['next'], { ...alone('another') });
      expect((await queue.stats()).oldestAt).toBeGreaterThan(Date.now() - 5_000);
      finish();
      await until(() => expect(seen).toEqual(['runs', 'next']));
      finish();
    });
  });

  describe(`${name} is fair`, () => {
    it('in that a chat does not wait for the backlog of another', async () => {
      const queue = await open({ perLane: 100 });
      const loud = Array.from({ length: 30 }, (_, index) => `loud${index}`);
      await addAll(queue, loud, { ...alone('loud') });
      await addAll(queue, ['quiet0', 'quiet1'], { ...alone('quiet') });
      const { seen, handler } = recording();
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toHaveLength(32));
      expect(seen.indexOf('quiet0')).toBeLessThan(4);
      expect(seen.indexOf('quiet1')).toBeLessThan(8);
      expect(seen.filter(id => id.startsWith('loud'))).toEqual(loud);
    });

    it('in that a chat runs so many at once and no more', async () => {
      const queue = await open({ perLane: 2 });
      await addAll(queue, ['a', 'b', 'c', 'd', 'e'], { ...alone('loud') });
      await addAll(queue, ['strict1', 'strict2', 'strict3'], { ...alone('strict'), atOnce: 1 });
      await addAll(queue, ['quiet'], { ...alone('quiet') });
      const running = new Map<string, number>();
      const most = new Map<string, number>();
      const { seen, handler } = recording(async ({ lane }) => {
        const now = (running.get(lane) ?? 0) + 1;
        running.set(lane, now);
        most.set(lane, Math.max(now, most.get(lane) ?? 0));
        await new Promise(resolve => setTimeout(resolve, 30));
        running.set(lane, (running.get(lane) ?? 1) - 1);
        return DONE;
      });
      queue.work(handler, { concurrency: 10 });
      if (under.isShared) (await open({ perLane: 2 })).work(handler, { concurrency: 10 });
      await until(() => expect(seen).toHaveLength(9));
      await idle(queue);
      expect(Object.fromEntries(most)).toEqual({ loud: 2, strict: 1, quiet: 1 });
      expect(seen.indexOf('quiet')).toBeLessThan(5);
      expect(seen.filter(id => id.startsWith('strict'))).toEqual(['strict1', 'strict2', 'strict3']);
    });
  });

  describe(`${name} tells a lane from those who take turns`, () => {
    const channels = Array.from({ length: 12 }, (_, index) => `channel${index}`);

    it('in that lanes do not wait for the places of each other, whoever they belong to', async () => {
      const queue = await open({ perLane: 1 });
      for (const lane of channels) await addAll(queue, [`${lane} 1`, `${lane} 2`], { lane, fairBy: 'server' });
      const finish: (() => void)[] = [];
      const { seen, handler } = recording(() => new Promise(resolve => finish.push(() => resolve(DONE))));
      queue.work(handler, { concurrency: 24 });
      await until(() => expect(seen.toSorted()).toEqual(channels.map(lane => `${lane} 1`).toSorted()));
      for (const each of finish.splice(0)) each();
      await until(() => expect(seen).toHaveLength(24));
      for (const each of finish) each();
      await idle(queue);
    });

    it('in that many lanes of one gain nothing over the only lane of another', async () => {
      const queue = await open();
      for (const lane of channels) await addAll(queue, [`loud ${lane}`], { lane, fairBy: 'server' });
      await addAll(queue, ['quiet0', 'quiet1'], alone('quiet'));
      const { seen, handler } = recording();
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toHaveLength(14));
      expect(seen.indexOf('quiet0')).toBeLessThan(4);
      expect(seen.indexOf('quiet1')).toBeLessThan(8);
    });

    it('in that a lane says how many come before, and those who take turns have a bound', async () => {
      const queue = await open({ entriesPerFairBy: 3 });
      const place = (lane: string) => ({ lane, fairBy: 'server' });
      expect(await queue.add(entry('a', place('one')))).toEqual({ outcome: 'accepted', ahead: 0 });
      expect(await queue.add(entry('b', place('two')))).toEqual({ outcome: 'accepted', ahead: 0 });
      expect(await queue.add(entry('c', place('two')))).toEqual({ outcome: 'accepted', ahead: 1 });
      const full = { outcome: 'full', scope: 'fairBy', waiting: 3 };
      expect(await queue.add(entry('d', place('three')))).toEqual(full);
      await addAll(queue, ['e'], alone('harbour'));
    });
  });

  describe(`${name} is fair`, () => {
    it('in that what makes room for others lets them go first', async () => {
      const queue = await open();
      let tries = 0;
      const { seen, handler } = recording(({ lane }) => (lane === 'loud' && ++tries < 3 ? AGAIN : DONE));
      await addAll(queue, ['loud'], { ...alone('loud') });
      await addAll(queue, ['quiet1', 'quiet2'], { ...alone('quiet') });
      queue.work(handler, { concurrency: 1 });
      await idle(queue);
      expect(seen.filter(id => id === 'loud')).toHaveLength(3);
      expect(seen.indexOf('quiet1')).toBe(1);
      expect(seen.at(-1)).toBe('loud');
    });
  });

  describe(`${name} lets entries wait`, () => {
    it('for a time, or until they are called', async () => {
      const queue = await open();
      const { seen, handler } = recording();
      queue.work(handler, { concurrency: 1 });
      await addAll(queue, ['called'], { delayMs: 60_000 });
      await addAll(queue, ['now']);
      await until(() => expect(seen).toEqual(['now']));
      await queue.promote('called');
      await queue.promote('now');
      await queue.promote('nobody knows it');
      await until(() => expect(seen).toEqual(['now', 'called']));
      const addedAt = performance.now();
      await addAll(queue, ['late'], { delayMs: 400 });
      await until(() => expect(seen).toEqual(['now', 'called', 'late']));
      expect(performance.now() - addedAt).toBeGreaterThan(390);
    });

    it('without a worker, and with what was learnt', async () => {
      const queue = await open();
      const seen: string[] = [];
      queue.work(
        async ({ payload }) => {
          seen.push(payload);
          return payload === 'payload of a' ? { done: false, afterMs: 60_000, payload: 'second attempt' } : DONE;
        },
        { concurrency: 1 },
      );
      await addAll(queue, ['a', 'b']);
      await until(() => expect(seen).toEqual(['payload of a', 'payload of b']));
      await until(async () => expect(await queue.stats()).toMatchObject({ waiting: 1, running: 0 }));
      await queue.promote('a');
      await until(() => expect(seen).toEqual(['payload of a', 'payload of b', 'second attempt']));
    });

    it('and gives their place in the chat to others meanwhile', async () => {
      const queue = await open();
      const { seen, handler } = recording(({ payload }) =>
        payload === 'payload of a' ? { done: false, afterMs: 60_000, payload: 'again' } : DONE,
      );
      await addAll(queue, ['a', 'b', 'c'], { atOnce: 1 });
      queue.work(handler, { concurrency: 5 });
      await until(() => expect(seen).toEqual(['a', 'b', 'c']));
      await queue.promote('a');
      await until(() => expect(seen).toEqual(['a', 'b', 'c', 'a']));
    });

    it('at once when asked so', async () => {
      const queue = await open();
      let tries = 0;
      const { seen, handler } = recording(() => (++tries < 3 ? AGAIN : DONE));
      await addAll(queue, ['a']);
      queue.work(handler, { concurrency: 1 });
      await idle(queue);
      expect(seen).toEqual(['a', 'a', 'a']);
    });
  });

  describe(`${name} survives`, () => {
    it('the death of a worker: another takes over what it had saved, and its last words do not count', async () => {
      const first = await open({ leaseMs: LEASE_MS });
      let held: Claim | undefined;
      let finish: (verdict: Verdict) => void = () => undefined;
      await addAll(first, ['a']);
      first.work(
        async claim => {
          expect(await claim.save('half done')).toBe(true);
          held = claim;
          return new Promise(resolve => (finish = resolve));
        },
        { concurrency: 1 },
      );
      await until(() => expect(held).toBeDefined());
      await first.close();
      expect(held?.signal.aborted).toBe(true);

      const second = await open({ leaseMs: LEASE_MS });
      let other: Claim | undefined;
      let finishOther: (verdict: Verdict) => void = () => undefined;
      second.work(
        claim => {
          other = claim;
          return new Promise(resolve => (finishOther = resolve));
        },
        { concurrency: 1 },
      );
      await until(() => expect(other).toMatchObject({ id: 'a', payload: 'half done', lostWorkers: 1 }));
      expect(await held?.save('too late')).toBe(false);
      finish({ done: false, afterMs: 0, payload: 'too late' });
      await first.drain();
      expect(await other?.save('by the second')).toBe(true);
      expect(await under.dump()).not.toContain('too late');
      finishOther(DONE);
      await idle(second);
    });

    it('a worker that was frozen past its lease: another takes over, and its late word is refused', async () => {
      const first = await open({ leaseMs: LEASE_MS });
      await addAll(first, ['a']);
      await first.close();
      const frozen = spawn(process.execPath, ['--import', 'tsx', FROZEN_WORKER, ...under.worker], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void frozen.kill('SIGKILL'));
      const said = linesOf(frozen);
      expect(await said()).toBe('claimed a');
      frozen.kill('SIGSTOP');
      const queue = await open({ leaseMs: LEASE_MS });
      const claims: Claim[] = [];
      let finish: (verdict: Verdict) => void = () => undefined;
      queue.work(
        claim => {
          claims.push(claim);
          return new Promise(resolve => (finish = resolve));
        },
        { concurrency: 1 },
      );
      await until(() => expect(claims).toMatchObject([{ id: 'a', lostWorkers: 1 }]));
      frozen.kill('SIGCONT');
      frozen.stdin.write('finish\n');
      expect(await said()).toBe('saved: false');
      expect(await queue.stats()).toMatchObject({ running: 1 });
      expect(await claims[0]?.save('by the second')).toBe(true);
      expect(await under.dump()).not.toContain('too late');
      finish(DONE);
      await idle(queue);
      expect(claims).toHaveLength(1);
    });

    it('a handler that goes on after its verdict: nothing that it writes counts', async () => {
      const queue = await open();
      const claims: Claim[] = [];
      queue.work(
        async claim => {
          claims.push(claim);
          return claims.length === 1 ? AGAIN : new Promise(resolve => setTimeout(resolve, 200, DONE));
        },
        { concurrency: 1 },
      );
      await addAll(queue, ['a']);
      await until(() => expect(claims).toHaveLength(2));
      expect(await claims[0]?.save('too late')).toBe(false);
      expect(claims[1]?.signal.aborted).toBe(false);
      expect(await under.dump()).not.toContain('too late');
      await idle(queue);
    });

    it('a long run: the lease is renewed as long as the handler runs', async () => {
      const first = await open({ leaseMs: LEASE_MS });
      const { seen, handler } = recording(() => new Promise(resolve => setTimeout(resolve, 2 * LEASE_MS, DONE)));
      await addAll(first, ['a']);
      first.work(handler, { concurrency: 2 });
      await until(() => expect(seen).toEqual(['a']));
      if (under.isShared) (await open({ leaseMs: LEASE_MS })).work(handler, { concurrency: 1 });
      await idle(first);
      expect(seen).toEqual(['a']);
    });

    it('a stop: what runs is finished, the rest stays for the next', async () => {
      const queue = await open();
      let finish: (verdict: Verdict) => void = () => undefined;
      const { seen, handler } = recording(({ id }) => (id === 'a' ? new Promise(resolve => (finish = resolve)) : DONE));
      await addAll(queue, ['a', 'b', 'c']);
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toEqual(['a']));
      const drained = Promise.all([queue.drain(), queue.drain()]);
      finish(DONE);
      await drained;
      expect(seen).toEqual(['a']);
      expect(await queue.add(entry('d'))).toMatchObject({ outcome: 'accepted' });
      await queue.close();
      await queue.close();
      const next = await open();
      expect(await next.stats()).toMatchObject({ waiting: 3, running: 0 });
      next.work(handler, { concurrency: 3 });
      await idle(next);
      expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    });

    it('a handler that fails', async () => {
      const queue = await open();
      const { seen, handler } = recording(({ id }) => {
        if (id === 'bad') throw new TypeError('a defect');
        return DONE;
      });
      await addAll(queue, ['bad', 'good']);
      queue.work(handler, { concurrency: 1 });
      await until(() => expect(seen).toEqual(['bad', 'good']));
      await until(async () => expect(await queue.stats()).toMatchObject({ waiting: 1, running: 0 }));
    });

    it('a handler that fails before it returns a promise', async () => {
      const queue = await open();
      const seen: string[] = [];
      await addAll(queue, ['bad', 'good']);
      queue.work(
        ({ id }) => {
          seen.push(id);
          if (id === 'bad') throw new TypeError('a defect');
          return Promise.resolve(DONE);
        },
        { concurrency: 1 },
      );
      await until(() => expect(seen.slice(0, 2)).toEqual(['bad', 'good']));
    });

    it('many entries of many chats, each done once', async () => {
      const first = await open({ entriesPerFairBy: 1_000 });
      const { seen, handler } = recording();
      first.work(handler, { concurrency: 8 });
      if (under.isShared) (await open()).work(handler, { concurrency: 8 });
      const ids = Array.from({ length: 300 }, (_, index) => `n${index}`);
      await Promise.all(ids.map((id, index) => first.add(entry(id, { ...alone(`chat${index % 7}`) }))));
      await idle(first);
      expect(seen.toSorted()).toEqual(ids.toSorted());
    });
  });
}

const FROZEN_WORKER = fileURLToPath(new URL('frozen-worker.ts', import.meta.url));

/** The lines that a process prints, one after the other. */
function linesOf({ stdout }: { readonly stdout: Readable }): () => Promise<unknown> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => (await lines.next()).value;
}
