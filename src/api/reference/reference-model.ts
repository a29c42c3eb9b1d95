import { z } from 'zod';

/** As much of a JSON Schema as the reference shows. */
const schema = z.object({
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

/** As much of an OpenAPI document as the reference shows. */
export const referenceDocument = z.object({
  info: z.object({ title: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.object({ get: operation.optional() })),
  components: z
    .object({
      headers: z.record(z.string(), z.object({ description: z.string().default('') })).default({}),
    })
    .default({ headers: {} }),
});

export type ReferenceSchema = z.infer<typeof schema>;
export type ReferenceOperation = z.infer<typeof operation>;

export interface FieldRow {
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly description: string;
}

/** The fields of an answer, each below the one that holds it. */
export function fieldRows(root: ReferenceSchema, depth = 0): readonly FieldRow[] {
  const holder = root.properties === undefined ? root.items : root;
  return Object.entries(holder?.properties ?? {}).flatMap(([name, field]) => [
    { name, depth, type: typeName(field), description: field.description ?? '' },
    ...fieldRows(field, depth + 1),
  ]);
}

export function typeName(field: ReferenceSchema): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.map(value => JSON.stringify(value)).join(' | ');
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeName))].join(' | ');
  if (field.type === 'array')
    return `list of ${field.items === undefined ? 'anything' : plural(typeName(field.items))}`;
  return [field.type ?? 'anything'].flat().join(' | ');
}

function plural(type: string): string {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}
