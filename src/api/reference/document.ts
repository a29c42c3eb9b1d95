import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { ERROR_STATUS, errorAnswer } from '../errors.ts';
import { CLIENT_LIMIT } from '../rate-limit.ts';

const STATUSES: readonly number[] = [...new Set<number>(Object.values(ERROR_STATUS))].sort((a, b) => a - b);

/** For a route's `response`: the schema of the answer to a failure, by HTTP status. */
export const errorResponses = Object.fromEntries(STATUSES.map(status => [status, errorAnswer]));

/** The tag of endpoints whose answers name their source. */
export const BEATMAPS_TAG = 'Beatmaps';

/** Options for generating the document from the routes' zod schemas. */
export function describeApi(): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Medley API',
        version: '1',
        description: `Public posts and their files, osu! beatmaps and players, as JSON. Without a key, every network address has ${CLIENT_LIMIT} requests an hour.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'Optional: a key raises the hourly limit.',
          },
          bearer: { type: 'http', scheme: 'bearer', description: 'The same key, sent as a bearer token.' },
        },
        headers: HEADERS,
      },
      // The empty object means that no key is required.
      security: [{}, { key: [] }, { bearer: [] }],
    },
    transform: createJsonSchemaTransform({}),
    transformObject: createJsonSchemaTransformObject({}),
    convertConstToEnum: false,
  };
}

const integer = (description: string) => ({ description, schema: { type: 'integer' as const } });
const word = (description: string) => ({ description, schema: { type: 'string' as const } });

const HEADERS = {
  'X-RateLimit-Limit': integer('Requests per clock hour.'),
  'X-RateLimit-Remaining': integer('Requests left in this hour.'),
  'X-RateLimit-Reset': integer('When the next hour starts, in unix seconds.'),
  'Retry-After': integer('Seconds after which trying again makes sense, where that is known.'),
  ETag: word('Send it back as If-None-Match: an unchanged answer is 304, without a body.'),
  'Cache-Control': word('How long the answer may be kept.'),
  'X-Cache': word('HIT, MISS, or STALE: an older answer because the site does not answer now.'),
  'X-Data-Source': word(
    'Where beatmaps and players come from: osu, a mirror, or catalogue for what this server remembers.',
  ),
};

type HeaderName = keyof typeof HEADERS;

const ALWAYS: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const ON_FILE: readonly HeaderName[] = [...ALWAYS, 'Cache-Control'];
const ON_SUCCESS: readonly HeaderName[] = [...ALWAYS, 'ETag', 'Cache-Control', 'X-Cache'];
const ON_BEATMAPS: readonly HeaderName[] = [...ON_SUCCESS, 'X-Data-Source'];
const ON_WAIT: readonly HeaderName[] = [...ALWAYS, 'Retry-After'];

function refs(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The meaning of each error status, for the reader of the reference. */
const ERROR_TITLES: Readonly<Record<string, string>> = {
  400: 'The link or another parameter is missing, unreadable or not supported.',
  403: 'Private, for logged-in people only, age-restricted, or a wrong key.',
  404: 'There is no such post, beatmap or player.',
  413: 'Too large.',
  429: 'The hourly limit is reached.',
  451: 'Not available where this server is.',
  500: 'A fault of this server.',
  502: 'The site has changed and cannot be read for now.',
  503: 'The site does not answer, or asks to slow down; or this server lacks the credentials it takes.',
  504: 'The site took too long.',
};

const SCHEMAS = '#/components/schemas/';

type Paths = z.output<typeof looseDocument>['paths'];

const looseDocument = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        tags: z.array(z.string()).default([]),
        parameters: z.array(z.looseObject({ name: z.string(), schema: z.looseObject({}).default({}) })).default([]),
        responses: z.record(z.string(), z.looseObject({ description: z.string() })).default({}),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).default({}) }),
});

/** Values that work on this server, by parameter name, for parameters without an example. */
export type ParameterExamples = Readonly<Record<string, string>>;

/** Adds what all routes share to the generated document: headers, 304, the meaning of each failure, and examples. */
export function finishDocument(generated: object, examples: ParameterExamples): object {
  const { paths, components, ...document } = looseDocument.parse(generated);
  for (const operation of Object.values(paths).flatMap(path => Object.values(path))) {
    for (const { name, schema } of operation.parameters) {
      if (schema.example === undefined && examples[name] !== undefined) schema.example = examples[name];
    }
    const isJson = answerContent.safeParse(operation.responses['200']).success;
    const onJson = operation.tags.includes(BEATMAPS_TAG) ? ON_BEATMAPS : ON_SUCCESS;
    const onSuccess = isJson ? onJson : ON_FILE;
    operation.responses = Object.fromEntries(
      Object.entries({ ...operation.responses, ...(isJson && NOT_MODIFIED) }).map(([status, response]) => [
        status,
        {
          ...response,
          description: ERROR_TITLES[status] ?? response.description,
          headers: refs(headersOf(status) ?? onSuccess),
        },
      ]),
    );
  }
  // Two forms of a schema with an id are generated, for requests and for answers. Only the forms in use are kept.
  const schemas: Record<string, unknown> = Object.fromEntries(
    [...namesIn(paths, components.schemas)].sort().map(name => [name, components.schemas[name]]),
  );
  return { ...document, paths: withExamples(paths, schemas), components: { ...components, schemas } };
}

const exampled = z.looseObject({ example: z.unknown() });
const answerContent = z.looseObject({
  content: z.object({ 'application/json': z.looseObject({ schema: z.object({ $ref: z.string() }) }) }),
});

/** Puts an answer's example beside its schema. Inside the schema, it would be repeated wherever the schema is used. */
function withExamples(paths: Paths, schemas: Record<string, unknown>): Paths {
  for (const { responses } of Object.values(paths).flatMap(path => Object.values(path))) {
    const answer = answerContent.safeParse(responses['200']).data?.content['application/json'];
    const name = answer?.schema.$ref.replace(SCHEMAS, '') ?? '';
    const schema = exampled.safeParse(schemas[name]).data;
    if (answer === undefined || schema === undefined || responses['200'] === undefined) continue;
    const { example, ...rest } = schema;
    schemas[name] = rest;
    responses['200'] = { ...responses['200'], content: { 'application/json': { ...answer, example } } };
  }
  return paths;
}

/** The names of the schemas that `part` of the document uses, directly or through other schemas. */
function namesIn(part: unknown, schemas: Readonly<Record<string, unknown>>, known = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([\w-]+)"/g)) {
    if (known.has(name)) continue;
    known.add(name);
    namesIn(schemas[name] ?? {}, schemas, known);
  }
  return known;
}

const NOT_MODIFIED = { 304: { description: 'Unchanged since the ETag that was sent as If-None-Match.' } };

function headersOf(status: string): readonly HeaderName[] | undefined {
  if (ERROR_TITLES[status] === undefined) return undefined;
  return status === '429' || status === '503' ? ON_WAIT : ALWAYS;
}
