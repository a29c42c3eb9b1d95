/** Shape A: the mobile API's product, as `media/info` (`v1`), `web_info` and the logged-out Polaris answers carry it. */
import type { MediaAddresses } from '../address.ts';
import { dashManifest } from '../dash.ts';
import type { Clip, Media, MediaFile, Photo } from '../media.ts';
import { type InstagramPost, type Person, pkOf, takenAt } from '../world.ts';

export interface RenderContext {
  readonly addresses: MediaAddresses;
  readonly files: ReadonlyMap<string, MediaFile>;
}

export type ProductKind = 'polaris' | 'polaris-page' | 'web-info' | 'v1';

type Json = Readonly<Record<string, unknown>>;

function imageCandidates(media: Media, pk: string, { addresses }: RenderContext): readonly Json[] {
  if (media.kind === 'video') {
    const tag = { vencode_tag: 'CLIPS.xpids.720.sdr.video_default_cover_frame.C3' };
    const url = addresses.of(media.cover, { cacheKey: pk, tag, transform: 'dst-jpg_e15_tt6' });
    return [{ url, width: media.width, height: media.height }];
  }
  const large = addresses.of(media.best, { cacheKey: pk, transform: 'dst-jpg_e35_tt6' });
  const small = addresses.of(media.small, { cacheKey: pk, transform: 'dst-jpg_e35_p480x480_tt6' });
  // Smallest first: nothing promises an order.
  return [
    { url: small, width: 480, height: 600 },
    { url: large, width: media.width, height: media.height },
  ];
}

function clipTag(clip: Clip, shortSide: number): Readonly<Record<string, string | number>> {
  return {
    vencode_tag: `xpv_progressive.INSTAGRAM.CLIPS.C3.${shortSide}.dash_baseline_1_v1`,
    xpv_asset_id: 654_903_327_504_019,
    vi_usecase_id: 10_099,
    duration_s: Math.floor(clip.durationMs / 1000),
    urlgen_source: 'www',
  };
}

/** The address of a clip's best file, the only one that shape B has. */
export function bestVideoUrl(clip: Clip, { addresses }: RenderContext): string {
  return addresses.of(clip.best, { tag: clipTag(clip, Math.min(clip.width, clip.height)) });
}

/** Polaris has no sizes and one file three times; the others have sizes and every file. */
function videoVersions(clip: Clip, kind: ProductKind, context: RenderContext): readonly Json[] {
  if (!clip.hasWholeFile) return [];
  const url = bestVideoUrl(clip, context);
  const { width, height } = clip;
  if (kind.startsWith('polaris')) return [101, 102, 103].map(type => ({ type, url }));
  const whole = [101, 103].map(type => ({ type, url, width, height, id: '1190022003300v' }));
  if (clip.small === null) return whole;
  const scale = 360 / Math.min(width, height);
  const small = context.addresses.of(clip.small, { tag: clipTag(clip, 360) });
  return [{ type: 102, url: small, width: width * scale, height: height * scale, id: '1190022003301v' }, ...whole];
}

function clipFields(clip: Clip, kind: ProductKind, context: RenderContext): Json {
  return {
    is_dash_eligible: 1,
    number_of_qualities: clip.small === null ? 1 : 2,
    has_audio: clip.hasAudio,
    video_versions: videoVersions(clip, kind, context),
    video_dash_manifest: dashManifest(clip, context),
    ...(kind === 'v1' ? { video_duration: clip.durationMs / 1000, video_codec: 'avc1.640028' } : {}),
  };
}

function mediaFields(media: Media, pk: string, kind: ProductKind, context: RenderContext): Json {
  return {
    media_type: media.kind === 'video' ? 2 : 1,
    original_width: media.kind === 'video' && media.dash !== null ? media.dash.width : media.width,
    original_height: media.kind === 'video' && media.dash !== null ? media.dash.height : media.height,
    image_versions2: { candidates: imageCandidates(media, pk, context) },
    accessibility_caption: altOf(media),
    ...(media.kind === 'video'
      ? clipFields(media, kind, context)
      : { video_versions: null, video_dash_manifest: null }),
  };
}

export function altOf(media: Media): string | null {
  return media.kind === 'image' ? media.alt : null;
}

const TYPE_NAMES = { video: 'XIGPolarisVideoMedia', image: 'XIGPolarisImageMedia' } as const;

function typeName(kind: ProductKind, media: Media | null): string {
  if (!kind.startsWith('polaris')) return 'XDTMediaDict';
  return media === null ? 'XIGPolarisCarouselMedia' : TYPE_NAMES[media.kind];
}

/** Ids of the items of a carousel: a little older than the post's own. */
export function childPk(pk: string, index: number): string {
  return (BigInt(pk) - BigInt(90 - index) * 8_388_608n).toString();
}

function userOf(person: Person, kind: ProductKind, { addresses }: RenderContext): Json {
  const avatar = addresses.of(person.avatar, { transform: 'dst-jpg_s150x150_tt6' });
  const user = {
    pk: person.id,
    id: person.id,
    username: person.username,
    full_name: person.name,
    profile_pic_url: avatar,
  };
  // Pages of 2026-10 are silent on who is verified.
  if (kind === 'polaris-page') return { ...user, id: `178414${person.id}`, __typename: 'User' };
  const known = {
    ...user,
    is_verified: person.verified,
    is_private: false,
    is_unpublished: false,
    is_embeds_disabled: false,
  };
  return kind === 'v1'
    ? { ...known, pk: Number(person.id), pk_id: person.id, account_badges: [], is_favorite: false }
    : known;
}

function countFields({ counts }: InstagramPost, kind: ProductKind): Json {
  if (counts === null)
    return { like_and_view_counts_disabled: true, ...(kind === 'polaris-page' ? {} : { like_count: 3 }) };
  const plays = counts.plays === null ? {} : { play_count: counts.plays };
  const views = kind === 'web-info' ? { view_count: null, fb_like_count: null } : {};
  const known = { like_and_view_counts_disabled: false, like_count: counts.likes, comment_count: counts.comments };
  return kind === 'v1'
    ? { ...known, ...plays, fb_play_count: 0, ig_play_count: counts.plays }
    : { ...known, ...plays, ...views };
}

/** Keys that say nothing of the post; real answers are mostly made of them. */
const FILLER: Json = {
  boosted_status: null,
  boost_unavailable_identifier: null,
  boost_unavailable_reason: null,
  caption_is_edited: false,
  feed_demotion_control: null,
  feed_recs_demotion_control: null,
  inventory_source: null,
  sharing_friction_info: { bloks_app_url: null, should_have_sharing_friction: false },
  is_paid_partnership: false,
  sponsor_tags: null,
  affiliate_info: null,
  link: null,
  story_cta: null,
  group: null,
  coauthor_producers: [],
  invited_coauthor_producers: [],
  follow_hashtag_info: null,
  title: null,
  comments_disabled: null,
  commenting_disabled_for_viewer: null,
  has_liked: false,
  top_likers: [],
  facepile_top_likers: [],
  preview: null,
  can_see_insights_as_brand: false,
  social_context: [],
  can_reshare: null,
  can_viewer_reshare: true,
  ig_media_sharing_disabled: false,
  photo_of_you: null,
  usertags: null,
  media_overlay_info: null,
  carousel_parent_id: null,
  location: null,
  clips_attribution_info: null,
  audience: null,
  media_cropping_info: null,
  profile_grid_thumbnail_fitting_style: 'UNSET',
  thumbnails: null,
  timeline_pinned_user_ids: [],
  upcoming_event: null,
  logging_info_token: null,
  explore: null,
  is_seen: null,
  open_carousel_submission_state: 'closed',
  previous_submitter: null,
  all_previous_submitters: null,
  headline: null,
  comments: null,
  saved_collection_ids: null,
  has_viewer_saved: null,
  media_level_comment_controls: null,
  deleted_reason: 0,
  filter_type: 0,
  product_suggestions: [],
};

/** The handful that there were in 2022. */
const FILLER_2022: Json = {
  filter_type: 0,
  is_unified_video: false,
  should_request_ads: false,
  commerciality_status: 'not_commercial',
  is_paid_partnership: false,
  comment_likes_enabled: true,
  has_more_comments: true,
  preview_comments: [],
  photo_of_you: false,
  can_viewer_reshare: true,
  has_liked: false,
  top_likers: [],
  coauthor_producers: [],
  can_viewer_save: true,
  deleted_reason: 0,
  is_seen: false,
  is_eof: false,
  ranking_weight: 0,
};

function captionOf(
  { caption, author }: InstagramPost,
  pk: string,
  kind: ProductKind,
  context: RenderContext,
): Json | null {
  if (caption === null) return null;
  if (kind.startsWith('polaris')) return { text: caption };
  const base = {
    pk: (BigInt(pk) % 17_000_000_000_000_000n).toString(),
    text: caption,
    created_at: takenAt(pk) + 1,
    has_translation: null,
  };
  return kind === 'v1' ? { ...base, type: 1, user: userOf(author, kind, context), media_id: pk } : base;
}

function productType(media: readonly Media[]): string {
  if (media.length > 1) return 'carousel_container';
  return media[0]?.kind === 'video' ? 'clips' : 'feed';
}

/** The square that carousels carry on top: an image of one of the items over again, in a size that no item has. */
function carouselFields(post: InstagramPost, pk: string, kind: ProductKind, context: RenderContext): Json {
  const first = post.media[0];
  const owner = post.author.id;
  return {
    media_type: 8,
    original_width: 612,
    original_height: 612,
    image_versions2: { candidates: first === undefined ? [] : imageCandidates(first, childPk(pk, 0), context) },
    carousel_media_count: post.media.length,
    carousel_media: post.media.map((media, index) => {
      const child = childPk(pk, index);
      const id = kind.startsWith('polaris') ? `POLARIS_${child}` : `${child}_${owner}`;
      return {
        __typename: typeName(kind, media),
        id,
        pk: child,
        carousel_parent_id: `${pk}_${owner}`,
        ...mediaFields(media, child, kind, context),
      };
    }),
  };
}

export function renderProduct(post: InstagramPost, kind: ProductKind, context: RenderContext): Json {
  const pk = pkOf(post.code);
  const user = userOf(post.author, kind, context);
  const only = post.media.length === 1 ? post.media[0] : undefined;
  const isOld = post.dialect === '2022' && kind === 'v1';
  return {
    ...(isOld ? {} : { __typename: typeName(kind, only ?? null) }),
    code: post.code,
    pk,
    id: kind.startsWith('polaris') ? `POLARIS_${pk}` : `${pk}_${post.author.id}`,
    ...(isOld ? FILLER_2022 : kind.startsWith('polaris') ? {} : FILLER),
    ...(isOld ? {} : { product_type: kind.startsWith('polaris') ? null : productType(post.media) }),
    user,
    ...(kind === 'web-info' ? { owner: user } : {}),
    taken_at: takenAt(pk),
    caption: captionOf(post, pk, kind, context),
    ...countFields(post, kind),
    ...(only === undefined ? carouselFields(post, pk, kind, context) : mediaFields(only, pk, kind, context)),
  };
}

/** A post of another author, for pages that show more than was asked. */
export function renderStranger(author: Person, photo: Photo, index: number, context: RenderContext): Json {
  const code = `DYsomeone0${index}`;
  const pk = pkOf(code);
  return {
    __typename: 'XIGPolarisImageMedia',
    code,
    pk,
    id: `POLARIS_${pk}`,
    user: userOf(author, 'polaris-page', context),
    taken_at: takenAt(pk),
    caption: { text: 'Not the post you asked for.' },
    like_count: 7,
    ...mediaFields(photo, pk, 'polaris-page', context),
  };
}
