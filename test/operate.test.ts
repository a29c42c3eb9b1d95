import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMetrics } from '../src/infra/metrics.ts';
import { createAddressList } from '../src/infra/server/client-address.ts';
import { AS_STARTED } from './bench/child.ts';

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

describe.each(['../../Dockerfile', '../../package.json', 'medley.service'])('%s', name => {
  it('starts Medley with the settings of memory with which the bench measures it', () => {
    const settings = Object.entries(AS_STARTED.env).map(([key, value]) => `${key}=${value}`);
    const flag = AS_STARTED.args.filter(arg => arg.startsWith('--max-semi-space-size='));
    expect(flag).toHaveLength(1);
    const words = read(name).split(/Environment=|[\s",]+/);
    expect([...settings, ...flag].filter(each => !words.includes(each))).toEqual([]);
  });
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

describe('compose.yaml', () => {
  const compose = readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8');
  /** By name, each with its text. */
  const services = (/^services:\n([\s\S]*?)^\w/m.exec(compose)?.[1] ?? '')
    .split(/^ {2}(?=[\w-]+:$)/m)
    .filter(each => each !== '');

  it('brings everything back after a reboot, and keeps logs within a bound', () => {
    expect(services).toHaveLength(7);
    const shared = /^x-medley: [\s\S]*?\n\n/m.exec(compose)?.[0] ?? '';
    for (const service of services) {
      const text = /<<: \*(medley|split)$/m.test(service) ? `${shared}${service}` : service;
      expect([...text.matchAll(/restart: (\S+)/g)].map(([, policy]) => policy)).toEqual(['unless-stopped']);
      expect(text).toContain('logging: *logging');
    }
    expect(compose).toMatch(/options: \{ max-size: \d+m, max-file: "\d+" \}/);
  });

  it('counts a visitor behind a proxy on the machine by their own address', () => {
    const [, trusted = ''] = /TRUST_PROXY: \$\{TRUST_PROXY:-(\S+)\}/.exec(compose) ?? [];
    const proxies = createAddressList(trusted.split(','));
    for (const gateway of ['172.17.0.1', '172.31.0.1', '192.168.176.1', '10.0.0.1', 'fd00::1'])
      expect(proxies.has(gateway)).toBe(true);
    for (const visitor of ['203.0.113.7', '172.32.0.1', '2001:db8::1']) expect(proxies.has(visitor)).toBe(false);
  });

  it('gives a stop as long as the systemd unit does, and longer than it takes', () => {
    const [, grace] = /stop_grace_period: (\d+)s/.exec(compose) ?? [];
    const [, timeout] = /TimeoutStopSec=(\d+)/.exec(read('medley.service')) ?? [];
    expect(grace).toBe(timeout);
    expect(Number(grace)).toBeGreaterThan(10);
  });
});

it('the systemd unit sets nothing that its file of variables, a copy of .env.example, sets otherwise', () => {
  const example = parseEnv(readFileSync(new URL('../.env.example', import.meta.url), 'utf8'));
  const unit = read('medley.service');
  const set = [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  expect(set.map(pair => pair.split('=')[0]).filter(name => name !== undefined && name in example)).toEqual([]);
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env DATA_DIR=\/var\/lib\/medley /m);
});

it('nginx.conf loads before nginx 1.25.1', () => {
  expect(read('nginx.conf')).not.toMatch(/^\s*http2 on/m);
});

it('the proxies are told the same name and port as Medley has by default', () => {
  for (const name of ['Caddyfile', 'nginx.conf']) {
    expect(read(name)).toContain('127.0.0.1:3000');
    expect(read(name)).toContain('TRUST_PROXY=loopback');
  }
});
