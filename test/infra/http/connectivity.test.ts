import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createConnectivity } from '../../../src/infra/http/attempt.ts';

function failure(code: string) {
  return new AppError('upstream_unavailable', 'no answer', { cause: Object.assign(new Error(code), { code }) });
}

describe('a connection that fails', () => {
  it.each(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH'])(
    'with %s says that the server is offline',
    code => {
      const judged = createConnectivity(() => 0).judge(failure(code));
      expect(judged).toMatchObject({ code: 'upstream_unavailable', params: { what: 'offline' }, cause: { code } });
    },
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'UND_ERR_SOCKET'])('with %s says nothing of the kind', code => {
    const error = failure(code);
    expect(createConnectivity(() => 0).judge(error)).toBe(error);
  });

  it('while others have just answered is that host’s trouble alone', () => {
    let now = 0;
    const connectivity = createConnectivity(() => now);
    connectivity.answered();
    const error = failure('ENOTFOUND');
    now = 59_000;
    expect(connectivity.judge(error)).toBe(error);
    now = 61_000;
    expect(connectivity.judge(error).params).toEqual({ what: 'offline' });
  });
});
