import { facebookUrl } from './facebook/media.ts';
import type { DemoLink } from './site.ts';
import { SITES } from './sites.ts';
import type { World } from './world.ts';

/** Every link of the world that can be pasted, with one line about each. */
export function demoLinks(world: World): readonly DemoLink[] {
  const posts = world.instagram.map(({ code, suffix, media, about, state }): DemoLink => {
    const form = media.length === 1 && media[0]?.kind === 'video' ? 'reel' : 'p';
    return {
      url: `https://www.instagram.com/${form}/${code}${suffix}/`,
      about,
      shows: state === 'public' ? 'media' : 'notice',
    };
  });
  const pages = world.facebook.map((post): DemoLink => {
    return { url: facebookUrl(post), about: post.about, shows: post.state === 'public' ? 'media' : 'notice' };
  });
  const short = world.shortLinks.map(
    ({ host, path, about }): DemoLink => ({ url: `https://${host}${path}`, about, shows: 'media' }),
  );
  return [...posts, ...pages, ...short, ...SITES.flatMap(({ links }) => links)];
}
