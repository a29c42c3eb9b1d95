import { expect, it } from 'vitest';
import { createMirrors } from '../../src/beatmaps/upstreams/mirror.ts';
import { checkMirrors } from '../../src/doctor/osu-checks.ts';
import { createTestClient } from '../fakes/http-client.ts';
import { createSandbox } from '../sandbox/sandbox.ts';

it('asks every mirror, and takes one that fails for wrong when none stands in', async () => {
  const sandbox = await createSandbox();
  const hosts = Object.fromEntries(sandbox.overrides.split(',').map(pair => pair.split('=', 2)));
  const mirrors = createMirrors({ http: createTestClient(hosts) });
  const states = async () => (await checkMirrors(mirrors)).map(({ state }) => state);
  expect((await checkMirrors(mirrors)).map(({ what }) => what)).toEqual(mirrors.map(({ id }) => `${id} answers`));
  sandbox.faults.set('catboy.search', 'status:503');
  expect(await states()).toEqual(['ok', 'ok', 'note']);
  expect((await checkMirrors(mirrors))[2]).toMatchObject({ what: expect.stringContaining('503') });
  sandbox.faults.set('osu-direct.search', 'html');
  sandbox.faults.set('hinai.search', 'reset');
  expect(await states()).toEqual(['wrong', 'wrong', 'wrong']);
  await sandbox.close();
});
