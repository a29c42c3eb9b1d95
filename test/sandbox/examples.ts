/** The public posts that the doctor asks for by itself, played with the world's people and media. */

import { facebook } from '../../src/media/sources/facebook/descriptor.ts';
import { matchFacebookLink } from '../../src/media/sources/facebook/link.ts';
import { INSTAGRAM_EXAMPLES } from '../../src/media/sources/instagram/constants.ts';
import { type FacebookPost, type InstagramPost, WORLD, type World } from './world.ts';

function facebookExample(link: string): FacebookPost {
  const match = matchFacebookLink(new URL(link));
  if (match?.kind !== 'post') throw new Error(`${link} names no post`);
  const { id, form } = match.ref;
  const wanted = form === 'video' || form === 'reel' ? 'watch' : form;
  const like = WORLD.facebook.find(post => post.form === wanted && post.state === 'public');
  if (like === undefined) throw new Error(`the world has nothing like ${link}`);
  return id.startsWith('pfbid') ? { ...like, id: '1160563418981189', pfbid: id } : { ...like, id };
}

function instagramExample(link: string): InstagramPost {
  const [, form, code = ''] = /\/(reel|p)\/([\w-]+)\/$/.exec(link) ?? [];
  const isCarousel = link === INSTAGRAM_EXAMPLES[1];
  const like = WORLD.instagram.find(({ media, state }) => {
    if (state !== 'public') return false;
    const kind = media.length > 1 ? 'carousel' : media[0]?.kind;
    return kind === (form === 'reel' ? 'video' : isCarousel ? 'carousel' : 'image');
  });
  if (like === undefined) throw new Error(`the world has nothing like ${link}`);
  return { ...like, code };
}

export const EXAMPLES: Pick<World, 'instagram' | 'facebook'> = {
  instagram: INSTAGRAM_EXAMPLES.map(instagramExample),
  facebook: facebook.examples.map(facebookExample),
};
