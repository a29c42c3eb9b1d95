import { expect, it } from 'vitest';
import { withContact } from '../../../src/beatmaps/upstreams/contact.ts';
import { createMirrors } from '../../../src/beatmaps/upstreams/mirror.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

it.each([
  ['https://medley.example', 'Medley (+https://medley.example)'],
  [undefined, 'Medley'],
])('a mirror is told where whoever runs Medley can be reached: %s', async (publicUrl, agent) => {
  const agents: (string | undefined)[] = [];
  const { origin } = await serveHttp((request, response) => {
    agents.push(request.headers['user-agent']);
    response.end(JSON.stringify({ id: 5, title: 'Paper Comet' }));
  });
  const http = withContact(createTestClient({ 'osu.direct': origin }), publicUrl);
  await createMirrors({ http })[0]?.set(5);
  expect(agents).toEqual([agent]);
});
