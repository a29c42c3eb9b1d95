import { describe, expect, it } from 'vitest';
import { redisMissing, redisNote } from '../redis-server.ts';
import { REQUEST_FAULTS, runRequestFault } from './requests/faults.ts';

/** The short form of `npm run drill`. */
async function short(name: string, scale: number): Promise<void> {
  const fault = REQUEST_FAULTS.find(each => each.name === name) ?? expect.unreachable(`there is no drill ${name}`);
  const { faces, problems } = await runRequestFault(fault, scale);
  for (const { asked } of faces) expect(asked).toBeGreaterThan(0);
  expect(faces.map(({ face, lost, twice }) => ({ face, lost, twice }))).toEqual(
    faces.map(({ face }) => ({ face, lost: 0, twice: 0 })),
  );
  expect(problems).toEqual([]);
}

describe('no request is lost, none is answered twice', () => {
  it('when the process is killed at random moments', () => short('kill', 0.06));
  it('when it is ended during uploads', () => short('terminate', 0.1));
  it('when the APIs of the platforms refuse connections for a while', () => short('away-refuse', 0.2));
});

describe.skipIf(redisMissing)(`nor by gateways and workers over Redis${redisNote}`, () => {
  it('when they are replaced one by one', () => short('deploy-split', 0.4));
});
