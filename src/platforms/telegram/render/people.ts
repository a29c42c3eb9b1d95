import type { Inline, Reply } from '../../../bot/contract/reply.ts';

/**
 * Where the people are that a post's caption names: on its site, by the way in which the heading leads to the author. Undefined where it does
 * not lead there by name.
 */
export function pagesOf({
  blocks,
  gallery,
}: Pick<Reply, 'blocks' | 'gallery'>): ((name: string) => string) | undefined {
  const username = gallery[0]?.post.author.username ?? '';
  const heading = blocks.find(block => block.kind === 'heading');
  const page = heading && linkIn(heading.text);
  const [before, after, ...others] = username === '' ? [] : (page?.split(username) ?? []);
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  return name => `${before}${name}${after}`;
}

function linkIn(text: readonly Inline[]): string | undefined {
  return text.flatMap(inline => (typeof inline !== 'string' && inline.kind === 'link' ? [inline.url] : []))[0];
}
