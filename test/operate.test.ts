import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMetrics } from '../src/infra/metrics.ts';

const read = (name: string) => readFileSync(new URL(`../docs/operate/${name}`, import.meta.url), 'utf8');

/** The series that Prometheus has of what is registered: counters and gauges by name, histograms by their three. */
async function seriesOf(): Promise<ReadonlySet<string>> {
  const text = await createMetrics().text();
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

function metricsIn(text: string): readonly string[] {
  return [...new Set(text.match(/\b(?:medley|nodejs|process)_[a-z0-9_]+/g) ?? [])].sort();
}

const dashboard = z.object({
  panels: z.array(z.object({ id: z.number(), title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

describe.each(['grafana-dashboard.json', 'alerts.yml'])('%s', name => {
  it('names nothing but metrics that there are', async () => {
    const series = await seriesOf();
    const named = metricsIn(read(name));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter(metric => !series.has(metric))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('shows every metric of Medley', async () => {
    const text = read('grafana-dashboard.json');
    const own = [...(await seriesOf())].filter(
      name => name.startsWith('medley_') && !/_(bucket|sum|count)$/.test(name),
    );
    expect(own.filter(name => !text.includes(name))).toEqual([]);
  });

  it('has panels of their own id that ask something', () => {
    const { panels } = dashboard.parse(JSON.parse(read('grafana-dashboard.json')));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, targets } of panels) expect(targets.length, title).toBeGreaterThan(0);
  });
});

it('the proxies are told the same name and port as Medley has by default', () => {
  for (const name of ['Caddyfile', 'nginx.conf']) {
    expect(read(name)).toContain('127.0.0.1:3000');
    expect(read(name)).toContain('TRUST_PROXY=loopback');
  }
});
