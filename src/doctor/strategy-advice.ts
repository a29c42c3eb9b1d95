import { cookiesVariable } from '../media/extract/source-descriptor.ts';
import type { Finding } from '../platforms/platform.ts';
import type { SourceReport } from './ask-strategies.ts';

/** What is set up here. */
export interface Setup {
  readonly hasBrowserTransport: boolean;
  readonly hasProxy: boolean;
  /** Whether a variable that the configuration knows is set; undefined when it knows none of this name. */
  isSet(variable: string): boolean | undefined;
}

const WALLS: ReadonlySet<string> = new Set(['login_required', 'upstream_rate_limited']);
const SILENCE: ReadonlySet<string> = new Set(['upstream_unavailable', 'timeout']);

function names(reports: readonly { readonly strategy: string }[]): string {
  return [...new Set(reports.map(report => report.strategy))].join(', ');
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}

/** Links that no strategy brought whole. */
function missed({ links, reports }: SourceReport): readonly number[] {
  const brought = new Set(reports.filter(report => report.outcome === 'ok').map(report => report.link));
  return links.map((_, index) => index + 1).filter(link => !brought.has(link));
}

function summary(report: SourceReport): Finding {
  const { source, links, reports: asked } = report;
  const gone = missed(report);
  const working = asked.filter(({ outcome }) => outcome === 'ok');
  if (working.length === 0) {
    const remedy = 'No link of this site can be answered from here at the moment. What may help is below.';
    return { state: 'wrong', what: `${source}: no strategy brings anything here`, remedy };
  }
  const what = `${source}: ${count(links.length - gone.length, 'link')} of ${links.length} arrive, by ${names(working)}`;
  return { state: gone.length === 0 ? 'ok' : 'note', what };
}

/** What the answers say about the settings: which would help, and how. */
export function adviseOn(report: SourceReport, setup: Setup): readonly Finding[] {
  const { source, links, reports: asked, unasked } = report;
  if (links.length === 0 || asked.length === 0) return [];
  const findings: Finding[] = [summary(report)];
  const isMissing = missed(report).length > 0;

  if (unasked.browser.length > 0) {
    const remedy = `npm install wreq-js: ${unasked.browser.join(', ')} could then be asked.`;
    findings.push({ state: 'note', what: `${source}: no browser transport`, remedy });
  }
  const walled = asked.filter(({ outcome }) => WALLS.has(outcome));
  if (isMissing && walled.length > 0 && !setup.hasProxy) {
    const what = `${source}: ${names(walled)} met a login wall or a limit`;
    const remedy = 'UPSTREAM_PROXY: set a proxy whose address the site does not know as a data centre.';
    findings.push({ state: 'note', what, remedy });
  }
  const cookies = cookiesVariable({ id: source });
  if (isMissing && walled.length > 0 && setup.isSet(cookies) === false) {
    const what = `${source}: posts behind the login and stories are out of reach`;
    const remedy = `${cookies}: the cookies of an account of your own would bring them; README says what that risks.`;
    findings.push({ state: 'note', what, remedy });
  }
  const changed = asked.filter(({ outcome }) => outcome === 'upstream_changed');
  if (changed.length > 0) {
    const keys = [...new Set(changed.map(({ strategy }) => `${source}.${strategy}.*`))].join(', ');
    const what = `${source}: ${names(changed)} got an answer that cannot be read`;
    const remedy = `UPSTREAM_CONSTANTS: ids or callers may be out of date (${keys}). Look for a newer release; npm run live saves the answers for a report.`;
    findings.push({ state: 'note', what, remedy });
  }
  if (asked.every(({ outcome }) => SILENCE.has(outcome))) {
    const remedy = 'Check the network, DNS and UPSTREAM_PROXY.';
    findings.push({ state: 'wrong', what: `${source}: nothing answers`, remedy });
  }
  return findings;
}
