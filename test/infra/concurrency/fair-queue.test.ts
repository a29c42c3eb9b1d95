import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/infra/concurrency/running-work.ts';

function drain(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) order.push(next);
  return order;
}

describe('a fair queue', () => {
  it('lets who has not been served lately go next', () => {
    const queue = new FairQueue<string>();
    for (let i = 0; i < 5; i += 1) queue.add('many', `many${i}`);
    expect([queue.shift(), queue.shift()]).toEqual(['many0', 'many1']);
    queue.add('new', 'new0');
    queue.add('new', 'new1');
    expect(drain(queue)).toEqual(['new0', 'many2', 'new1', 'many3', 'many4']);
  });

  it('gives nothing to who leaves the queue and comes again at once', () => {
    const queue = new FairQueue<string>();
    for (let i = 0; i < 6; i += 1) queue.add('many', `many${i}`);
    const order: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      queue.add('one', `one${i}`);
      order.push(queue.shift(), queue.shift());
    }
    expect(order.filter(name => name?.startsWith('one'))).toHaveLength(4);
    expect(order.filter(name => name?.startsWith('many'))).toHaveLength(4);
  });

  it('loses none, keeps each client in order, and never lets one be more than a turn ahead', () => {
    const clients = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
    fc.assert(
      fc.property(clients, names => {
        const queue = new FairQueue<string>();
        names.forEach((name, i) => void queue.add(name, `${name}${i}`));
        expect(queue.size).toBe(names.length);
        const order = drain(queue);
        expect(queue.size).toBe(0);
        for (const client of 'abcd') {
          const own = order.filter(waiter => waiter.startsWith(client));
          const before = names.flatMap((name, i) => (name === client ? [`${name}${i}`] : []));
          expect(own).toEqual(before);
        }
        const left = new Map([...'abcd'].map(name => [name, names.filter(each => each === name).length]));
        const served = new Map<string, number>();
        for (const [client = ''] of order) {
          served.set(client, (served.get(client) ?? 0) + 1);
          for (const [other, count] of left) {
            const done = served.get(other) ?? 0;
            if (done < count) expect((served.get(client) ?? 0) - done).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it('takes out the last of the longest part', () => {
    const queue = new FairQueue<string>();
    for (const waiter of ['a0', 'a1', 'a2', 'b0']) queue.add(waiter.charAt(0), waiter);
    expect(queue.yieldTo('a')).toBeUndefined();
    expect(queue.yieldTo('c')).toBe('a2');
    expect(queue.yieldTo('b')).toBeUndefined();
    queue.remove('a', 'a2');
    expect(queue.size).toBe(3);
  });
});
