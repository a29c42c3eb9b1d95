import { z } from 'zod';
import { checkMediaUrl, isWebAddress } from './media-address.ts';

const MAX_EMBEDS = 10;
const MAX_EMBED_TEXT = 6000;
const SETTABLE = new Set([
  'title',
  'type',
  'description',
  'url',
  'timestamp',
  'color',
  'footer',
  'image',
  'thumbnail',
  'author',
  'fields',
  'provider',
]);

const text = (max: number) => z.string().max(max).nullish();
const media = z.looseObject({ url: z.string() }).nullish();
const embedSchema = z.looseObject({
  title: text(256),
  description: text(4096),
  url: z.string().refine(isWebAddress).nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  footer: z.looseObject({ text: z.string().min(1).max(2048) }).nullish(),
  author: z.looseObject({ name: z.string().min(1).max(256), url: z.string().refine(isWebAddress).nullish() }).nullish(),
  fields: z
    .array(z.looseObject({ name: z.string().min(1).max(256), value: z.string().min(1).max(1024) }))
    .max(25)
    .nullish(),
  image: media,
  thumbnail: media,
});

/** @returns what Discord would refuse in classic embeds. */
export function checkEmbeds(embeds: readonly unknown[], files: readonly string[]): readonly string[] {
  const wrong: string[] = [];
  if (embeds.length > MAX_EMBEDS) wrong.push(`${embeds.length} embeds`);
  let total = 0;
  for (const each of embeds) {
    const parsed = embedSchema.safeParse(each);
    if (!parsed.success) {
      wrong.push(...parsed.error.issues.map(issue => `embed ${issue.path.join('.')}: ${issue.message}`));
      continue;
    }
    const { title, description, footer, author, fields, image, thumbnail } = parsed.data;
    const texts = [
      title,
      description,
      footer?.text,
      author?.name,
      ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    ];
    total += texts.reduce((sum, part) => sum + (part ?? '').length, 0);
    for (const picture of [image, thumbnail]) {
      if (picture !== undefined && picture !== null) wrong.push(...checkMediaUrl(picture.url, files));
    }
    wrong.push(
      ...Object.keys(parsed.data)
        .filter(key => !SETTABLE.has(key))
        .map(key => `embed: apps cannot set ${key}`),
    );
  }
  if (total > MAX_EMBED_TEXT) wrong.push(`${total} characters over all embeds`);
  return wrong;
}
