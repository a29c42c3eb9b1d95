import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { AppError } from '../../errors.ts';
import type { Extraction, Extractor } from '../../media/extract/extractor.ts';
import { type Post, postSchema } from '../../media/post.ts';
import { type Answer, createAnswer, sendAnswer } from '../answer.ts';
import { errorResponses } from '../reference/document.ts';
import { FB_EXAMPLE, IG_EXAMPLE, POST_EXAMPLE } from '../reference/examples.ts';
import { fbDownloadAnswer, igDownloadAnswer, linkQuery, MAX_LINK_CHARS } from './post-schema.ts';
import { toFbDownload, toIgDownload } from './post-shapes.ts';

export interface MediaRoutesOptions {
  readonly extractor: Pick<Extractor, 'extract'>;
  readonly creator: string;
  readonly now?: () => number;
}

interface Endpoint {
  readonly path: string;
  readonly only: Post['source'] | undefined;
  /** Whether an answer needs an item that could be read: of one without, the reason is told. */
  readonly readable: boolean;
  /** What to send, in words, and an example. */
  readonly takes: string;
  readonly example: string;
  /** @throws AppError when the post has nothing for this endpoint */
  readonly shape: (post: Post) => object;
}

const FRESH_S = 300;
/** An old answer that stood in for a failing upstream, or one with items missing: worth asking again soon. */
const STALE_S = 30;

const X_CACHE: Readonly<Record<Extraction['from'], string>> = { cache: 'HIT', load: 'MISS', stale: 'STALE' };

/** `/igdownload`, `/fbdownload` and `/post`, to be registered under `/api`. */
export function mediaRoutes({ extractor, creator, now = Date.now }: MediaRoutesOptions): FastifyPluginAsync {
  const instagram: Endpoint = {
    path: '/igdownload',
    only: 'instagram',
    readable: true,
    takes: 'the link of a public Instagram post or reel',
    example: 'https://www.instagram.com/reel/C1a2B3c4D5e/',
    shape: post => toIgDownload(post, creator),
  };
  const facebook: Endpoint = {
    path: '/fbdownload',
    only: 'facebook',
    readable: true,
    takes: 'the link of a public Facebook video or reel',
    example: 'https://www.facebook.com/reel/1234567890123456',
    shape: post => {
      const answer = toFbDownload(post, creator);
      if (answer === undefined) throw new AppError('not_found', 'no video in the post', { params: { what: 'video' } });
      return answer;
    },
  };
  const any: Endpoint = {
    path: '/post',
    only: undefined,
    readable: false,
    takes: 'the link of a public Instagram or Facebook post',
    example: 'https://www.instagram.com/p/C1a2B3c4D5e/',
    shape: post => post,
  };

  return async server => {
    const api = server.withTypeProvider<ZodTypeProvider>();
    const tags = ['Media'];
    api.get(
      instagram.path,
      {
        schema: {
          tags,
          operationId: 'igdownload',
          summary: 'An Instagram post and its files',
          description:
            'Author, caption, counts and the addresses of every video and image of a public post, reel or carousel. The addresses are the site’s own and expire after some days.',
          querystring: linkQuery(instagram.example),
          response: { 200: igDownloadAnswer.meta({ example: IG_EXAMPLE }), ...errorResponses },
        },
        schemaErrorFormatter: () => badLink(instagram),
      },
      createHandler(instagram),
    );
    api.get(
      facebook.path,
      {
        schema: {
          tags: [...tags, 'Developing'],
          operationId: 'fbdownload',
          summary: 'A Facebook video',
          description:
            'Title, duration and the addresses of a public video or reel in its best and its smallest quality.',
          querystring: linkQuery(facebook.example),
          response: { 200: fbDownloadAnswer.meta({ example: FB_EXAMPLE }), ...errorResponses },
        },
        schemaErrorFormatter: () => badLink(facebook),
      },
      createHandler(facebook),
    );
    api.get(
      any.path,
      {
        schema: {
          tags,
          operationId: 'post',
          summary: 'Everything known about a post',
          description: 'Any supported link of either site: all items, and of each item every file the site offers.',
          querystring: linkQuery(any.example),
          response: { 200: postSchema.meta({ example: POST_EXAMPLE }), ...errorResponses },
        },
        schemaErrorFormatter: () => badLink(any),
      },
      createHandler(any),
    );
  };

  function createHandler(endpoint: Endpoint) {
    // A cached post is the same object every time: its answer is written once.
    const answers = new WeakMap<Post, Answer>();
    return async (request: FastifyRequest<{ Querystring: { url: string } }>, reply: FastifyReply) => {
      const { post, from } = await extract(endpoint, request.query.url, request.signal);
      let answer = answers.get(post);
      if (answer === undefined) {
        answer = createAnswer(endpoint.shape(post));
        answers.set(post, answer);
      }
      reply.header('x-cache', X_CACHE[from]);
      return sendAnswer(request, reply, answer, maxAge(post, from));
    };
  }

  async function extract(endpoint: Endpoint, link: string, signal: AbortSignal): Promise<Extraction> {
    try {
      const { only, readable } = endpoint;
      return await extractor.extract(link, { signal, readable, ...(only === undefined ? {} : { only }) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'invalid_request') throw badLink(endpoint, error);
      if (error.code === 'unsupported_link') {
        throw new AppError(error.code, error.message, {
          params: { ...error.params, supported: endpoint.takes },
          cause: error,
        });
      }
      throw error;
    }
  }

  /** Seconds; never longer than the addresses in the answer live. */
  function maxAge(post: Post, from: Extraction['from']): number {
    const life = from === 'stale' || post.missingItems > 0 ? STALE_S : FRESH_S;
    if (post.expiresAt === null) return life;
    return Math.max(0, Math.min(life, Math.floor((post.expiresAt - now()) / 1000)));
  }
}

function badLink({ path, takes, example }: Endpoint, cause?: AppError): AppError {
  const send = `Send the parameter "url" once, with ${takes}, percent-encoded and at most ${MAX_LINK_CHARS} characters long. Example: /api${path}?url=${encodeURIComponent(example)}`;
  return new AppError('invalid_request', 'no readable link in "url"', { params: { what: 'parameter', send }, cause });
}
