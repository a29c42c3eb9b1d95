/** The Graph API's answers to `oembed_video` and `oembed_post` without a token, as of 2026-10: embed code, and no media. */
import { type Answer, type Ask, escapeHtml, json } from '../answer.ts';
import type { FacebookPost } from '../world.ts';
import { facebookUrl } from './media.ts';

const REFUSED = { message: '(#100) Invalid parameter', type: 'OAuthException', code: 100, fbtrace_id: 'SandboxTrace0' };

export function answerOembed(ask: Ask, post: FacebookPost | undefined): Answer {
  const isVideo = ask.url.pathname.endsWith('/oembed_video');
  const isKnown = post !== undefined && post.state === 'public';
  const hasVideo = post?.media.some(one => one.kind === 'video') ?? false;
  if (!isKnown || (isVideo && !hasVideo)) return json({ error: REFUSED }, 400);
  const url = escapeHtml(facebookUrl(post));
  const name = escapeHtml(post.owner.name);
  return json({
    html: `<blockquote cite="${url}" class="fb-xfbml-parse-ignore"><a href="${url}">${escapeHtml(post.title ?? '')}</a>Posted by <a href="https://www.facebook.com/${post.owner.username}">${name}</a></blockquote>`,
    type: isVideo ? 'video' : 'rich',
    version: '1.0',
    provider_name: 'Facebook',
    provider_url: 'https://www.facebook.com',
    width: 500,
  });
}
