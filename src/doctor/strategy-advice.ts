import { cookiesVariable } from '../media/extract/source-descriptor.ts';
import { type Finding, note, ok, wrong } from '../platforms/platform.ts';
import type { ProbeReport, SourceReport } from '../probe/ask-sites.ts';

/** The settings of this machine on which the advice depends. */
export interface Setup {
  readonly hasBrowserTransport: boolean;
  readonly hasProxy: boolean;
  /** True when the environment variable is set; undefined when Medley has no variable of this name. */
  isSet(variable: string): boolean | undefined;
}

/** For each outcome: a sentence about the strategies that ended so, and what the operator can do about it. */
const TROUBLES = [
  [
    'no_file',
    'name files that cannot be had',
    'The CDN may refuse this address: look whether a browser here plays them.',
  ],
  ['no_video', 'bring an image in place of the video', 'Look for a newer release.'],
  ['slow', 'take too long', 'Check the network and UPSTREAM_PROXY.'],
] as const;

function names(reports: readonly { readonly strategy: string }[]): string {
  return [...new Set(reports.map(report => report.strategy))].join(', ');
}

function isJudged({ verdict }: ProbeReport): boolean {
  return verdict !== 'skipped';
}

function isBrought({ outcome }: ProbeReport): boolean {
  return outcome === 'ok' || outcome === 'slow';
}

/** The numbers (from 1) of the links for which no strategy returned the whole post. */
function missed({ links, reports }: SourceReport): readonly number[] {
  const brought = new Set(reports.filter(isBrought).map(report => report.link));
  return links.map((_, index) => index + 1).filter(link => !brought.has(link));
}

function summary(report: SourceReport): Finding {
  const { source, links, reports: asked } = report;
  const gone = missed(report);
  if (!asked.some(isJudged)) {
    const remedy = 'The site wants a pause, or the network is away. Try again later.';
    return note(`${source}: nothing could be judged`, remedy);
  }
  const working = asked.filter(isBrought);
  if (working.length === 0) {
    const remedy = 'No link of this site can be answered from here at the moment. What may help is below.';
    return wrong(`${source}: no strategy brings anything here`, remedy);
  }
  const brought = links.length - gone.length;
  const many = brought === 1 ? '1 link' : `${brought} links`;
  const what = `${source}: ${many} of ${links.length} arrive, by ${names(working)}`;
  return gone.length === 0 ? ok(what) : note(what);
}

/** Advises the operator on settings that would help, judging by the results of the strategies. */
export function adviseOn(report: SourceReport, setup: Setup): readonly Finding[] {
  const { source, links, reports: asked, unjudged } = report;
  if (links.length === 0 || asked.length === 0) return [];
  const findings: Finding[] = [summary(report)];
  const add = (what: string, remedy: string, findingOf = note) =>
    findings.push(findingOf(`${source}: ${what}`, remedy));
  const those = (...outcomes: readonly string[]) => asked.filter(({ outcome }) => outcomes.includes(outcome));

  if (unjudged.browser.length > 0)
    add('no browser transport', `npm install wreq-js: ${unjudged.browser.join(', ')} could then be asked.`);
  const walled = those('login_required', 'upstream_rate_limited');
  if (walled.length > 0 && missed(report).length > 0) {
    const cookies = cookiesVariable({ id: source });
    const proxy = 'UPSTREAM_PROXY: set a proxy whose address the site does not know as a data centre.';
    if (!setup.hasProxy) add(`${names(walled)} met a login wall or a limit`, proxy);
    const account = `${cookies}: the cookies of an account of your own would bring them; docs/operate/configuration.md says what that risks.`;
    if (setup.isSet(cookies) === false) add('posts behind the login and stories are out of reach', account);
  }
  const app = `${source.toUpperCase()}_CLIENT_ID`;
  const remedy = `${app}: by the id of an app of your own the official API brings its posts; docs/operate/configuration.md says how to get one.`;
  if (walled.length > 0 && setup.isSet(app) === false) add(`refuses visitors (${names(walled)})`, remedy);
  const changed = those('upstream_changed');
  const keys = [...new Set(changed.map(({ strategy }) => `${source}.${strategy}.*`))].join(', ');
  const constants = `UPSTREAM_CONSTANTS: ids or callers may be out of date (${keys}). Look for a newer release; npm run live saves the answers for a report.`;
  if (changed.length > 0) add(`${names(changed)} got an answer that cannot be read`, constants);
  for (const [outcome, trouble, remedy] of TROUBLES)
    if (those(outcome).length > 0) add(`${names(those(outcome))} ${trouble}`, remedy);
  if (those('upstream_unavailable', 'timeout').length === asked.length)
    add('nothing answers', 'Check the network, DNS and UPSTREAM_PROXY.', asked.some(isJudged) ? wrong : note);
  return findings;
}
