import { expect, it } from 'vitest';
import { checkOsu } from '../../src/doctor/osu-checks.ts';

const osu = { clientId: 1, clientSecret: 'hush' };

it.each([
  [undefined, 'https://medley.example', 'note', 'OSU_CLIENT_ID'],
  [osu, undefined, 'note', 'PUBLIC_URL'],
  [osu, 'https://medley.example', 'ok', 'https://medley.example/osu/callback'],
] as const)('says what to register at osu! (%#)', (key, publicUrl, state, remedy) => {
  expect(checkOsu({ osu: key, publicUrl })).toMatchObject([{ state, remedy: expect.stringContaining(remedy) }]);
});
