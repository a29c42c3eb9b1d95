import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { actingClient } from '../../src/infra/concurrency/running-work.ts';
import { createApiServer } from '../fakes/api-server.ts';
import { makePost } from '../fakes/post.ts';

it('acts for the address that asks, or for the holder of a key', async () => {
  const acted: string[] = [];
  const { app } = await createApiServer({
    trustProxy: ['loopback'],
    keys: [{ name: 'alice', key: 'a-long-random-key', perHour: 10 }],
    extract: async () => {
      await pause(5);
      acted.push(actingClient());
      return { post: makePost(), itemIndex: null, from: 'load' };
    },
  });
  const url = `/api/post?url=${encodeURIComponent('https://www.instagram.com/p/C9TestReef01/')}`;
  const from = (client: string, key = '') => ({ url, headers: { 'x-forwarded-for': client, 'x-api-key': key } });
  // At once, so that neither can be taken for the other.
  await Promise.all([
    app.inject(from('192.0.2.1')),
    app.inject(from('2001:db8::1:2')),
    app.inject(from('192.0.2.3', 'a-long-random-key')),
  ]);
  expect(acted.sort()).toEqual(['192.0.2.1', '2001:db8::/64', 'key:alice']);
  expect(actingClient()).toBe('');
});
