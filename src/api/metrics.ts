import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface UpstreamRequest {
  readonly host: string;
  readonly status: number | undefined;
  readonly failure: { readonly code: string } | undefined;
  readonly durationMs: number;
}

/** What `/metrics` shows, and the hooks by which the modules report it. */
export interface Metrics {
  /** Measures every request of `app` from now on, by route pattern. */
  observe(app: FastifyInstance): void;
  /** How one way of asking a source ended, `ok` or an error code, and how long it took where that is known. */
  countStrategy(source: string, strategy: string, outcome: string, durationMs?: number): void;
  /** One request that we made. */
  countUpstream(request: UpstreamRequest): void;
  readonly contentType: string;
  /** Prometheus' text format. */
  text(): Promise<string>;
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** Few, as there is a set of them for each strategy. */
const STRATEGY_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 20];

/** A registry of its own: several servers in one process do not meet. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'medley_http_request_duration_seconds',
    help: 'Answered requests by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const strategies = new Counter({
    name: 'medley_strategy_outcomes_total',
    help: 'How each way of asking a source ended.',
    labelNames: ['source', 'strategy', 'outcome'],
    registers,
  });
  const strategySeconds = new Histogram({
    name: 'medley_strategy_duration_seconds',
    help: 'How long each way of asking a source took.',
    labelNames: ['source', 'strategy', 'result'],
    buckets: STRATEGY_SECONDS,
    registers,
  });
  const upstream = new Histogram({
    name: 'medley_upstream_request_duration_seconds',
    help: 'Requests to upstream sites by their domain.',
    labelNames: ['domain', 'outcome'],
    buckets: SECONDS,
    registers,
  });

  return {
    observe(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'unknown';
        requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
        done();
      });
    },
    countStrategy(source, strategy, outcome, durationMs) {
      strategies.inc({ source, strategy, outcome });
      if (durationMs === undefined) return;
      const result = outcome === 'ok' ? 'ok' : 'failed';
      strategySeconds.observe({ source, strategy, result }, durationMs / 1000);
    },
    countUpstream({ host, status, failure, durationMs }) {
      const outcome = failure === undefined ? String(status ?? 'none') : failure.code;
      upstream.observe({ domain: domainOf(host), outcome }, durationMs / 1000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** A CDN has hundreds of hosts; its last two labels are enough. */
function domainOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}
