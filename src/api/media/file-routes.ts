import { createReadStream } from 'node:fs';
import { finished } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { joinSignals } from '../../infra/concurrency/abortable.ts';
import { clientKey } from '../../infra/server/client-address.ts';
import type { ResponseStreams } from '../../infra/server/response-streams.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { Extraction, Extractor } from '../../media/extract/extractor.ts';
import { type Clip, MAX_CLIP_MS, parseMoment } from '../../media/files/clip.ts';
import { indexAt, type MediaItem } from '../../media/post.ts';
import { errorResponses } from '../reference/document.ts';
import { linkQuery } from './post-schema.ts';
import { formatDuration } from './post-shapes.ts';
import { contentDisposition, SAFETY_HEADERS } from './tunnel-routes.ts';

export interface FileRoutesOptions {
  readonly extractor: Pick<Extractor, 'extract'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  /** Limits how many files are streamed at once, in total and to each client. */
  readonly streams: Pick<ResponseStreams, 'enter'>;
  /** The link of a post with a video, as an example that works on this server. */
  readonly example: string;
}

/** The largest video from which a file is made. */
const MAX_BYTES = 256 * 1024 * 1024;
/** How long a file may take, with its post. The server closes a connection on which nothing was sent for 120 seconds. */
const DEADLINE_MS = 110_000;
const FRESH_S = 300;

const MOMENT_FORM = 'a time such as 5, 0:05 or 1:02:03.5';

/** The allowed forms of the parameters, for the error about a parameter that cannot be read. */
const FORMS: Readonly<Record<string, string>> = {
  url: 'the link of a public post, percent-encoded and sent once',
  item: 'a whole number from 1 to 100',
  from: MOMENT_FORM,
  to: MOMENT_FORM,
};

/** An empty value counts as absent: the reference's form sends one when its script does not run. */
const item = z
  .preprocess(value => (value === '' ? undefined : value), z.coerce.number().int().min(1).max(100).optional())
  .optional()
  .meta({
    description: 'Which item of a carousel, from 1. Default: the one that the link names, else the first that fits.',
  });

function moment(description: string, example: string) {
  return z
    .string()
    .max(12)
    .refine(text => parseMoment(text) !== undefined)
    .meta({ description: `${description}: seconds, \`m:ss\` or \`h:mm:ss\`, with up to three decimals.`, example });
}

/** An endpoint's entry in the reference, and its error for a parameter that cannot be read. */
function describe(
  name: string,
  mimes: readonly string[],
  querystring: z.ZodType,
  texts: { readonly summary: string; readonly description: string },
) {
  const content = Object.fromEntries(mimes.map(mime => [mime, { schema: z.string().meta({ format: 'binary' }) }]));
  const response = { 200: { description: 'The file.', content }, ...errorResponses };
  return {
    schema: { tags: ['Media'], operationId: name, ...texts, querystring, response },
    schemaErrorFormatter: ([first]: readonly { readonly instancePath: string }[]) => {
      const parameter = first?.instancePath.slice(1) ?? '';
      const send = `The parameter "${parameter}" must be ${FORMS[parameter]}. /docs shows what /api/${name} takes.`;
      return new AppError('invalid_request', 'unreadable parameters', { params: { what: 'parameter', send } });
    },
  };
}

/** `/audio` and `/clip`, to be registered under `/api`: they answer with a file made from a post's video. */
export function fileRoutes(options: FileRoutesOptions): FastifyPluginAsync {
  const { extractor, delivery, streams, example } = options;
  const audioQuery = linkQuery(example).extend({ item });
  const clipQuery = audioQuery.extend({
    from: moment('Where the part begins', '0:01'),
    to: moment('Where it ends, at most five minutes later', '0:03'),
  });

  return async server => {
    server.get<{ Querystring: z.output<typeof audioQuery> }>(
      '/audio',
      describe('audio', ['audio/mpeg', 'audio/mp4'], audioQuery, {
        summary: 'The audio of a video',
        description:
          'The audio of a video or of a post with music, as a file: an MP3 that states title and author where this server has ffmpeg with an encoder for it, else an M4A. What is MP3 already is not encoded again.',
      }),
      (request, reply) => send(request, reply, request.query, 'audio'),
    );
    server.get<{ Querystring: z.output<typeof clipQuery> }>(
      '/clip',
      describe('clip', ['video/mp4'], clipQuery, {
        summary: 'A part of a video',
        description:
          'A part of a video, as an MP4. Where this server has no ffmpeg it begins at the key frame before the moment that was asked for.',
      }),
      (request, reply) => send(request, reply, request.query, 'original', clipOf(request.query)),
    );
  };

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.output<typeof audioQuery>,
    form: 'audio' | 'original',
    part?: Clip,
  ): Promise<FastifyReply> {
    const stream = streams.enter(clientKey(request.ip), reply.raw);
    const inTime = joinSignals([request.signal], DEADLINE_MS);
    const made = await makeFile(query, form, part, inTime.signal).finally(inTime.release);
    // `finished` calls back even when the client has disconnected, so the file is always deleted.
    finished(reply.raw, () => void made.dispose());
    stream.watch();
    return reply
      .headers(SAFETY_HEADERS)
      .type(made.mime)
      .header('content-length', made.bytes)
      .header('content-disposition', contentDisposition('attachment', made.fileName))
      .header('cache-control', `private, max-age=${FRESH_S}`)
      .send(createReadStream(made.path));
  }

  /** The file, which the caller has to dispose. @throws AppError when there is none, the signal's reason when it aborts */
  async function makeFile(
    query: z.output<typeof audioQuery>,
    form: 'audio' | 'original',
    part: Clip | undefined,
    signal: AbortSignal,
  ) {
    const found = await extractor.extract(query.url, { signal, readable: true });
    const index = indexOf(found, query.item, form === 'audio');
    const { post } = found;
    const durationMs = post.items[index]?.durationMs ?? null;
    if (part !== undefined && durationMs !== null && part.startMs >= durationMs) {
      throw impossiblePart(`"from" must be before the end of the video, which is ${formatDuration(durationMs)} long.`);
    }
    const wanted = { post, index, form, maxBytes: MAX_BYTES, ...(part && { clip: part }) };
    const made = await delivery.deliver(wanted, signal);
    if (made.kind === 'link') {
      const { reason } = made;
      throw new AppError(reason === 'stream' ? 'upstream_unavailable' : reason, `no file: ${reason}`);
    }
    return made;
  }
}

function isHeard({ kind, variants }: MediaItem): boolean {
  return kind === 'audio' || (kind === 'video' && variants.some(({ hasAudio }) => hasAudio !== false));
}

/** @throws AppError `not_found` */
function indexOf({ post, itemIndex }: Extraction, asked: number | undefined, isAudio: boolean): number {
  const fits = isAudio ? isHeard : ({ kind }: MediaItem) => kind === 'video';
  const place = asked === undefined ? itemIndex : asked - 1;
  const index = place === null ? post.items.findIndex(fits) : (indexAt(post, place) ?? -1);
  const chosen = post.items[index];
  if (chosen === undefined || !fits(chosen)) {
    const params = { what: isAudio ? 'audio' : 'video', ...(place !== null && { item: place + 1 }) };
    throw new AppError('not_found', 'the post has no such file', { params });
  }
  return index;
}

/** @throws AppError `invalid_request` */
function clipOf({ from, to }: { readonly from: string; readonly to: string }): Clip {
  const [startMs = 0, endMs = 0] = [parseMoment(from), parseMoment(to)];
  if (endMs > startMs && endMs - startMs <= MAX_CLIP_MS) return { startMs, endMs };
  throw impossiblePart('"to" must be later than "from", by five minutes at most. Example: from=0:05&to=0:20');
}

function impossiblePart(send: string): AppError {
  return new AppError('invalid_request', 'an impossible part', { params: { what: 'parameter', send } });
}
