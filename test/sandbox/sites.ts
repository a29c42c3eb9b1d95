/** The sites that the sandbox plays each from one folder: adding one is its folder and a line in this list. */
import { blueskySite } from './bluesky/site.ts';
import { pinterestSite } from './pinterest/site.ts';
import { redditSite } from './reddit/site.ts';
import type { SandboxSite, SiteEndpoint } from './site.ts';
import { threadsSite } from './threads/site.ts';
import { tiktokSite } from './tiktok/site.ts';
import { xSite } from './x/site.ts';

export const SITES: readonly SandboxSite[] = [threadsSite, tiktokSite, xSite, blueskySite, pinterestSite, redditSite];

export function siteOfHost(host: string): SandboxSite | undefined {
  const fits = (pattern: string) => pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
  return SITES.find(({ hosts }) => hosts.some(fits));
}

export function isSiteEndpoint(endpoint: string): endpoint is SiteEndpoint {
  return SITES.some(({ endpoints }) => endpoints.some(one => one === endpoint));
}
