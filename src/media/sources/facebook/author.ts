/** Objects of a page that describe one person or page -> the author. Pure. */
import { z } from 'zod';
import { address, flag, objectOf, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import type { Author } from '../../post.ts';

const picture = objectOf({ uri: address });

const actor = z.object({
  id: text,
  name: text,
  username: text,
  url: text,
  is_verified: flag,
  profile_picture: picture,
  displayPicture: picture,
  profilePicture: picture,
});

/** `facebook.com/NAME` -> NAME; a numbered profile has no name of its own. */
function usernameOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { hostname, pathname } = new URL(url);
  if (!/(?:^|\.)facebook\.com$/.test(hostname)) return null;
  const name = /^\/([A-Za-z0-9._-]{1,80})\/?$/.exec(pathname)?.[1];
  return name === undefined || name.includes('.php') || /^\d+$/.test(name) ? null : name;
}

/** Reads all objects that carry one person's id as one person. */
export function readAuthor(nodes: readonly JsonObject[]): Author {
  const author: { -readonly [Key in keyof Author]: Author[Key] } = {
    id: null,
    username: null,
    name: null,
    verified: null,
    avatarUrl: null,
  };
  for (const node of nodes) {
    const result = actor.safeParse(node);
    if (!result.success) continue;
    const { data } = result;
    author.id ??= data.id;
    author.name ??= data.name;
    author.username ??= data.username ?? usernameOf(data.url);
    author.verified ??= data.is_verified;
    author.avatarUrl ??= (data.profile_picture ?? data.displayPicture ?? data.profilePicture)?.uri ?? null;
  }
  return author;
}
