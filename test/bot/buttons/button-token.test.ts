import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ButtonPayload, createButtonTokens } from '../../../src/bot/buttons/button-token.ts';
import { memoryActionStore } from '../sample.ts';

const KEY = Buffer.alloc(32, 1);
const WEEK_MS = 7 * 24 * 3_600_000;

const payloads: fc.Arbitrary<ButtonPayload> = fc.record(
  {
    command: fc.oneof(fc.constantFrom('settings', 'osu profile'), fc.string({ minLength: 1, unit: 'binary' })),
    values: fc.dictionary(
      fc.oneof(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), fc.string()).filter(name => name !== '__proto__'),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer(), fc.boolean()),
      { maxKeys: 4 },
    ),
    owner: fc.stringMatching(/^(web|discord|telegram):[0-9a-f]{1,36}$/),
  },
  { requiredKeys: ['command', 'values'] },
);

function tokens(now = () => 0) {
  const store = memoryActionStore();
  return { store, actions: createButtonTokens({ key: KEY, store, now }) };
}

describe('action tokens', () => {
  it('bring back what went in, in at most 64 harmless bytes', () => {
    const { actions } = tokens();
    fc.assert(
      fc.property(payloads, payload => {
        const token = actions.encode(payload);
        expect(token).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        expect(actions.decode(token, payload.owner ?? 'web:anyone')).toEqual(payload);
      }),
    );
  });

  it('refuse every changed character', () => {
    const { actions } = tokens();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    fc.assert(
      fc.property(payloads, fc.nat(), fc.constantFrom(...alphabet), (payload, position, character) => {
        const token = actions.encode(payload);
        const at = position % token.length;
        fc.pre(token[at] !== character);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(() => actions.decode(changed, payload.owner ?? 'web:anyone')).toThrow(
          expect.objectContaining({ code: 'invalid_request' }),
        );
      }),
    );
  });

  it('refuse any other text', () => {
    const { actions } = tokens();
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), text => {
        expect(() => actions.decode(text, 'web:a')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      }),
    );
  });

  it('of one key mean nothing to another', () => {
    const { actions } = tokens();
    const other = createButtonTokens({ key: Buffer.alloc(32, 2), store: memoryActionStore() });
    expect(() => other.decode(actions.encode({ command: 'help', values: {} }), 'web:a')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each([['short'], ['a value that is far too long to ride inside of a token of sixty-four bytes']])(
    'bound to an owner are refused from others: %s',
    text => {
      const { actions } = tokens();
      const token = actions.encode({ command: 'settings', values: { text }, owner: 'web:sari' });
      expect(() => actions.decode(token, 'web:budi')).toThrow(
        expect.objectContaining({ code: 'forbidden', params: { what: 'button' } }),
      );
      expect(actions.decode(token, 'web:sari').values).toEqual({ text });
    },
  );

  it('keep short arguments inside, so that they outlive every store', () => {
    const { actions, store } = tokens();
    const token = actions.encode({ command: 'settings', values: { language: 'auto' }, owner: 'telegram:123456789' });
    expect(store.size).toBe(0);
    const restarted = createButtonTokens({ key: KEY, store: memoryActionStore(), now: () => 10 * WEEK_MS });
    expect(restarted.decode(token, 'telegram:123456789').values).toEqual({ language: 'auto' });
  });

  const long = { command: 'download', values: { link: `https://www.instagram.com/p/${'x'.repeat(60)}/` } };

  it('keep long arguments in the store for a week', () => {
    let now = 0;
    const { actions } = tokens(() => now);
    const token = actions.encode(long);
    now = WEEK_MS - 1;
    expect(actions.decode(token, 'web:a')).toEqual(long);
    now = WEEK_MS;
    expect(() => actions.decode(token, 'web:a')).toThrow(
      expect.objectContaining({ params: { hint: 'expiredButton' } }),
    );
  });

  it('use one row for a button shown often, and drop rows that expired', () => {
    let now = 0;
    const { actions, store } = tokens(() => now);
    for (let shown = 0; shown < 50; shown += 1) actions.encode(long);
    expect(store.size).toBe(1);
    now = 2 * WEEK_MS;
    actions.encode({ ...long, command: 'other' });
    expect(store.size).toBe(1);
  });

  it('of a person go when he is forgotten', () => {
    const { actions, store } = tokens();
    const his = actions.encode({ ...long, owner: 'web:sari' });
    const others = actions.encode({ ...long, owner: 'web:budi' });
    actions.forget('web:sari');
    expect(store.size).toBe(1);
    expect(() => actions.decode(his, 'web:sari')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(actions.decode(others, 'web:budi').command).toBe('download');
  });
});
