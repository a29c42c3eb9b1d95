import { hostsBelow } from '../../infra/http/host-list.ts';
import type { ThrottledSite } from '../../infra/http/host-throttle.ts';
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../../infra/http/outgoing.ts';
import type { SourceDescriptor } from './source-descriptor.ts';

type Site = Pick<SourceDescriptor, 'id' | 'hosts' | 'cdnHosts'>;

/** The outgoing addresses that requests to the sites and their CDNs use. */
export function createSiteOutgoing(
  sites: readonly Site[],
  proxies: NonNullable<OutgoingOptions['proxies']>,
  localAddress: string | undefined,
): Outgoing {
  return createOutgoing({
    proxies,
    localAddress,
    sources: sites.map(({ id, hosts, cdnHosts }) => ({ id, hosts: hostsBelow([...hosts, ...cdnHosts]) })),
  });
}

const AT_ONCE = 16;

/**
 * Makes a throttle for each site, which allows about as many requests as a person with several tabs makes.
 * @param perSecond how many requests a second one site gets
 */
export function siteThrottles(sites: readonly Site[], perSecond: number): readonly ThrottledSite[] {
  return sites.map(({ id, hosts }) => ({
    id,
    hosts: hostsBelow(hosts),
    rule: { perSecond, burst: 2 * perSecond, atOnce: AT_ONCE },
  }));
}
