/** The shape of a site that the sandbox plays from one folder. */
import type { MediaAddresses } from './address.ts';
import type { Answer, Ask } from './answer.ts';
import type { MediaFile } from './media.ts';

export type NewSite = 'threads' | 'x' | 'bluesky' | 'tiktok' | 'pinterest' | 'reddit';
/** `SITE.ENDPOINT`; a fault can be set for each. */
export type SiteEndpoint = `${NewSite}.${string}`;

export interface DemoLink {
  readonly url: string;
  readonly about: string;
  /** What comes back: media, or the calm sentence for a failure. */
  readonly shows: 'media' | 'notice';
}

export interface SiteStage {
  /** Of Meta's CDN, where it is played. */
  readonly addresses: MediaAddresses;
  readonly files: ReadonlyMap<string, MediaFile>;
  /** As if the post that is asked for did not exist. */
  readonly isNull: boolean;
  readonly now: () => number;
}

export interface SandboxSite {
  /** The hosts it is asked at, its CDN's among them: exact, or `*.suffix`. */
  readonly hosts: readonly string[];
  readonly endpoints: readonly SiteEndpoint[];
  /** One line about each link of it that the demo shows. */
  readonly links: readonly DemoLink[];
  /** Undefined for what is not played; it is answered 404. */
  endpointOf(ask: Ask): SiteEndpoint | undefined;
  /** As the site answers, or refuses this caller. */
  answer(endpoint: SiteEndpoint, ask: Ask, stage: SiteStage): Answer | Promise<Answer>;
}
