import type { HttpHead, HttpResponse } from '../../infra/http/http-client.ts';
import { Body } from './body.ts';

/** The parts of a site's answer that say something of a post. */
export interface SiteAnswer extends HttpHead {
  readonly body: Body;
}

/** The same as it goes to a thread. */
export type PackedAnswer = HttpHead & Pick<HttpResponse, 'bytes'>;

export function siteAnswer({ status, headers, url, bytes }: PackedAnswer): SiteAnswer {
  return { status, headers, url, body: new Body(bytes) };
}
