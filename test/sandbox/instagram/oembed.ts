/** Instagram's oEmbed answers (2026-07 to 2026-09): author and cover of what is public, the site's own reason for what is not. */
import { type Answer, type Ask, escapeHtml, json } from '../answer.ts';
import { type InstagramPost, pkOf } from '../world.ts';
import type { RenderContext } from './product.ts';

/** Region and age share message and status; the words come in the language of the one who asks. */
const GATES = {
  'age-restricted': {
    en: { title: "People under 18 can't see this content", description: 'The account chose who can see it.' },
    de: { title: 'Inhalt nicht verf\u00fcgbar', description: 'Das Konto legt fest, wer ihn sieht.' },
    blocks_logging_data: 'MIN_AGE_ACCOUNT',
  },
  'region-blocked': {
    en: { title: 'Restricted', description: 'This content is not available in your country.' },
    de: { title: 'Eingeschr\u00e4nkt', description: 'Hier nicht verf\u00fcgbar.' },
    blocks_logging_data: 'GEO',
  },
} as const;

const NOTHING = { message: 'No media match', status: 'fail' };

export function answerOembed(ask: Ask, post: InstagramPost | undefined, context: RenderContext): Answer {
  const state = post?.state ?? 'removed';
  if (state === 'age-restricted' || state === 'region-blocked') {
    const { en, de, blocks_logging_data } = GATES[state];
    const words = (ask.headers['accept-language'] ?? '').startsWith('en') ? en : de;
    return json({ message: 'geoblock_required', ...words, blocks_logging_data, status: 'fail' }, 400);
  }
  const first = post?.media[0];
  if (post === undefined || first === undefined || state !== 'public') return json(NOTHING, 404);
  const { username, name, id } = post.author;
  const url = `https://www.instagram.com/p/${post.code}/`;
  return json({
    version: '1.0',
    title: post.caption ?? '',
    author_name: username,
    author_url: `https://www.instagram.com/${username}`,
    author_id: Number(id),
    media_id: `${pkOf(post.code)}_${id}`,
    provider_name: 'Instagram',
    provider_url: 'https://www.instagram.com',
    type: 'rich',
    width: 658,
    height: null,
    html: `<blockquote class="instagram-media" data-instgrm-permalink="${url}"><p><a href="${url}">A post shared by ${escapeHtml(name)} (@${username})</a></p></blockquote>`,
    thumbnail_url: context.addresses.of(first.kind === 'video' ? first.cover : first.best, { cacheKey: post.code }),
    thumbnail_width: 640,
    thumbnail_height: Math.round((640 * first.height) / first.width),
  });
}
