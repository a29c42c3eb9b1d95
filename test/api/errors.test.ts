import { describe, expect, it } from 'vitest';
import { createErrorRenderer, ERROR_STATUS, errorMessage } from '../../src/api/errors.ts';
import { AppError, ERROR_CODES } from '../../src/errors.ts';

describe('createErrorRenderer', () => {
  const render = createErrorRenderer('Tester');

  it.each(ERROR_CODES)('puts %s into the envelope with a sentence of its own', code => {
    const { status, body, headers } = render(new AppError(code, 'for the log only'));
    expect(body).toStrictEqual({ status, creator: 'Tester', error: { code, message: errorMessage(code) } });
    expect(status).toBe(ERROR_STATUS[code]);
    expect(errorMessage(code)).toMatch(/^[A-Z].*\.$/);
    expect(headers).toEqual({ 'cache-control': 'no-store' });
  });

  it('says when to try again only where waiting helps', () => {
    const retryAfter = (code: (typeof ERROR_CODES)[number], retryAfterMs: number) =>
      render(new AppError(code, '', { retryAfterMs })).headers['retry-after'];
    expect(retryAfter('rate_limited', 1500)).toBe('2');
    expect(retryAfter('upstream_unavailable', 0)).toBe('1');
    expect(retryAfter('not_found', 1500)).toBeUndefined();
  });

  it('repeats a status that HTTP knows better', () => {
    const { status, body } = render(new AppError('invalid_request', ''), 405);
    expect([status, body.status]).toEqual([405, 405]);
  });
});
