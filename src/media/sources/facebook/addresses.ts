import type { PostRef } from '../../extract/source.ts';
import type { FacebookProfileName } from './constants.ts';

const SITE = 'https://www.facebook.com';
const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video']);
const POST_FORMS: ReadonlySet<string> = new Set(['post', 'permalink', 'group', 'id']);

type AddressOf = (ref: PostRef) => string | null;

function isVideoRef(ref: PostRef): boolean {
  return VIDEO_FORMS.has(ref.form);
}

/** Whether it may be a video: a bare number says nothing of what it names. */
function mayBeVideo(ref: PostRef): boolean {
  return isVideoRef(ref) || (ref.form === 'id' && /^\d+$/.test(ref.id));
}

/** The permanent address of a video; the player and the oracle know no other (a short link finds nothing there). */
function videoAddress(ref: PostRef): string {
  return ref.form !== 'reel' && ref.parts.owner
    ? `${SITE}/${ref.parts.owner}/videos/${ref.id}/`
    : `${SITE}/reel/${ref.id}/`;
}

const post: AddressOf = ref => (POST_FORMS.has(ref.form) ? ref.url : null);
const photo: AddressOf = ref => (ref.form === 'photo' ? ref.url : null);
/** Pages under `/watch` and `/videos` show another video's files at times (seen 2026-06): every video is asked for as a reel. */
const reel: AddressOf = ref => (isVideoRef(ref) ? `${SITE}/reel/${ref.id}` : null);
/** The player for other sites: few words, but shown where the page is walled. */
const embed: AddressOf = ref =>
  mayBeVideo(ref) ? `${SITE}/plugins/video.php?href=${encodeURIComponent(videoAddress(ref))}` : null;
const watch: AddressOf = ref => (mayBeVideo(ref) ? `${SITE}/watch/?v=${ref.id}` : null);
const video: AddressOf = ref =>
  isVideoRef(ref) && ref.parts.owner ? `${SITE}/${ref.parts.owner}/videos/${ref.id}/` : null;
const owned: AddressOf = ref => (ref.form === 'permalink' ? `${SITE}/${ref.parts.owner}/posts/${ref.id}` : null);
const story: AddressOf = ref =>
  ref.form === 'permalink' || (ref.form === 'post' && /^\d+$/.test(ref.parts.owner ?? ''))
    ? `${SITE}/story.php?story_fbid=${ref.id}&id=${ref.parts.owner}`
    : null;

/** Where the site may show a post, by the strategy that asks there, in starting order; null where the post has no such address. */
export const FACEBOOK_ADDRESSES: readonly (readonly [FacebookProfileName, AddressOf])[] = [
  ['post-page/browser', post],
  ['post-page/plain', post],
  ['photo-page/browser', photo],
  ['photo-page/plain', photo],
  ['photo-php/plain', ref => (ref.form === 'photo' ? `${SITE}/photo.php?fbid=${ref.id}` : null)],
  ['reel-page/browser', reel],
  ['reel-page/plain', reel],
  ['embed/crawler', embed],
  ['embed/plain', embed],
  ['watch-page/plain', watch],
  ['video-page/plain', video],
  ['group-page/plain', ref => (ref.form === 'group' ? `${SITE}/groups/${ref.parts.group}/permalink/${ref.id}/` : null)],
  ['owner-page/plain', owned],
  ['story-page/plain', story],
  ['reel-page/search', reel],
  ['post-page/search', post],
];

/** What the Graph API is asked about a post. */
export function oembedQuestion(ref: PostRef): { readonly endpoint: string; readonly url: string } {
  return isVideoRef(ref)
    ? { endpoint: 'oembed_video', url: videoAddress(ref) }
    : { endpoint: 'oembed_post', url: ref.url };
}
