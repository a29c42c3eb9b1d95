import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TelegramRequest } from './call.ts';
import type { Check, Violation } from './violation.ts';

const fieldShape = z.object({
  name: z.string(),
  types: z.array(z.string()),
  required: z.boolean(),
  description: z.string(),
});
type Field = z.infer<typeof fieldShape>;

const specShape = z.object({
  methods: z.record(z.string(), z.object({ fields: z.array(fieldShape).default([]) })),
  types: z.record(
    z.string(),
    z.object({ fields: z.array(fieldShape).default([]), subtypes: z.array(z.string()).default([]) }),
  ),
});
type Spec = z.infer<typeof specShape>;

const objectShape = z.record(z.string(), z.unknown());
const ARRAY = 'Array of ';

/** Checks against the machine-readable Bot API: closed objects, required fields, types. It refuses nothing by itself. */
export async function loadSpec(folder: string): Promise<Check> {
  const text = await readFile(join(folder, 'telegram-bot-api.json'), 'utf8');
  const spec = withNewer(specShape.parse(JSON.parse(text)));
  return call => checkCall(spec, call).map(what => ({ what: `specification: ${what}` }) satisfies Violation);
}

const RECEIVER: Field = {
  name: 'ephemeral_message_parameters',
  types: ['EphemeralMessageParameters'],
  required: false,
  description: 'Since Bot API 10.3',
};

/** A type of which only the kind and what stands in it are known. */
function block(kind: string, fields: Readonly<Record<string, string>>): { fields: Field[]; subtypes: string[] } {
  const type = { name: 'type', types: ['String'], required: true, description: `Type of the block, always “${kind}”` };
  const others = Object.entries(fields).map(([name, given]) => ({
    name,
    types: [given],
    required: true,
    description: '',
  }));
  return { fields: [type, ...others], subtypes: [] };
}

/** Of the blocks of rich messages, those that Medley writes (Bot API 10.2 and 10.3). */
const BLOCKS = {
  InputRichBlockParagraph: block('paragraph', { text: 'RichText' }),
  InputRichBlockExpandableBlockQuotation: block('expandable_blockquote', { text: 'RichText' }),
  InputRichBlockPhoto: block('photo', { photo: 'InputMediaPhoto' }),
  InputRichBlockVideo: block('video', { video: 'InputMediaVideo' }),
  InputRichBlockSlideshow: block('slideshow', { blocks: 'Array of InputRichBlock' }),
};

/** What the Bot API has learnt since that file was made: messages for one person's eyes, rich ones as blocks. */
function withNewer(spec: Spec): Spec {
  const methods = Object.entries(spec.methods).map(([name, { fields }]): [string, { fields: Field[] }] => {
    return [name, { fields: name.startsWith('send') ? [...fields, RECEIVER] : fields }];
  });
  const receiver = { name: 'receiver_user_id', types: ['Integer'], required: true, description: '' };
  const pressed = { name: 'callback_query_id', types: ['String'], required: false, description: '' };
  const replaces = { name: 'replace_callback_query_message', types: ['Boolean'], required: false, description: '' };
  const blocks = { name: 'blocks', types: ['Array of InputRichBlock'], required: false, description: '' };
  const types = {
    ...spec.types,
    ...BLOCKS,
    EphemeralMessageParameters: { fields: [receiver, pressed, replaces], subtypes: [] },
    InputRichBlock: { fields: [], subtypes: Object.keys(BLOCKS) },
    InputRichMessage: { fields: [...(spec.types.InputRichMessage?.fields ?? []), blocks], subtypes: [] },
  };
  return { methods: Object.fromEntries(methods), types };
}

function checkCall(spec: Spec, { method, params, files }: TelegramRequest): readonly string[] {
  const described = spec.methods[method];
  if (described === undefined) return ['the method is unknown'];
  const uploaded = new Set(files.map(({ field }) => field));
  const found: string[] = [];
  const given = new Set(Object.keys(params));
  for (const field of described.fields) {
    const value = params[field.name];
    given.delete(field.name);
    if (value !== undefined && value !== null) found.push(...checkParameter(spec, value, field));
    else if (field.required && !uploaded.has(field.name)) found.push(`${field.name} is required`);
  }
  return [...found, ...[...given].map(name => `${name} is no parameter`)];
}

/** Scalars and objects may come as text. */
function checkParameter(spec: Spec, value: unknown, { name, types }: Field): readonly string[] {
  if (typeof value !== 'string' || types.includes('String')) return checkValue(spec, value, types, name);
  try {
    return checkValue(spec, JSON.parse(value), types, name);
  } catch {
    return [`${name} is not ${types.join(' or ')}`];
  }
}

function checkValue(spec: Spec, value: unknown, types: readonly string[], path: string): readonly string[] {
  if (Array.isArray(value)) {
    const variants = types.flatMap(type => variantsOf(spec, type));
    const elements = variants.filter(type => type.startsWith(ARRAY)).map(type => type.slice(ARRAY.length));
    if (elements.length === 0) return [`${path} is a list, not ${types.join(' or ')}`];
    return value.flatMap((item, index) => checkValue(spec, item, elements, `${path}[${index}]`));
  }
  const verdicts = types.flatMap(type => variantsOf(spec, type)).map(type => checkOne(spec, value, type, path));
  const kindred = verdicts.filter(verdict => verdict !== 'another');
  if (kindred.length === 0) return [`${path} is not ${types.join(' or ')}`];
  return kindred.reduce((best, next) => (next.length < best.length ? next : best));
}

function variantsOf(spec: Spec, type: string): readonly string[] {
  const subtypes = spec.types[type]?.subtypes ?? [];
  return subtypes.length === 0 ? [type] : subtypes.flatMap(subtype => variantsOf(spec, subtype));
}

const SCALARS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['Integer', value => Number.isSafeInteger(value)],
  ['Float', value => typeof value === 'number'],
  ['Boolean', value => typeof value === 'boolean'],
  ['String', value => typeof value === 'string'],
  ['InputFile', value => typeof value === 'string' && value.startsWith('attach://')],
]);

/** @returns `another` when the value is plainly of another type, else what is wrong with it. */
function checkOne(spec: Spec, value: unknown, type: string, path: string): readonly string[] | 'another' {
  const isScalar = SCALARS.get(type);
  if (isScalar !== undefined) return isScalar(value) ? [] : 'another';
  const object = objectShape.safeParse(value);
  const fields = spec.types[type]?.fields;
  if (!object.success || fields === undefined) return 'another';
  if (fields.some(field => isForeign(field, object.data[field.name]))) return 'another';
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(object.data).filter(name => !known.has(name));
  return [
    ...fields.flatMap(field => checkField(spec, object.data[field.name], field, `${path}.${field.name}`)),
    ...unknown.map(name => `${path}.${name} is no field of ${type}`),
  ];
}

function checkField(spec: Spec, value: unknown, { types, required }: Field, path: string): readonly string[] {
  if (value !== undefined) return checkValue(spec, value, types, path);
  return required ? [`${path} is required`] : [];
}

/** `type must be video`, `always "photo"`: only the descriptions say which value marks a type. */
function isForeign({ description }: Field, value: unknown): boolean {
  const mark = /\b(?:must be (\w+)$|always [“"]([\w]+)[”"]$)/.exec(description);
  const expected = mark?.[1] ?? mark?.[2];
  return expected !== undefined && typeof value === 'string' && value !== expected;
}
