import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ButtonPayload, ButtonTokens } from '../../../src/bot/contract/services.ts';
import { createButtonTokens } from '../../../src/bot/stores/buttons.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { anyText } from '../../any-text.ts';
import { embeddedRecords } from '../../records.ts';

const KEY = Buffer.alloc(32, 1);
const WEEK_MS = 7 * 24 * 3_600_000;

const payloads: fc.Arbitrary<ButtonPayload> = fc.record(
  {
    command: fc.oneof(fc.constantFrom('settings', 'osu profile'), anyText({ minLength: 1 })),
    values: fc.dictionary(
      fc.oneof(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), fc.string()).filter(name => name !== '__proto__'),
      fc.oneof(anyText({ maxLength: 80 }), fc.integer(), fc.boolean()),
      { maxKeys: 4 },
    ),
    owner: fc.stringMatching(/^(web|discord|telegram):[0-9a-f]{1,36}$/),
  },
  { requiredKeys: ['command', 'values'] },
);

const Count = z.object({ n: z.number() });

interface Setup {
  readonly actions: ButtonTokens;
  /** Those stored, expired ones included. */
  count(): number | undefined;
  /** The same store and key, as after a restart. */
  restarted(): ButtonTokens;
}

function setUp(now = () => 0, key = KEY): Setup {
  const store: Store = openStore(':memory:');
  onTestFinished(() => store.close());
  const open = () =>
    createButtonTokens({
      key,
      records: embeddedRecords(store, now),
      onFailure: error => {
        throw error;
      },
    });
  const count = () => store.get('SELECT count(*) AS n FROM records', [], Count)?.n;
  return { actions: open(), count, restarted: open };
}

describe('button tokens', () => {
  it('bring back what went in, in at most 64 harmless bytes', async () => {
    const { actions } = setUp();
    await fc.assert(
      fc.asyncProperty(payloads, async payload => {
        const token = actions.encode(payload);
        expect(token).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        expect(await actions.decode(token, payload.owner ?? 'web:anyone')).toEqual(payload);
      }),
    );
  });

  it('refuse every changed character', async () => {
    const { actions } = setUp();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    await fc.assert(
      fc.asyncProperty(payloads, fc.nat(), fc.constantFrom(...alphabet), async (payload, position, character) => {
        const token = actions.encode(payload);
        const at = position % token.length;
        fc.pre(token[at] !== character);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        await expect(actions.decode(changed, payload.owner ?? 'web:anyone')).rejects.toMatchObject({
          code: 'invalid_request',
        });
      }),
    );
  });

  it('refuse any other text', async () => {
    const { actions } = setUp();
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async text => {
        await expect(actions.decode(text, 'web:a')).rejects.toMatchObject({ code: 'invalid_request' });
      }),
    );
  });

  it('of one key mean nothing to another', async () => {
    const token = setUp().actions.encode({ command: 'help', values: {} });
    const other = setUp(() => 0, Buffer.alloc(32, 2)).actions;
    await expect(other.decode(token, 'web:a')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([['short'], ['a value that is far too long to ride inside of a token of sixty-four bytes']])(
    'bound to an owner are refused from others: %s',
    async text => {
      const { actions } = setUp();
      const token = actions.encode({ command: 'settings', values: { text }, owner: 'web:sari' });
      await expect(actions.decode(token, 'web:budi')).rejects.toMatchObject({
        code: 'forbidden',
        params: { what: 'button' },
      });
      expect((await actions.decode(token, 'web:sari')).values).toEqual({ text });
      expect(await actions.decodeForAnyone(token)).toEqual({ command: 'settings', values: { text } });
      await expect(actions.decodeForAnyone(`${token.slice(0, -1)}?`)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    },
  );

  it('keep short arguments inside, so that they outlive every store', async () => {
    const { actions, count } = setUp();
    const token = actions.encode({ command: 'settings', values: { language: 'auto' }, owner: 'telegram:123456789' });
    await actions.stored();
    expect(count()).toBe(0);
    const elsewhere = setUp(() => 10 * WEEK_MS).actions;
    expect((await elsewhere.decode(token, 'telegram:123456789')).values).toEqual({ language: 'auto' });
  });

  const long = { command: 'download', values: { link: `https://www.instagram.com/p/${'x'.repeat(60)}/` } };

  it('keep long arguments in the store for a week, through a restart', async () => {
    let now = 0;
    const { actions, restarted } = setUp(() => now);
    const token = actions.encode(long);
    await actions.stored();
    now = WEEK_MS - 1;
    expect(await restarted().decode(token, 'web:a')).toEqual(long);
    now = WEEK_MS;
    await expect(actions.decode(token, 'web:a')).rejects.toMatchObject({ params: { hint: 'expiredButton' } });
  });

  it('use one record for a button shown often, and drop those that expired', async () => {
    let now = 0;
    const { actions, count } = setUp(() => now);
    for (let shown = 0; shown < 50; shown += 1) actions.encode(long);
    await actions.stored();
    expect(count()).toBe(1);
    now = 2 * WEEK_MS;
    actions.encode({ ...long, command: 'other' });
    await actions.stored();
    expect(count()).toBe(1);
  });

  it('of a person go when they are forgotten, and name no person', async () => {
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    const actions = createButtonTokens({ key: KEY, records: embeddedRecords(store), onFailure: () => undefined });
    const first = actions.encode({ ...long, owner: 'web:sari' });
    const other = actions.encode({ ...long, owner: 'web:budi' });
    await actions.stored();
    const Row = z.object({ key: z.string(), group_key: z.string(), value: z.string() });
    expect(JSON.stringify(store.all('SELECT * FROM records', [], Row))).not.toMatch(/sari|budi/);
    await actions.forget('web:sari');
    expect(store.get('SELECT count(*) AS n FROM records', [], Count)?.n).toBe(1);
    await expect(actions.decode(first, 'web:sari')).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await actions.decode(other, 'web:budi')).command).toBe('download');
  });

  it('are made also when their arguments cannot be stored, which is reported', async () => {
    const store = openStore(':memory:');
    const failures: unknown[] = [];
    const actions = createButtonTokens({
      key: KEY,
      records: embeddedRecords(store),
      onFailure: error => failures.push(error),
    });
    store.close();
    expect(actions.encode(long)).toMatch(/^[\w-]{1,64}$/);
    await actions.stored();
    expect(failures).toMatchObject([{ code: 'internal' }]);
  });
});
