import { expectedCostMs, isDead, isDueForProbe, isResting, type StrategyRecord, UNTRIED } from './strategy-record.ts';

export interface Orderable {
  readonly name: string;
  /** Asked when all others have failed, in the given order, whatever their records say. */
  readonly isLastResort?: boolean;
}

export interface StrategyOrder<S> {
  /** Best first. */
  readonly alive: readonly S[];
  /** Those that failed time and again while others worked, best first. */
  readonly dead: readonly S[];
  readonly lastResorts: readonly S[];
  /** Not to be asked now, best first. */
  readonly resting: readonly S[];
  /** One that failed and may have come back, to be asked beside the best. */
  readonly probe: S | undefined;
}

/** A request's own price, beside the time it takes: one that fails at once is not better than one that works slowly. */
const REQUEST_PRICE_MS = 1_000;
/** The given order goes by what the answers hold: each place further back has to be so much better to be asked before. */
const PLACE_SHARE = 0.1;

/** The order in which to ask, by what is remembered; where nothing is, the given one. */
export function orderStrategies<S extends Orderable>(
  strategies: readonly S[],
  records: ReadonlyMap<string, StrategyRecord>,
  now: number,
): StrategyOrder<S> {
  const recordOf = ({ name }: S) => records.get(name) ?? UNTRIED;
  const all = strategies
    .map((strategy, place) => {
      const record = recordOf(strategy);
      const cost = expectedCostMs(record, REQUEST_PRICE_MS, now) * (1 + PLACE_SHARE * place);
      return { strategy, place, record, cost, isDead: isDead(record), isResting: isResting(record, now) };
    })
    .sort((a, b) => a.cost - b.cost);
  const ranked = all.filter(one => !one.isResting && !one.strategy.isLastResort);
  const named = (dead: boolean) => ranked.filter(one => one.isDead === dead).map(({ strategy }) => strategy);
  const first = ranked.find(one => !one.isDead);
  // Those that failed last, and those that would be asked before the first if they did as well.
  const [due] = ranked
    .filter(one => first !== undefined && one !== first && (one.record.streak > 0 || one.place < first.place))
    .filter(({ record }) => isDueForProbe(record, now))
    .sort((a, b) => a.record.triedAt - b.record.triedAt);
  return {
    alive: named(false),
    dead: named(true),
    lastResorts: strategies.filter(one => one.isLastResort && !isResting(recordOf(one), now)),
    resting: all.filter(one => one.isResting).map(({ strategy }) => strategy),
    probe: due?.strategy,
  };
}
