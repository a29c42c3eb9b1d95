import { mediaAddress } from '../parse/media-address.ts';
import { type Post, postSchema } from '../post.ts';
import type { MediaSource } from './source.ts';

type KnownSource = Pick<MediaSource, 'id' | 'match' | 'mediaHosts'>;

/**
 * Reads posts that were kept as JSON where others may write, as strictly as what a site answers: in this version's shape, with media on
 * the hosts of its source and an address that the source knows for one of its own. All else is undefined.
 */
export function createStoredPostParser(sources: readonly KnownSource[]): (value: unknown) => Post | undefined {
  return value => {
    const post = postSchema.safeParse(value).data;
    const source = sources.find(({ id }) => id === post?.source);
    if (post === undefined || source === undefined || !isPostOf(source, post.url)) return undefined;
    return addressesOf(post).every(url => mediaAddress(url, source.mediaHosts) !== null) ? post : undefined;
  };
}

/** Whether it lies where the source itself would put it. */
function isPostOf({ match }: KnownSource, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const address = new URL(url);
  const found = match(address);
  const ref = found?.kind === 'post' || found?.kind === 'story' ? found.ref : undefined;
  return ref !== undefined && new URL(ref.url).origin === address.origin && address.username === '';
}

function addressesOf({ author, coverUrl, items }: Post): readonly string[] {
  const said = [author.avatarUrl, coverUrl, ...items.map(item => item.thumbnailUrl)];
  return [...said.filter(url => url !== null), ...items.flatMap(({ variants }) => variants.map(({ url }) => url))];
}
