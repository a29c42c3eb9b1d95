import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createFailureTally } from '../../src/infra/failure-tally.ts';
import { createRecordingLog } from '../fakes/log.ts';

describe('the tally of failures', () => {
  it('counts warnings and errors by message and cause, the last one first, and lets them through', () => {
    let at = 0;
    const tally = createFailureTally(() => ++at);
    const log = createRecordingLog();
    const watched = tally.watching(log);
    const refused = Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' });
    const failure = () => new AppError('upstream_unavailable', 'https://user:secret@site.test', { cause: refused });
    watched.warn({ err: failure() }, 'a request failed');
    watched.child({ source: 'instagram' }).error(new TypeError('what they wrote'), 'something broke');
    watched.warn({ err: failure(), text: 'what they wrote' }, 'a request failed');
    watched.info({}, 'no failure');
    watched.debug({}, 'no failure');
    const failed = { message: 'a request failed', cause: 'upstream_unavailable < ECONNREFUSED', count: 2, lastAt: 3 };
    expect(tally.list()).toEqual([failed, { message: 'something broke', cause: 'TypeError', count: 1, lastAt: 2 }]);
    expect(log.lines.length).toBe(5);
  });

  it('counts a line that stands for several as so many', () => {
    const tally = createFailureTally();
    const watched = tally.watching(createRecordingLog());
    watched.warn({}, 'a request failed');
    watched.warn({ times: 41 }, 'a request failed');
    expect(tally.list()).toMatchObject([{ message: 'a request failed', count: 42 }]);
  });

  it('keeps the last fifty kinds', () => {
    const tally = createFailureTally();
    const watched = tally.watching(createRecordingLog());
    for (let kind = 0; kind < 80; kind += 1) watched.warn({}, `failure ${kind}`);
    expect(tally.list().map(({ message }) => message)).toHaveLength(50);
    expect(tally.list()[0]).toMatchObject({ message: 'failure 79', cause: undefined, count: 1 });
  });
});
