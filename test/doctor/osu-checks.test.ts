import { expect, it } from 'vitest';
import { createOsuApi } from '../../src/beatmaps/upstreams/osu-api.ts';
import { checkOsu } from '../../src/doctor/osu-checks.ts';
import { createTestClient } from '../fakes/http-client.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { createSandbox } from '../sandbox/sandbox.ts';

const osu = { ranking: async () => [] };

it.each([
  [undefined, 'https://medley.example', 'note', 'OSU_CLIENT_ID'],
  [osu, undefined, 'note', 'PUBLIC_URL'],
  [osu, 'https://medley.example', 'ok', 'https://medley.example/osu/callback'],
] as const)('says what to register at osu! (%#)', async (api, publicUrl, state, remedy) => {
  const finding = { state, remedy: expect.stringContaining(remedy) };
  expect(await checkOsu(api, publicUrl)).toContainEqual(expect.objectContaining(finding));
});

it.each([
  ['taken', SANDBOX_OSU, undefined, 'ok', /key is taken/],
  ['refused', { ...SANDBOX_OSU, clientSecret: 'another' }, undefined, 'wrong', /refused.*401/],
  ['of no use while osu! is away', SANDBOX_OSU, 'status:503', 'wrong', /cannot be asked.*503/],
  ['told to wait', SANDBOX_OSU, 'retry-after:9', 'note', /slow down/],
] as const)('asks osu! with the key, which is %s', async (_, key, fault, state, what) => {
  const sandbox = await createSandbox();
  const hosts = Object.fromEntries(sandbox.overrides.split(',').map(pair => pair.split('=', 2)));
  if (fault !== undefined) sandbox.faults.set('osu.ranking', fault);
  const api = createOsuApi({ ...key, http: createTestClient(hosts), log: createRecordingLog() });
  const [found] = await checkOsu(api, undefined);
  await sandbox.close();
  expect(found).toMatchObject({ state, what: expect.stringMatching(what) });
  expect(JSON.stringify(found)).not.toContain(key.clientSecret);
  if (state === 'wrong' && fault === undefined) expect(found?.remedy).toContain('OSU_CLIENT_SECRET');
});
