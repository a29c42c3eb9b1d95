/** Checks that the sites can be reached by both transports: Node's own and the emulated browser. */
import { AppError } from '../errors.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import type { SourceDescriptor } from '../media/extract/source-descriptor.ts';
import { type Finding, note, ok, wrong } from '../platforms/platform.ts';
import type { SourceReport } from '../probe/ask-sites.ts';

async function checkSite(host: string, http: HttpClient): Promise<Finding> {
  try {
    const { status } = await http.request({ url: `https://${host}/`, hosts: [host], maxRedirects: 0, retries: 0 });
    if (status === 429) return note(`${host} asks this address to slow down`, 'Wait, or set UPSTREAM_PROXY.');
    if (status < 500) return ok(`${host} answers (${status})`);
    return note(`${host} answers ${status}`, 'The site has trouble of its own. Try again later.');
  } catch (error) {
    const reason = error instanceof AppError ? error.message : String(error);
    return wrong(`${host} does not answer: ${reason}`, 'Check the network, DNS and UPSTREAM_PROXY.');
  }
}

function checkBrowserTransport(http: HttpClient): Finding {
  if (http.hasBrowserTransport) return ok('browser transport (wreq-js)');
  return note(
    'browser transport: not installed',
    "npm install wreq-js: some ways of asking the sites are open to a browser's TLS alone.",
  );
}

export async function checkSites(
  sites: readonly Pick<SourceDescriptor, 'hosts'>[],
  http: HttpClient,
): Promise<readonly Finding[]> {
  return [checkBrowserTransport(http), ...(await Promise.all(sites.map(({ hosts: [main] }) => checkSite(main, http))))];
}

const HEADS = ['strategy', 'link', 'outcome', 'time', 'what came back'] as const;

const REASONS = [
  ['browser', 'not asked, for want of the browser transport'],
  ['account', 'not asked, for want of the cookies of an account'],
  ['time', 'not asked, for want of time'],
  ['pause', 'not judged, as the site wants a pause or the network is away'],
  ['other', 'not for these links, or not set up'],
] as const;

/** The results of all strategies of a source, as lines of a text table. */
export function renderStrategyTable({ source, links, reports, unjudged }: SourceReport): readonly string[] {
  if (links.length === 0) return [`${source}: none of the links is one of its posts`];
  const order = [...new Set(reports.map(report => report.strategy))];
  const rows = [...reports]
    .sort((a, b) => order.indexOf(a.strategy) - order.indexOf(b.strategy) || a.link - b.link)
    .map(({ strategy, link, outcome, durationMs, detail }) => {
      const time = durationMs === null ? '' : `${(durationMs / 1000).toFixed(2)} s`;
      return [strategy, String(link), outcome, time, detail];
    });
  const widths = HEADS.map((head, column) => Math.max(head.length, ...rows.map(row => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`;
  return [
    source,
    ...links.map((link, index) => `  ${index + 1}  ${link}`),
    '',
    ...[HEADS, ...rows].map(row => line(row).trimEnd()),
    ...REASONS.filter(([key]) => unjudged[key].length > 0).map(
      ([key, reason]) => `  ${reason}: ${unjudged[key].join(', ')}`,
    ),
  ];
}
