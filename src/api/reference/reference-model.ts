import * as z from 'zod';

/** The properties of a JSON Schema that the reference shows. */
const schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().optional(),
  example: z.unknown().optional(),
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  get items() {
    return schema.optional();
  },
  get anyOf() {
    return z.array(schema).optional();
  },
  get oneOf() {
    return z.array(schema).optional();
  },
});

const operation = z.object({
  operationId: z.string().optional(),
  summary: z.string().default(''),
  description: z.string().default(''),
  tags: z.array(z.string()).default([]),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        required: z.boolean().default(false),
        description: z.string().default(''),
        example: z.unknown().optional(),
        schema: schema.optional(),
      }),
    )
    .default([]),
  responses: z
    .record(
      z.string(),
      z.object({
        description: z.string().default(''),
        content: z
          .record(z.string(), z.object({ schema: schema.optional(), example: z.unknown().optional() }))
          .default({}),
      }),
    )
    .default({}),
});

/** The properties of an OpenAPI document that the reference shows. */
export const referenceDocument = z.object({
  info: z.object({ title: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.object({ get: operation.optional() })),
  components: z
    .object({
      headers: z.record(z.string(), z.object({ description: z.string().default('') })).default({}),
      schemas: z.record(z.string(), schema).default({}),
    })
    .default({ headers: {}, schemas: {} }),
});

export type ReferenceSchema = z.infer<typeof schema>;
export type NamedSchemas = Readonly<Record<string, ReferenceSchema>>;
export type ReferenceOperation = z.infer<typeof operation>;

export interface FieldRow {
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly description: string;
}

const REFERENCE = '#/components/schemas/';

/** Replaces a field's `$ref` by the schema that the `$ref` names. A field without a `$ref` is returned unchanged. */
export function resolveSchema(field: ReferenceSchema, schemas: NamedSchemas): ReferenceSchema {
  const named = field.$ref === undefined ? undefined : schemas[nameOf(field.$ref)];
  return named === undefined ? field : { ...named, ...field, $ref: undefined };
}

/** The fields of an answer, each below the field that contains it. Alternatives are listed one after another. */
export function fieldRows(root: ReferenceSchema, schemas: NamedSchemas = {}, depth = 0): readonly FieldRow[] {
  return holdersOf(root, schemas).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => [
      { name, depth, type: typeName(field, schemas), description: descriptionOf(field, schemas) },
      ...fieldRows(field, schemas, depth + 1),
    ]),
  );
}

/** The objects whose fields are listed: `root` itself, its elements if it is a list, or its alternatives. */
function holdersOf(root: ReferenceSchema, schemas: NamedSchemas): readonly ReferenceSchema[] {
  const field = resolveSchema(root, schemas);
  if (field.properties !== undefined) return [field];
  const { items, anyOf = [], oneOf = [] } = field;
  return [...(items ? [items] : []), ...anyOf, ...oneOf].flatMap(part => holdersOf(part, schemas));
}

/** The description of a field. A list without one has its elements' description. */
function descriptionOf(root: ReferenceSchema, schemas: NamedSchemas): string {
  const { description, items } = resolveSchema(root, schemas);
  return description ?? (items === undefined ? '' : descriptionOf(items, schemas));
}

/** The type in words. All allowed words of a text are written out, because the reference lists them nowhere else. */
function typeName(field: ReferenceSchema, schemas: NamedSchemas): string {
  const { enum: words } = resolveSchema(field, schemas);
  if (words !== undefined) return words.map(value => JSON.stringify(value)).join(' | ');
  if (field.$ref !== undefined) return nameOf(field.$ref);
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(each => typeName(each, schemas)))].join(' | ');
  if (field.type === 'array')
    return `list of ${field.items === undefined ? 'anything' : plural(typeName(field.items, schemas))}`;
  return [field.type ?? 'anything'].flat().join(' | ');
}

function nameOf(reference: string): string {
  return reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : reference;
}

function plural(type: string): string {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}
