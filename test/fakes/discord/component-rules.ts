import { z } from 'zod';
import { attachmentName, checkMediaUrl, isWebAddress } from './media-address.ts';

const MAX_COMPONENTS = 40;
const MAX_TEXT = 4000;
const MAX_ROWS = 5;

const ACTION_ROW = 1;
const BUTTON = 2;
const SECTION = 9;
const TEXT_DISPLAY = 10;
const THUMBNAIL = 11;
const MEDIA_GALLERY = 12;
const FILE = 13;
const SEPARATOR = 14;
const CONTAINER = 17;
const SELECTS = [3, 5, 6, 7, 8];
const LINK_STYLE = 5;

const mediaSchema = z.looseObject({ url: z.string() });
const description = z.string().min(1).max(1024).nullish();
const customId = z.string().min(1).max(100);
const emoji = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }).nullish();
const children = (min: number, max: number) => z.array(z.unknown()).min(min).max(max);

const SHAPES: Readonly<Record<number, z.ZodType>> = {
  [ACTION_ROW]: z.looseObject({ components: children(1, 5) }),
  [BUTTON]: z
    .looseObject({
      style: z.int().min(1).max(6),
      label: z.string().min(1).max(80).nullish(),
      custom_id: customId.nullish(),
      url: z.string().max(512).refine(isButtonAddress, 'not an address a button may open').nullish(),
      emoji,
    })
    .refine(button => (button.style === LINK_STYLE) === ((button.url ?? '') !== ''), 'url goes with style 5 alone')
    .refine(
      button => button.style >= LINK_STYLE !== ((button.custom_id ?? '') !== ''),
      'custom_id goes with styles 1-4',
    )
    .refine(
      button => (button.label ?? '') !== '' || (button.emoji ?? undefined) !== undefined,
      'neither label nor emoji',
    ),
  3: z
    .looseObject({
      custom_id: customId,
      placeholder: z.string().max(150).nullish(),
      min_values: z.int().min(0).max(25).nullish(),
      max_values: z.int().min(1).max(25).nullish(),
      options: z
        .array(
          z.looseObject({
            label: z.string().min(1).max(100),
            value: z.string().min(1).max(100),
            description: z.string().max(100).nullish(),
            emoji,
          }),
        )
        .min(1)
        .max(25),
    })
    .refine(({ options }) => new Set(options.map(({ value }) => value)).size === options.length, 'a value twice')
    .refine(({ options, max_values }) => (max_values ?? 1) <= options.length, 'max_values over the options'),
  5: z.looseObject({ custom_id: customId }),
  6: z.looseObject({ custom_id: customId }),
  7: z.looseObject({ custom_id: customId }),
  8: z.looseObject({ custom_id: customId }),
  [SECTION]: z.looseObject({ components: children(1, 3), accessory: z.looseObject({ type: z.int() }) }),
  [TEXT_DISPLAY]: z.looseObject({ content: z.string().min(1).max(MAX_TEXT) }),
  [THUMBNAIL]: z.looseObject({ media: mediaSchema, description, spoiler: z.boolean().nullish() }),
  [MEDIA_GALLERY]: z.looseObject({
    items: z
      .array(z.looseObject({ media: mediaSchema, description, spoiler: z.boolean().nullish() }))
      .min(1)
      .max(10),
  }),
  [FILE]: z.looseObject({ file: mediaSchema, spoiler: z.boolean().nullish() }),
  [SEPARATOR]: z.looseObject({ divider: z.boolean().nullish(), spacing: z.int().min(1).max(2).nullish() }),
  [CONTAINER]: z.looseObject({
    components: children(1, MAX_COMPONENTS),
    accent_color: z.int().min(0).max(0xffffff).nullish(),
    spoiler: z.boolean().nullish(),
  }),
};

const CONTENTS: Readonly<Record<number, readonly number[]>> = {
  [ACTION_ROW]: [BUTTON, ...SELECTS],
  [SECTION]: [TEXT_DISPLAY],
  [CONTAINER]: [ACTION_ROW, TEXT_DISPLAY, SECTION, MEDIA_GALLERY, SEPARATOR, FILE],
};
const TOP = [ACTION_ROW, TEXT_DISPLAY, SECTION, MEDIA_GALLERY, SEPARATOR, FILE, CONTAINER];

const componentSchema = z.looseObject({
  type: z.int(),
  id: z.int().nullish(),
  custom_id: z.string().nullish(),
  content: z.string().nullish(),
  components: z.array(z.unknown()).nullish(),
  accessory: z.unknown().optional(),
  media: mediaSchema.nullish(),
  file: mediaSchema.nullish(),
  items: z.array(z.looseObject({ media: mediaSchema.nullish() })).nullish(),
});
type Component = z.infer<typeof componentSchema>;

export interface ComponentContext {
  /** Whether the message has the flag. */
  readonly v2: boolean;
  /** Names of the files it holds. */
  readonly files: readonly string[];
}

export interface ComponentFindings {
  /** What Discord would refuse. */
  readonly wrong: readonly string[];
  /** Names of files that a component shows. */
  readonly referenced: readonly string[];
}

export function checkComponents(top: readonly unknown[], context: ComponentContext): ComponentFindings {
  const wrong: string[] = [];
  const all: Component[] = [];
  visit(top, context.v2 ? TOP : [ACTION_ROW], 'components', { all, wrong });
  if (!context.v2 && top.length > MAX_ROWS) wrong.push(`${top.length} action rows`);
  if (all.length > MAX_COMPONENTS) wrong.push(`${all.length} components, nested ones counted`);
  const text = all
    .filter(({ type }) => type === TEXT_DISPLAY)
    .reduce((sum, { content }) => sum + (content ?? '').length, 0);
  if (text > MAX_TEXT) wrong.push(`${text} characters over all texts`);
  wrong.push(...repeats(all.flatMap(each => each.custom_id ?? [])).map(id => `custom_id "${id}" twice`));
  wrong.push(
    ...repeats(all.flatMap(each => each.id ?? []).filter(id => id !== 0)).map(id => `component id ${id} twice`),
  );
  const shown = all.flatMap(mediaOf);
  for (const url of shown) wrong.push(...checkMediaUrl(url, context.files));
  for (const { type, file } of all) {
    if (type === FILE && attachmentName(file?.url ?? '') === undefined) wrong.push('a file that is not attachment://');
  }
  return { wrong, referenced: shown.flatMap(url => attachmentName(url) ?? []) };
}

function visit(
  components: readonly unknown[],
  allowed: readonly number[],
  path: string,
  findings: { readonly all: Component[]; readonly wrong: string[] },
): void {
  const { all, wrong } = findings;
  for (const [place, each] of components.entries()) {
    const at = `${path}[${place}]`;
    const { data: component } = componentSchema.safeParse(each);
    if (component === undefined) {
      wrong.push(`${at}: not a component`);
      continue;
    }
    all.push(component);
    if (!allowed.includes(component.type)) wrong.push(`${at}: type ${component.type} does not belong here`);
    const shape = SHAPES[component.type]?.safeParse(each);
    wrong.push(...(shape?.error?.issues ?? []).map(issue => `${at} ${issue.path.join('.')}: ${issue.message}`));
    visit(component.components ?? [], CONTENTS[component.type] ?? [], `${at}.components`, findings);
    if (component.accessory !== undefined) {
      visit([component.accessory], [BUTTON, THUMBNAIL], `${at}.accessory`, findings);
    }
    if (component.type === ACTION_ROW) wrong.push(...checkRow(component, at));
  }
}

/** Up to five buttons, or one select alone. */
function checkRow({ components }: Component, at: string): readonly string[] {
  const types = (components ?? []).flatMap(each => componentSchema.safeParse(each).data?.type ?? []);
  const selects = types.filter(type => type !== BUTTON).length;
  return selects > 0 && types.length > 1 ? [`${at}: a select beside others`] : [];
}

function mediaOf({ media, file, items }: Component): readonly string[] {
  const all = [media, file, ...(items ?? []).map(item => item.media)];
  return all.flatMap(each => each?.url ?? []);
}

function isButtonAddress(url: string): boolean {
  return isWebAddress(url) || url.startsWith('discord://');
}

function repeats<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values.filter((value, place) => values.indexOf(value) !== place))];
}
