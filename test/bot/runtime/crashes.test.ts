import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Queue } from '../../../src/infra/queue/queue.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createWorld, type Fate, linksDraft, type World } from './scripted-platform.ts';
import { FAILED, LATE, openStage, type Stage, UNSURE } from './stage.ts';

/** Made once: its timers go on, and finding the lines of a stack takes longer than all else that they do. */
const DEAD = new AppError('internal', 'the process is dead');

/** A process that ends at one of its steps: what it was doing then never goes on, and nothing of it touches the store any more. */
class Mortal {
  #left: number;
  isDead = false;

  constructor(steps: number) {
    this.#left = steps;
  }

  readonly step = (): Promise<void> => {
    this.#left -= 1;
    if (this.#left <= 0) this.isDead = true;
    return this.isDead ? new Promise(() => undefined) : Promise.resolve();
  };

  store(store: Store): Store {
    const alive = () => {
      if (this.isDead) throw DEAD;
    };
    return {
      ...store,
      all: (...args) => {
        alive();
        return store.all(...args);
      },
      get: (...args) => {
        alive();
        return store.get(...args);
      },
      run: (...args) => {
        alive();
        return store.run(...args);
      },
    };
  }

  /** It may die before each of these, and after. */
  readonly queue = (queue: Queue): Queue => ({
    ...queue,
    add: async entry => {
      await this.step();
      const added = await queue.add(entry);
      await this.step();
      return added;
    },
    work: (handler, options) =>
      queue.work(async claim => {
        await this.step();
        const verdict = await handler({
          ...claim,
          save: async payload => {
            await this.step();
            const isOurs = await claim.save(payload);
            await this.step();
            return isOurs;
          },
        });
        await this.step();
        return verdict;
      }, options),
  });
}

interface Case {
  readonly fates: readonly Fate[];
  /** Steps after which each process dies; the last one lives. */
  readonly crashes: readonly number[];
  /** Links of each request. */
  readonly requests: readonly number[];
  readonly repliesAtOnce: number;
  readonly messages: number;
  readonly repeatMs: number;
}

const DAY = 86_400_000;
const RUNS = 40;

const cases = fc.record<Case>({
  fates: fc.array(
    fc.constantFrom<Fate>('sent', 'sent', 'lost', 'vanished', 'away', 'flood', 'cut', 'refused', 'token'),
    {
      maxLength: 8,
    },
  ),
  crashes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
  requests: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
  repliesAtOnce: fc.constantFrom(1, 5),
  messages: fc.constantFrom(1, 2),
  repeatMs: fc.constantFrom(0, DAY),
});

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 1) });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Runs a case to its end: events that were not accepted are heard again by the next process. */
async function play({ fates, crashes, requests, ...traits }: Case): Promise<World> {
  const world = createWorld(fates);
  const store = openStore(':memory:');
  const events = new Map(requests.map((count, n) => [`${n}`, linksOf(n, count)]));
  for (const steps of [...crashes, Number.POSITIVE_INFINITY]) {
    const mortal = new Mortal(steps);
    const stage = await openStage({
      ...traits,
      world,
      store: mortal.store(store),
      queueOver: mortal.queue,
      step: mortal.step,
    });
    for (const [eventId, links] of events) {
      stage.platform
        .host()
        ?.accept(linksDraft(eventId, links))
        .then(acceptance => acceptance !== 'closed' && events.delete(eventId));
    }
    await outlive(stage, mortal);
    if (!mortal.isDead) {
      await stage.settle();
      expect(events.size).toBe(0);
      await stage.close();
      expect(stage.log.at('error').map(({ details }) => details)).toEqual([]);
    }
  }
  store.close();
  return world;
}

/** Until the process is dead, or has nothing to do. */
async function outlive(stage: Stage, mortal: Mortal): Promise<void> {
  for (let waitedMs = 0; !mortal.isDead && waitedMs < DAY; waitedMs += 200 + waitedMs / 2) {
    await stage.pass(200 + waitedMs / 2);
    const { waiting, running } = mortal.isDead ? { waiting: 1, running: 0 } : await stage.queue.stats();
    if (waiting + running === 0) return;
  }
}

function linksOf(request: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `r${request}l${index}`);
}

function messagesOf(link: string, messages: number): readonly string[] {
  if (messages === 1) return [`answer of ${link}`];
  return Array.from({ length: messages }, (_, part) => `answer of ${link} (${part + 1}/${messages})`);
}

/** Links that were to be sent together. */
function groupsOf(links: readonly string[], size: number): readonly (readonly string[])[] {
  return links.flatMap((_, start) => (start % size === 0 ? [links.slice(start, start + size)] : []));
}

describe('a request, whenever processes die and whatever becomes of calls', () => {
  it('is answered once, or regretted; nothing is lost, nothing is said twice', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async each => {
        const { shown, attempts } = await play(each);
        const said = shown.map(({ text }) => text);
        const links = each.requests.map((count, n) => linksOf(n, count));
        const answers = links.flat().flatMap(link => messagesOf(link, each.messages));

        const twice = answers.filter(text => said.filter(other => other === text).length > 1);
        expect(twice).toEqual([]);

        const groups = links.flatMap(own => groupsOf(own, each.repliesAtOnce));
        const isWhole = (group: readonly string[]) =>
          group.flatMap(link => messagesOf(link, each.messages)).every(text => said.includes(text));
        const regrets = attempts.filter(text => [UNSURE, FAILED, LATE].includes(text)).length;
        expect(groups.filter(group => !isWhole(group)).length).toBeLessThanOrEqual(regrets);

        if (each.repeatMs > 0) expect(attempts).not.toContain(UNSURE);
        // A process that dies leaves every request that it was sending unclear.
        const unclear =
          each.fates.filter(fate => fate === 'lost' || fate === 'vanished').length +
          each.crashes.length * each.requests.length;
        expect(said.filter(text => text === UNSURE).length).toBeLessThanOrEqual(unclear);

        for (const own of links) {
          const places = own.map(link => said.indexOf(messagesOf(link, each.messages)[0] ?? '')).filter(at => at >= 0);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is answered in full when nothing but processes fails and repeats are recognised', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async each => {
        const { shown } = await play({ ...each, fates: [], repeatMs: DAY });
        const answers = each.requests.flatMap((count, n) =>
          linksOf(n, count).flatMap(link => messagesOf(link, each.messages)),
        );
        expect(shown.map(({ text }) => text).toSorted()).toEqual(answers.toSorted());
      }),
      { numRuns: RUNS },
    );
  });
});
