import { facebookUrl } from './facebook-media.ts';
import type { World } from './world.ts';

export interface DemoLink {
  readonly url: string;
  readonly about: string;
}

/** Every link of the world that can be pasted, with one line about each. */
export function demoLinks(world: World): readonly DemoLink[] {
  const posts = world.instagram.map(({ code, suffix, media, about }) => {
    const form = media.length === 1 && media[0]?.kind === 'video' ? 'reel' : 'p';
    return { url: `https://www.instagram.com/${form}/${code}${suffix}/`, about };
  });
  const pages = world.facebook.map(post => ({ url: facebookUrl(post), about: post.about }));
  const short = world.shortLinks.map(({ host, path, about }) => ({ url: `https://${host}${path}`, about }));
  return [...posts, ...pages, ...short];
}
