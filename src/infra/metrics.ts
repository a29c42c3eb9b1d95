import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { HttpEvent } from './http/exchange.ts';

/** Functions that read current values, called each time the metrics are asked for. */
export interface MetricReadings {
  /** True for each configured chat platform, by name, that is connected. */
  readonly platforms: () => Readonly<Record<string, boolean>>;
  /** Requests of people that wait or run, by state, and how long the oldest has waited. */
  readonly queue: () => Promise<QueueReading>;
  /** How many files are being streamed to clients. */
  readonly streams: () => number;
  /** The readiness checks, by name, and whether each passes. */
  readonly checks: () => Promise<Readonly<Record<string, boolean>>>;
  /** For each source, by its id, true when its site refuses Medley's requests. */
  readonly refusingSites: () => Readonly<Record<string, boolean>>;
  /** Strategies that failed the last canary, which asks for known posts once an hour. */
  readonly brokenStrategies: () => readonly { readonly source: string; readonly strategy: string }[];
}

export interface QueueReading {
  readonly depth: Readonly<Record<string, number>>;
  readonly oldestMs: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** The histogram's buckets for strategies, in seconds. They are few, because each strategy has a set of its own. */
const STRATEGY_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 20];
const REQUEST_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 300];

/**
 * The metrics of `/metrics`, and the functions by which modules report to them. None of the functions throws. Each call
 * makes a new registry, because several servers in one process must not share one.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const own = createInstruments([registry]);
  const readings = createReadings([registry]);

  return {
    /** Measures every request of `app` from now on, by route pattern. */
    observe(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'unknown';
        own.http.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
        done();
      });
    },
    /** Counts how one strategy of a source ended, `ok` or an error code, and how long it took where that is known. */
    countStrategy(source: string, strategy: string, outcome: string, durationMs?: number): void {
      own.strategies.inc({ source, strategy, outcome });
      if (durationMs === undefined) return;
      const result = outcome === 'ok' ? 'ok' : 'failed';
      own.strategySeconds.observe({ source, strategy, result }, durationMs / 1000);
    },
    /** Counts one request that we sent to a site. */
    countUpstream({ host, status, failure, durationMs }: HttpEvent): void {
      const outcome = failure === undefined ? String(status ?? 'none') : failure.code;
      // Only the last two labels count: the hundreds of hosts of a CDN would be too many values for a metric.
      const domain = host.split('.').slice(-2).join('.');
      own.upstream.observe({ domain, outcome }, durationMs / 1000);
    },
    /** Counts a request and how it ended, with the time from its acceptance to its answer where that is known. */
    countRequest(platform: string, outcome: string, durationMs?: number): void {
      own.requests.inc({ platform, outcome });
      if (durationMs !== undefined) own.requestSeconds.observe({ platform }, durationMs / 1000);
    },
    /** Counts a request that the queue refused, by its platform. */
    countAcceptance(platform: string, acceptance: string): void {
      if (acceptance === 'refused') own.refusals.inc({ limit: `queue-${platform}` });
    },
    /** Counts a delivered item: `step` says how its file was made or where its link leads; `bytes` are the file's. */
    countDelivery(step: string, bytes: number): void {
      own.deliveries.inc({ step });
      own.deliveredBytes.inc({ step }, bytes);
    },
    /** Counts where an answer came from: `cache`, `stale` or `load`. */
    countLookup: (cache: string, from: string): void => own.lookups.inc({ cache, from }),
    /** Counts a limit that was reached, by its name, such as `streams` or `user`. */
    countRefusal: (limit: string): void => own.refusals.inc({ limit }),
    /** Counts a stream that Medley ended, by the reason. */
    countStreamEnd: (reason: string): void => own.streamEnds.inc({ reason }),
    /** Sets functions that the gauges read; each function may be given once. */
    watch: (given: Partial<MetricReadings>): void => void Object.assign(readings, given),
    contentType: registry.contentType,
    /** The metrics in Prometheus' text format. */
    text: () => registry.metrics(),
  };
}

function createInstruments(registers: Registry[]) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `medley_${name}`, help, labelNames, registers });
  const seconds = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ name: `medley_${name}_duration_seconds`, help, labelNames, buckets, registers });
  const ofStrategy = ['source', 'strategy'];
  return {
    http: seconds('http_request', 'Answered requests by route pattern.', SECONDS, 'method', 'route', 'status'),
    upstream: seconds('upstream_request', 'Requests to upstream sites by their domain.', SECONDS, 'domain', 'outcome'),
    strategies: counter('strategy_outcomes_total', 'How each way of asking a source ended.', ...ofStrategy, 'outcome'),
    strategySeconds: seconds(
      'strategy',
      'How long each way of asking a source took.',
      STRATEGY_SECONDS,
      ...ofStrategy,
      'result',
    ),
    requests: counter('requests_total', 'What people asked, by how it ended.', 'platform', 'outcome'),
    requestSeconds: seconds(
      'request',
      'From the acceptance of what a person asked to its answer.',
      REQUEST_SECONDS,
      'platform',
    ),
    deliveries: counter('deliveries_total', 'Items given, by how the file was made.', 'step'),
    deliveredBytes: counter('delivered_bytes_total', 'Bytes of the files given.', 'step'),
    lookups: counter('cache_lookups_total', 'Whether a cache had what was asked for.', 'cache', 'from'),
    refusals: counter('refusals_total', 'Requests refused by a limit.', 'limit'),
    streamEnds: counter('stream_ends_total', 'Streams that were ended by a limit.', 'reason'),
  };
}

/** The gauges; each calls the function that `watch` set. A gauge that cannot be read shows nothing. */
function createReadings(registers: Registry[]): Partial<MetricReadings> {
  const readings: Partial<MetricReadings> = {};
  function gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void | Promise<void>): void {
    new Gauge({
      name: `medley_${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        this.reset();
        // A reading that fails is reported by /readyz and in the log; the other metrics must still be read.
        await Promise.resolve(read(this)).catch(() => undefined);
      },
    });
  }
  type Flags = Readonly<Record<string, boolean>> | undefined;
  const flags = (name: string, help: string, label: string, read: () => Flags | Promise<Flags>) =>
    gauge(name, help, [label], async own => {
      for (const [each, value] of Object.entries((await read()) ?? {})) own.set({ [label]: each }, value ? 1 : 0);
    });
  flags('platform_connected', 'Whether a chat platform is connected.', 'platform', () => readings.platforms?.());
  flags('check_passed', 'Whether a readiness check passes.', 'check', () => readings.checks?.());
  gauge('queue_requests', 'What people asked that waits or runs.', ['state'], async own => {
    const { depth = {} } = (await readings.queue?.()) ?? {};
    for (const [state, count] of Object.entries(depth)) own.set({ state }, count);
  });
  gauge('queue_oldest_seconds', 'How long the request that waits longest has waited.', [], async own => {
    const reading = await readings.queue?.();
    if (reading !== undefined) own.set(reading.oldestMs / 1000);
  });
  gauge('streams', 'Files that flow to strangers.', [], own => {
    const count = readings.streams?.();
    if (count !== undefined) own.set(count);
  });
  const refuses = 'Whether a site refuses us, so that it is asked once in 5 s.';
  flags('site_refuses', refuses, 'source', () => readings.refusingSites?.());
  gauge('strategy_broken', '1 for each strategy that the canary found broken.', ['source', 'strategy'], own => {
    for (const labels of readings.brokenStrategies?.() ?? []) own.set({ ...labels }, 1);
  });
  return readings;
}
