import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { Call } from './route.ts';

const schemasSchema = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

const callbackTypeSchema = z.looseObject({ type: z.int() });
const ROOT = 'discord';
const REF = '#/components/schemas/';

/** What discord.js sets on every message whether it means anything there or not; Discord takes no notice. */
const ON_MESSAGES = { enforce_nonce: true, nonce: true, tts: true };
/** Documented, and taken by the real one: permissions as digits, as every other 64-bit number is written. */
const ON_COMMANDS = {
  default_member_permissions: { type: ['string', 'null'], pattern: '^\\d+$' },
  nsfw: { type: 'boolean' },
};
/** Where the specification is narrower than the API. */
const WIDER: Readonly<Record<string, object>> = {
  MessageEditRequestPartial: ON_MESSAGES,
  IncomingWebhookInteractionRequest: ON_MESSAGES,
  IncomingWebhookRequestPartial: ON_MESSAGES,
  IncomingWebhookUpdateRequestPartial: ON_MESSAGES,
  IncomingWebhookUpdateForInteractionCallbackRequestPartial: ON_MESSAGES,
  ApplicationCommandCreateRequest: ON_COMMANDS,
  ApplicationCommandUpdateRequest: ON_COMMANDS,
};

const CALLBACKS: Readonly<Record<number, string>> = {
  1: 'PongInteractionCallbackRequest',
  4: 'CreateMessageInteractionCallbackRequest',
  5: 'CreateMessageInteractionCallbackRequest',
  6: 'UpdateMessageInteractionCallbackRequest',
  7: 'UpdateMessageInteractionCallbackRequest',
  8: 'ApplicationCommandAutocompleteCallbackRequest',
  9: 'ModalInteractionCallbackRequest',
};

const BODIES: readonly (readonly [method: string, path: RegExp, schema: string])[] = [
  ['POST', /^\/channels\/\d+\/messages$/, 'MessageCreateRequest'],
  ['PATCH', /^\/channels\/\d+\/messages\/\d+$/, 'MessageEditRequestPartial'],
  ['POST', /^\/webhooks\/\d+\/[^/]+$/, 'IncomingWebhookRequestPartial'],
  ['PATCH', /^\/webhooks\/\d+\/[^/]+\/messages\/(?:@original|\d+)$/, 'IncomingWebhookUpdateRequestPartial'],
  ['POST', /^\/applications\/\d+\/commands$/, 'ApplicationCommandCreateRequest'],
  ['PUT', /^\/applications\/\d+\/commands$/, 'ApplicationCommandUpdateRequest'],
  ['POST', /^\/users\/@me\/channels$/, 'CreatePrivateChannelRequest'],
];

/** @returns what is wrong with the body of a call. */
export type Specification = (call: Pick<Call, 'method' | 'path' | 'body'>) => readonly string[];

const loaded = new Map<string, Promise<Specification>>();

/** Discord's own description of its API, from the folder of specifications; read once for each process. */
export function loadSpecification(folder: string): Promise<Specification> {
  const known = loaded.get(folder);
  if (known !== undefined) return known;
  const reading = readSpecification(folder);
  loaded.set(folder, reading);
  return reading;
}

async function readSpecification(folder: string): Promise<Specification> {
  const text = await readFile(join(folder, 'discord-openapi.json'), 'utf8');
  const { schemas } = schemasSchema.parse(JSON.parse(text)).components;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, meta: false, logger: false, inlineRefs: false });
  ajv.addFormat('snowflake', /^(?:0|[1-9]\d{0,19})$/);
  ajv.addFormat('uri', url => URL.canParse(url));
  for (const format of ['nonce', 'int32', 'int64', 'double', 'date-time']) ajv.addFormat(format, true);
  const names = reachable(schemas, [...BODIES.map(([, , name]) => name), ...Object.values(CALLBACKS)]);
  ajv.addSchema({ $id: ROOT, $defs: Object.fromEntries(names.map(name => [name, prepare(schemas, name)])) });

  function check(name: string, value: unknown): readonly string[] {
    const validate = ajv.getSchema(`${ROOT}#/$defs/${name}`);
    if (validate === undefined) throw new Error(`the specification has no schema ${name}`);
    if (validate(value) === true) return [];
    // A failed branch also says that it is a branch.
    return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(error => `${name}${describe(error)}`);
  }

  return ({ method, path, body }) => {
    if (method === 'POST' && path.endsWith('/callback')) {
      const type = callbackTypeSchema.safeParse(body).data?.type;
      const name = CALLBACKS[type ?? 0];
      return name === undefined ? [`a callback of type ${type}`] : check(name, body);
    }
    const route = BODIES.find(([verb, pattern]) => verb === method && pattern.test(path));
    if (route === undefined) return body === undefined ? [] : ['a body nobody asked for'];
    const [, , name] = route;
    if (method === 'PUT' && Array.isArray(body)) return body.flatMap(each => check(name, each));
    return check(name, body);
  };
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return ` ${instancePath} ${message} ${JSON.stringify(params)}`;
}

/** The names of these schemas and all they lean on. */
function reachable(schemas: Schemas, first: readonly string[]): readonly string[] {
  const names = new Set(first);
  for (const name of names) collectNames(schemas[name], names);
  return [...names];
}

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const each of value) collectNames(each, names);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref') names.add(nameOf(each) ?? '');
      else collectNames(each, names);
    }
  }
}

function nameOf(ref: unknown): string | undefined {
  return typeof ref === 'string' && ref.startsWith(REF) ? ref.slice(REF.length) : undefined;
}

function prepare(schemas: Schemas, name: string): unknown {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the specification has no schema ${name}`);
  const closed = close(schemas, schema);
  const wider = WIDER[name];
  if (wider === undefined || typeof closed !== 'object' || closed === null) return closed;
  return { ...closed, properties: { ...propertiesOf(closed), ...wider } };
}

function propertiesOf(schema: object): object {
  return 'properties' in schema && typeof schema.properties === 'object' && schema.properties !== null
    ? schema.properties
    : {};
}

/** Closes every object, so that a misspelt key is found, and lets unions be told apart by `type`, so that an error is readable. */
function close(schemas: Schemas, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each => close(schemas, each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => {
    const name = key === '$ref' ? nameOf(each) : undefined;
    return [key, name === undefined ? close(schemas, each) : `${ROOT}#/$defs/${name}`];
  });
  const schema: Record<string, unknown> = Object.fromEntries(entries);
  if (schema.properties !== undefined && schema.additionalProperties === undefined) schema.additionalProperties = false;
  const union = 'oneOf' in value ? value.oneOf : 'anyOf' in value ? value.anyOf : undefined;
  const types = Array.isArray(union) ? tellApart(schemas, union) : undefined;
  if (!Array.isArray(union) || types === undefined) return schema;
  const { oneOf: _, anyOf: __, ...rest } = schema;
  return {
    ...rest,
    type: 'object',
    required: ['type'],
    properties: { type: { enum: types.flat() } },
    allOf: types.map((own, branch) => ({
      if: { properties: { type: { enum: own } } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
      then: close(schemas, union[branch]),
    })),
  };
}

const typedSchema = z.looseObject({
  properties: z.looseObject({ type: z.looseObject({ enum: z.array(z.unknown()) }) }),
  required: z.array(z.string()),
});

/** The types of each branch of a union, where every branch is an object with types of its own. */
function tellApart(schemas: Schemas, union: readonly unknown[]): readonly (readonly unknown[])[] | undefined {
  const types = union.map(branch => {
    const ref = typeof branch === 'object' && branch !== null && '$ref' in branch ? nameOf(branch.$ref) : undefined;
    const { data } = typedSchema.safeParse(schemas[ref ?? '']);
    return data?.required.includes('type') === true ? data.properties.type.enum : [];
  });
  const all = types.flat();
  const apart = types.length > 1 && types.every(each => each.length > 0) && new Set(all).size === all.length;
  return apart ? types : undefined;
}
