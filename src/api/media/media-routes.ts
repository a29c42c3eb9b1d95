import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Extraction, Extractor } from '../../media/extract/extractor.ts';
import { MAX_ADDRESS_CHARS } from '../../media/extract/find-addresses.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import { type Post, postSchemaOf } from '../../media/post.ts';
import { playerTunnelFile } from '../../media/tunnel/player-file.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import { errorResponses } from '../reference/document.ts';
import { type Answer, askedOrigin, createAnswer, sendAnswer } from '../send-answer.ts';
import examples from './post-examples.json' with { type: 'json' };
import { fbDownloadAnswer, igDownloadAnswer, linkQuery } from './post-schema.ts';
import { type OwnAddress, toFbDownload, toIgDownload, toPublicPost } from './post-shapes.ts';

/** The facts about a site that the API shows. `example`: the link of a post that this server can fetch. */
export type ApiSource = Pick<SourceDescriptor, 'id' | 'name' | 'example'>;

export interface MediaRoutesOptions {
  readonly extractor: Pick<Extractor, 'extract' | 'sourceOf'>;
  /** All sites that are supported, the best known first. */
  readonly sources: readonly [ApiSource, ...ApiSource[]];
  readonly creator: string;
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** The public address of this server. Without it, addresses in answers begin with the origin of the request. */
  readonly publicUrl: string | undefined;
  readonly now?: () => number;
}

interface Endpoint {
  readonly path: string;
  readonly only: Post['source'] | undefined;
  /** True when a post without a single readable item is answered with the error that says why. */
  readonly readable: boolean;
  /** The link to send, in words, such as `the link of a public Facebook video or reel`. */
  readonly takes: string;
  readonly example: string;
  /**
   * Makes the answer's JSON. Addresses from `ownAddress` are valid until `expiresAt`.
   * @throws AppError when the post has nothing for this endpoint
   */
  readonly shape: (post: Post, ownAddress: OwnAddress, expiresAt: number) => object;
  /** The texts for the reference. */
  readonly about: { readonly tags: readonly string[]; readonly summary: string; readonly description: string };
  readonly answer: z.ZodType;
}

type LinkRequest = FastifyRequest<{ Querystring: { url: string } }>;

const FRESH_S = 300;
/** How long (in seconds) an incomplete answer may be cached, or an old one that is sent because the site failed. */
const STALE_S = 30;

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' });

const X_CACHE: Readonly<Record<Extraction['from'], string>> = { cache: 'HIT', load: 'MISS', stale: 'STALE' };

/** The endpoints, each with its parameters, its answer and its description. */
function describeEndpoints({ sources, creator }: Pick<MediaRoutesOptions, 'sources' | 'creator'>) {
  const exampleOf = (id: string) => (sources.find(source => source.id === id) ?? sources[0]).example;
  const instagram: Endpoint = {
    path: '/igdownload',
    only: 'instagram',
    readable: true,
    takes: 'the link of a public Instagram post or reel',
    example: exampleOf('instagram'),
    shape: (post, ownAddress) => toIgDownload(post, creator, ownAddress),
    about: {
      tags: ['Media'],
      summary: 'An Instagram post and its files',
      description:
        'Author, caption, counts and the addresses of every video and image of a public post, reel or carousel. The addresses are the site’s own and expire after some days; where the site keeps video and audio apart, they are this server’s and expire after some hours.',
    },
    answer: igDownloadAnswer.meta({ id: 'InstagramAnswer', example: examples.instagram }),
  };
  const facebook: Endpoint = {
    path: '/fbdownload',
    only: 'facebook',
    readable: true,
    takes: 'the link of a public Facebook video or reel',
    example: exampleOf('facebook'),
    shape: (post, ownAddress) => {
      const answer = toFbDownload(post, creator, ownAddress);
      if (answer === undefined) throw new AppError('not_found', 'no video in the post', { params: { what: 'video' } });
      return answer;
    },
    about: {
      tags: ['Media', 'Developing'],
      summary: 'A Facebook video',
      description: 'Title, duration and the addresses of a public video or reel in its best and its smallest quality.',
    },
    answer: fbDownloadAnswer.meta({ id: 'FacebookAnswer', example: examples.facebook }),
  };
  const any: Endpoint = {
    path: '/post',
    only: undefined,
    readable: false,
    takes: `the link of a public post of ${ANY_OF.format(sources.map(({ name }) => name))}`,
    example: sources[0].example,
    shape: toPublicPost,
    about: {
      tags: ['Media'],
      summary: 'Everything known about a post',
      description: 'Any supported link: all items, and of each item every file the site offers.',
    },
    answer: postSchemaOf(sources.map(({ id }) => id)).meta({ id: 'Post', example: createPostExample(sources[0]) }),
  };
  const isOffered = ({ only }: Endpoint) => only === undefined || sources.some(({ id }) => id === only);
  return [instagram, facebook, any].filter(isOffered);
}

/** `/igdownload`, `/fbdownload` and `/post`, to be registered under `/api`. */
export function mediaRoutes(options: MediaRoutesOptions): FastifyPluginAsync {
  const { extractor, tunnel, publicUrl, now = Date.now } = options;
  const endpoints = describeEndpoints(options);

  return async server => {
    const api = server.withTypeProvider<ZodTypeProvider>();
    for (const endpoint of endpoints) {
      const { path, about, example, answer } = endpoint;
      const response = { 200: answer, ...errorResponses };
      const schema = { ...about, operationId: path.slice(1), querystring: linkQuery(example), response };
      api.get(path, { schema, schemaErrorFormatter: () => badLink(endpoint) }, createHandler(endpoint));
    }
  };

  function createHandler(endpoint: Endpoint) {
    const answerTo = createPostAnswers(endpoint.shape, tunnel, now);
    return async (request: LinkRequest, reply: FastifyReply) => {
      const { post, from } = await extract(endpoint, request);
      const { answer, origin } = answerTo(post, publicUrl ?? askedOrigin(request), from === 'cache');
      reply.header('x-cache', X_CACHE[from]);
      // If the addresses depend on this request's origin, a shared cache must not give the answer to other clients.
      const isPrivate = origin !== undefined && publicUrl === undefined;
      return sendAnswer(request, reply, answer, maxAge(post, from), isPrivate);
    };
  }

  async function extract(endpoint: Endpoint, request: LinkRequest): Promise<Extraction> {
    const link = request.query.url;
    try {
      const { only, readable } = endpoint;
      return await extractor.extract(link, {
        // Fastify creates the signal when it is first read. With a getter, an answer from the cache needs no signal.
        get signal() {
          return request.signal;
        },
        readable,
        ...(only === undefined ? {} : { only }),
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'invalid_request') throw badLink(endpoint, error);
      if (error.code === 'unsupported_link') {
        throw new AppError(error.code, error.message, {
          params: { ...error.params, supported: endpoint.takes, ...otherEndpoint(endpoint, link) },
          cause: error,
        });
      }
      throw error;
    }
  }

  /** Suggests the endpoint for the site of the link, if this endpoint is for another site. */
  function otherEndpoint({ only }: Endpoint, link: string): { readonly endpoint?: string } {
    const source = only === undefined ? undefined : extractor.sourceOf(link);
    if (source === undefined || source === only) return {};
    const right = endpoints.find(each => each.only === source);
    return right === undefined ? {} : { endpoint: `/api${right.path}` };
  }

  /** The seconds for which an answer may be cached; never longer than the addresses in it are valid. */
  function maxAge(post: Post, from: Extraction['from']): number {
    const life = from === 'stale' || post.missingItems > 0 ? STALE_S : FRESH_S;
    if (post.expiresAt === null) return life;
    return Math.max(0, Math.min(life, Math.floor((post.expiresAt - now()) / 1000)));
  }
}

function badLink({ path, takes, example }: Endpoint, cause?: AppError): AppError {
  const send = `Send the parameter "url" once, with ${takes}, percent-encoded and at most ${MAX_ADDRESS_CHARS} characters long. Example: /api${path}?url=${encodeURIComponent(example)}`;
  return new AppError('invalid_request', 'no readable link in "url"', { params: { what: 'parameter', send }, cause });
}

interface PostAnswer {
  readonly answer: Answer;
  /** The origin of this server's addresses in the answer; undefined when it contains none. */
  readonly origin: string | undefined;
  /** An answer with addresses of this server is not sent again after this time (unix milliseconds). */
  readonly until: number;
}

/** How long this server's addresses in an answer are valid. The answer may be sent again for half of this time. */
const LINK_LIFE_MS = 6 * 3_600_000;

/**
 * Makes the answer for a post and keeps it if `isKept` is true. A cached post is the same object at each request, so
 * one answer serves all requests. An answer with this server's addresses is made again after half of their validity, or
 * for another `origin`.
 */
function createPostAnswers(shape: Endpoint['shape'], tunnel: Pick<Tunnel, 'address'>, now: () => number) {
  const written = new WeakMap<Post, PostAnswer>();

  return (post: Post, origin: string, isKept: boolean): PostAnswer => {
    const known = isKept ? written.get(post) : undefined;
    if (known !== undefined && (known.origin === undefined || (known.origin === origin && known.until > now())))
      return known;
    const expiresAt = now() + LINK_LIFE_MS;
    let isOurs = false;
    const ownAddress: OwnAddress = (index, file, of = post) => {
      isOurs = true;
      return origin + tunnel.address(playerTunnelFile(of, index, file, expiresAt));
    };
    const answer = createAnswer(shape(post, ownAddress, expiresAt));
    const fresh = { answer, origin: isOurs ? origin : undefined, until: expiresAt - LINK_LIFE_MS / 2 };
    if (isKept) written.set(post, fresh);
    return fresh;
  };
}

/** Makes an example answer with a post of this source. A test checks it against the schema. */
export function createPostExample({ id, example }: Pick<ApiSource, 'id' | 'example'>) {
  const name = new URL(example).pathname.match(/[^/]+(?=\/?$)/)?.[0] ?? '';
  return { ...examples.post, source: id, id: name, url: example };
}
