/** A source says in one line why there is no post; what follows from each is the same for all of them. */
import { describe, expect, it } from 'vitest';
import { errorSentence } from '../../../../src/bot/views/notice.ts';
import { AppError } from '../../../../src/errors.ts';
import { LANGUAGES } from '../../../../src/i18n/languages.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { createCooldowns } from '../../../../src/media/extract/cooldowns.ts';
import { refusal, weakNotFound } from '../../../../src/media/extract/refusal.ts';
import { failureOfStatus } from '../../../../src/media/sources/kit/failures.ts';
import { createRecordingLog } from '../../../fakes/log.ts';
import { chain, ok, POST, strategy } from '../../extract/chain-fixture.ts';

const translators = LANGUAGES.map(({ tag }) => createTranslator([tag]));
const status = (code: number) =>
  failureOfStatus({ status: code, headers: {}, url: 'https://toy.example/1' }, 0) ?? new AppError('internal', 'none');

/** `next`: whether another way is asked; `rests`: whether the endpoint is left alone for the next post. */
const KINDS: readonly (readonly [string, AppError, { next: boolean; rests: boolean }])[] = [
  ['gone, for certain', new AppError('not_found', 'removed'), { next: false, rests: false }],
  ['gone, as far as it seems', weakNotFound('empty answer'), { next: true, rests: false }],
  ['gone, by a bare 404', status(404), { next: true, rests: false }],
  ['private', new AppError('private', 'the account is private'), { next: false, rests: false }],
  ['of age only', new AppError('age_restricted', 'age gate'), { next: false, rests: false }],
  ['not in this country', new AppError('region_blocked', 'withheld'), { next: false, rests: false }],
  [
    'for people who are logged in',
    new AppError('login_required', 'redirected to the login page'),
    { next: true, rests: false },
  ],
  ['blocked or challenged', refusal('limit', 'asked for proof of a person'), { next: true, rests: true }],
  ['limited, by a 429', status(429), { next: true, rests: true }],
  [
    'changed',
    new AppError('upstream_changed', 'the post came without a file that we know'),
    { next: true, rests: false },
  ],
];

describe('a post that a source says to be', () => {
  it.each(KINDS)('%s', async (_, failure, { next, rests }) => {
    const log = createRecordingLog();
    const cooldowns = createCooldowns({ source: 'toy', log });
    const { asked, run, round } = chain([strategy('page/a', failure), strategy('embed/a', ok)], { cooldowns, log });
    const outcome = await run().catch((error: unknown) => error);
    if (next) expect(outcome).toMatchObject({ id: POST.id, strategy: 'embed/a' });
    else expect(outcome).toMatchObject({ code: failure.code });
    expect(asked).toEqual(next ? ['page/a', 'embed/a'] : ['page/a']);
    if (rests) expect(await round()).toEqual(['embed/a']);
    expect(cooldowns.until('endpoint page') > Date.now()).toBe(rests);
    // What the site has changed is ours to mend, and is seen without anyone asking.
    expect(log.at('warn').length > 0).toBe(failure.code === 'upstream_changed');
  });

  it.each(KINDS)('%s has its sentence in every language', (_, { code }) => {
    const sentences = translators.map(t => t.error(code));
    // Japanese and Chinese say as much in half the letters, and end a sentence with a stop of their own.
    for (const sentence of sentences) expect(sentence).toMatch(/^\S(?:.{15,}\.|.{8,}。)$/);
    expect(new Set(sentences).size).toBe(translators.length);
  });
});

describe('a site that wants proof of a person by every way', () => {
  it('is left alone, and people are told until when', async () => {
    const log = createRecordingLog();
    const cooldowns = createCooldowns({ source: 'toy', log });
    const challenge = refusal('limit', 'asked for proof of a person');
    const { asked, run } = chain([strategy('page/a', challenge), strategy('embed/a', challenge)], { cooldowns, log });
    await expect(run()).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    expect(asked).toEqual(['page/a', 'embed/a']);
    const told: unknown = await run().catch((error: unknown) => error);
    if (!(told instanceof AppError)) throw new Error('it was asked again');
    expect(asked).toHaveLength(2);
    expect(told.retryAfterMs).toBeGreaterThan(30_000);
    for (const t of translators) expect(errorSentence(told, t)).toMatch(/\d/);
  });
});
