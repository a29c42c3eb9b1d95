import { describe, expect, it } from 'vitest';
import { askInOrder, createHealth } from '../../../src/beatmaps/upstreams/failover.ts';
import { AppError } from '../../../src/errors.ts';
import { OWN_DOING } from '../../../src/infra/http/read-failure.ts';
import { silentLog } from '../../fakes/instagram-upstream.ts';

const IDS = ['first', 'second'];

/** Asks until the first has failed this often. */
async function failFirst(times: number, failure: AppError) {
  const health = createHealth({ ids: IDS });
  for (let i = 0; i < times; i += 1) {
    const answered = await askInOrder({
      sources: IDS.map(id => ({ id })),
      health,
      ask: async ({ id }) => {
        if (id === 'first') throw failure;
        return 'an answer';
      },
      signal: new AbortController().signal,
      log: silentLog,
      now: Date.now,
    });
    expect(answered).toEqual({ value: 'an answer', source: 'second' });
  }
  return health;
}

describe('an upstream that fails again and again', () => {
  it.each([
    new AppError('timeout', 'no answer'),
    new AppError('upstream_unavailable', 'refused'),
    new AppError('too_large', 'more than the cap', OWN_DOING),
  ])('rests: $code', async failure => {
    expect((await failFirst(3, failure)).isResting('first')).toBe(true);
  });

  it.each([
    new AppError('timeout', 'its turn did not come', OWN_DOING),
    new AppError('upstream_unavailable', 'too many wait', OWN_DOING),
  ])('does not rest, and keeps its place, when it was our own pace: $code', async failure => {
    const health = await failFirst(10, failure);
    expect(health.isResting('first')).toBe(false);
    expect(health.order()).toEqual(IDS);
  });
});

it.each(['forbidden', 'region_blocked'] as const)(
  'upstreams that all answer %s to this server count as away',
  async code => {
    const asked = askInOrder({
      sources: IDS.map(id => ({ id })),
      health: createHealth({ ids: IDS }),
      ask: () => Promise.reject(new AppError(code, 'not to you')),
      needsEveryone: true,
      signal: new AbortController().signal,
      log: silentLog,
      now: Date.now,
    });
    await expect(asked).rejects.toMatchObject({ code: 'upstream_unavailable', params: { upstreams: 'first, second' } });
  },
);

it.each([
  ['forbidden', 'upstream_unavailable'],
  ['timeout', 'timeout'],
  ['upstream_changed', 'upstream_changed'],
  ['not_found', 'credentials_required'],
] as const)('a missing key counts beside %s as %s', async (other, code) => {
  const asked = askInOrder({
    sources: IDS.map(id => ({ id })),
    health: createHealth({ ids: IDS }),
    ask: ({ id }) => Promise.reject(new AppError(id === 'first' ? 'credentials_required' : other, 'no answer')),
    needsEveryone: true,
    signal: new AbortController().signal,
    log: silentLog,
    now: Date.now,
  });
  await expect(asked).rejects.toMatchObject({ code, params: { upstreams: 'first, second' } });
});
