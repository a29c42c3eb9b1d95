import { describe, expect, it } from 'vitest';
import { giveBack, takeMemory } from '../../../src/infra/http/body.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

const MIB = 1024 * 1024;
const host = 'www.photos.test';

describe('memory of bodies', () => {
  it('is lent again once it was given back, and to one at a time', () => {
    const first = takeMemory(600_000);
    const second = takeMemory(600_000);
    expect(first.length).toBeGreaterThanOrEqual(600_000);
    expect(second.buffer).not.toBe(first.buffer);
    // A part of it stands for the whole.
    giveBack(first.subarray(0, 10));
    giveBack(first);
    const third = takeMemory(700_000);
    expect(third.buffer).toBe(first.buffer);
    expect(third.length).toBeGreaterThanOrEqual(700_000);
    expect(takeMemory(700_000).buffer).not.toBe(first.buffer);
  });

  it('is ordinary for small and for huge bodies, and what was not lent is not taken', () => {
    expect(takeMemory(1_000).length).toBe(1_000);
    const huge = takeMemory(2 * MIB);
    expect(huge.length).toBe(2 * MIB);
    giveBack(huge);
    expect(takeMemory(2 * MIB).buffer).not.toBe(huge.buffer);
    const foreign = Buffer.alloc(MIB);
    giveBack(foreign);
    const pieces = Array.from({ length: 20 }, () => takeMemory(MIB));
    expect(pieces.some(piece => piece.buffer === foreign.buffer)).toBe(false);
    // Only so many are kept.
    for (const piece of pieces) giveBack(piece);
    const again = Array.from({ length: 20 }, () => takeMemory(MIB));
    const kept = again.filter(piece => pieces.some(one => one.buffer === piece.buffer));
    expect(kept).toHaveLength(8);
  });

  it('keeps a body as it is until that is released, whatever comes after it', async () => {
    const server = await serveHttp((incoming, response) => {
      response.end(Buffer.alloc(500_000, incoming.url?.slice(1) ?? ''));
    });
    const client = createTestClient({ [host]: server.origin });
    const ask = (letter: string) => client.request({ url: `https://${host}/${letter}`, hosts: [host] });
    const kept = await ask('a');
    const released = await ask('b');
    const read = released.text;
    released.release();
    for (const letter of ['c', 'd', 'e'])
      expect((await ask(letter)).bytes.equals(Buffer.alloc(500_000, letter))).toBe(true);
    expect(kept.bytes.equals(Buffer.alloc(500_000, 'a'))).toBe(true);
    expect(read).toBe('b'.repeat(500_000));
    expect(released.text).toBe(read);
    expect(() => released.bytes).toThrow('released');
    kept.release();
    expect(() => kept.text).toThrow('released');
  });
});
