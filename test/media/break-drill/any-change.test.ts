import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError, ERROR_CODES } from '../../../src/errors.ts';
import { CHANGES, type Change, changeAt, pathsOf } from './changes.ts';
import { documentsOf } from './documents.ts';
import { flawOfReading } from './judge.ts';
import { BASES, outcomeOf } from './posts.ts';

interface Prepared {
  readonly base: (typeof BASES)[number];
  readonly documents: ReturnType<typeof documentsOf>;
  readonly paths: ReturnType<typeof pathsOf>;
  readonly original: ReturnType<(typeof BASES)[number]['read']>;
}

const prepared: readonly Prepared[] = BASES.map(base => {
  const documents = documentsOf(base.body);
  return { base, documents, paths: pathsOf(documents.values), original: base.read(base.body) };
});

function checkFailure(failure: AppError, { base }: Prepared, body: string): void {
  expect(ERROR_CODES).toContain(failure.code);
  expect(['private', 'age_restricted', 'region_blocked']).not.toContain(failure.code);
  if (base.isPage && body.includes(base.ref.id)) expect(failure.code).not.toBe('not_found');
}

const anyPost = fc.constantFrom(...prepared);
const anyStep = fc.tuple(fc.nat(), fc.constantFrom(...CHANGES));

function changed({ documents, paths }: Prepared, steps: readonly (readonly [number, Change])[]): string {
  let values: unknown = documents.values;
  for (const [at, change] of steps) values = changeAt(values, paths[at % paths.length] ?? [], change);
  return documents.render([values].flat());
}

describe('any change of any answer', () => {
  it('gives the whole post, a part that says so, or a code; never not_found for a page that holds the id', () => {
    let cases = 0;
    for (const one of prepared) {
      for (const path of one.paths) {
        for (const change of CHANGES) {
          cases += 1;
          const body = one.documents.render([changeAt(one.documents.values, path, change)].flat());
          const outcome = outcomeOf(one.base, body);
          if (outcome instanceof AppError) checkFailure(outcome, one, body);
          else expect(flawOfReading(outcome, one.original, body), `${change.name} ${path.join('.')}`).toBeNull();
        }
      }
    }
    process.stdout.write(`  ${cases} single changes, each right or rightly named\n`);
    expect(cases).toBeGreaterThan(5_000);
  });

  it('and several at once give nothing that is not the post’s', () => {
    fc.assert(
      fc.property(anyPost, fc.array(anyStep, { minLength: 2, maxLength: 5 }), (one, steps) => {
        const body = changed(one, steps);
        const outcome = outcomeOf(one.base, body);
        if (outcome instanceof AppError) return checkFailure(outcome, one, body);
        const files = new Set(
          one.original.items.flatMap(item => item.variants.map(({ url }) => new URL(url).pathname)),
        );
        const given = outcome.items.flatMap(item => item.variants.map(({ url }) => new URL(url).pathname));
        expect(given.filter(file => !files.has(file))).toEqual([]);
        if (outcome.items.length === 0) expect(flawOfReading(outcome, one.original, body)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it('holds for answers cut short anywhere', () => {
    fc.assert(
      fc.property(anyPost, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const body = one.base.body.slice(0, Math.floor(one.base.body.length * share));
        const outcome = outcomeOf(one.base, body);
        if (outcome instanceof AppError) checkFailure(outcome, one, body);
        else expect(flawOfReading(outcome, one.original, body)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
