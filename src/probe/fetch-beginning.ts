import { AppError } from '../errors.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import { hostsBelow } from '../infra/http/transport/host-list.ts';
import { planDelivery } from '../media/delivery/delivery-plan.ts';
import { createCdnHeaders, fileType, looksLikeDocument } from '../media/files/cdn.ts';
import type { Post, Variant } from '../media/post.ts';
import { sourceDescriptors } from '../media/sources/index.ts';

const BUDGET_MS = 6_000;
const WISH = { form: 'original', maxBytes: Number.POSITIVE_INFINITY, refused: [] } as const;
const HOSTS = hostsBelow(sourceDescriptors.flatMap(({ cdnHosts }) => cdnHosts));
const cdnHeaders = createCdnHeaders(sourceDescriptors);

/**
 * Fetches the first kilobyte of what a chat without limits would get of a post's first item: one file, or both of its tracks.
 * @throws AppError where it is not to be had
 */
export async function fetchBeginning(
  http: Pick<HttpClient, 'stream'>,
  { source, items: [item] }: Pick<Post, 'source' | 'items'>,
  signal: AbortSignal,
): Promise<void> {
  const [step] = item === undefined ? [] : planDelivery(item, WISH, { transcode: false });
  if (step === undefined) throw new AppError('upstream_changed', 'none of its files can be sent');
  const late = AbortSignal.timeout(BUDGET_MS);
  const either = AbortSignal.any([signal, late]);
  try {
    await Promise.all(step.parts.map(({ variant }) => fetchFile(http, variant, source, either)));
  } catch (error) {
    throw late.aborted ? new AppError('timeout', `the CDN needs more than ${BUDGET_MS} ms`, { cause: error }) : error;
  }
}

async function fetchFile(
  http: Pick<HttpClient, 'stream'>,
  { url, mime }: Variant,
  source: Post['source'],
  signal: AbortSignal,
): Promise<void> {
  const headers = { ...cdnHeaders(source, mime), range: 'bytes=0-1023' };
  const { body, ...head } = await http.stream({ url, hosts: HOSTS, headers, signal, timeoutMs: BUDGET_MS });
  try {
    const type = head.headers['content-type'];
    if (head.status === 429) throw new AppError('upstream_rate_limited', 'the CDN answers 429');
    if (head.status !== 200 && head.status !== 206) throw missing(`${head.status}`);
    if (fileType(type, mime) === undefined) throw missing(`${type} in place of ${mime}`);
    // Who ignores the range sends all of it: the rest is not read.
    for await (const beginning of body) {
      if (looksLikeDocument(beginning)) throw missing('a document under the name of a file');
      return;
    }
    throw missing('an empty file');
  } finally {
    body.destroy();
  }
}

function missing(what: string): AppError {
  return new AppError('upstream_unavailable', `the CDN answers ${what}`);
}
