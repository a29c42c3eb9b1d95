import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createSummedLog } from '../../src/infra/summed-log.ts';
import { createRecordingLog } from '../fakes/log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const refused = (what: string) => ({ route: '/metrics', err: new AppError('forbidden', 'no', { params: { what } }) });

it('writes the first line of a kind, and then the last of each minute with their number', () => {
  const lines = createRecordingLog();
  const log = createSummedLog(lines);
  for (let n = 0; n < 1_000; n += 1) log.info({ route: '/metrics', n }, 'request failed');
  expect(lines.lines).toEqual([{ level: 'info', details: { route: '/metrics', n: 0 }, message: 'request failed' }]);
  vi.advanceTimersByTime(60_000);
  expect(lines.lines.slice(1).map(({ details }) => details)).toEqual([{ route: '/metrics', n: 999, times: 999 }]);
  log.info({ route: '/metrics', n: 1_000 }, 'request failed');
  vi.advanceTimersByTime(180_000);
  expect(lines.lines.slice(2).map(({ details }) => details)).toEqual([{ route: '/metrics', n: 1_000, times: 1 }]);
  log.info({ route: '/metrics', n: 1_001 }, 'request failed');
  expect(lines.lines).toHaveLength(4);
});

it('tells kinds apart by message, route and what is refused, and passes debug on', () => {
  const lines = createRecordingLog();
  const log = createSummedLog(lines);
  for (let n = 0; n < 3; n += 1) {
    for (const what of ['key', 'host']) log.info(refused(what), 'request failed');
    log.child({ part: 'web' }).warn({ route: '/media' }, 'broke off');
    log.debug({}, 'unknown path');
  }
  expect(lines.at('info')).toHaveLength(2);
  expect(lines.at('warn')).toHaveLength(1);
  expect(lines.at('debug')).toHaveLength(3);
});

it('loses no number at the end', () => {
  const lines = createRecordingLog();
  const log = createSummedLog(lines);
  for (let n = 0; n < 5; n += 1) log.warn(new Error(`no ${n}`), 'connection failed');
  log.flush();
  log.flush();
  expect(lines.lines.map(({ details }) => ('times' in details ? details.times : undefined))).toEqual([undefined, 4]);
});
