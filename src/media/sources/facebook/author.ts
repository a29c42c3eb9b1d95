/** Objects of a page that describe one person or page -> the author. Pure. */

import { readFlag, readText } from '../../parse/fields.ts';
import { child, type JsonObject } from '../../parse/json-search.ts';
import type { Author } from '../../post.ts';
import { readAddress } from '../meta/cdn-address.ts';

const IMAGE_KEYS: readonly string[] = ['profile_picture', 'displayPicture', 'profilePicture'];
/** More objects than one author is ever spread over. */
const MAX_NODES = 40;

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
  for (const node of nodes.slice(0, MAX_NODES)) {
    const images = IMAGE_KEYS.map(key => readAddress(child(node[key], 'uri')));
    author.id ??= readText(node.id);
    author.name ??= readText(node.name);
    author.username ??= readText(node.username) ?? usernameOf(readText(node.url));
    author.verified ??= readFlag(node.is_verified);
    author.avatarUrl ??= images.find(url => url !== null) ?? null;
  }
  return author;
}
