import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../../src/errors.ts';
import { parseOembed } from '../../../../src/media/sources/instagram/parse.ts';
import { bodyOf } from '../../body-of.ts';
import { CODES, refOf } from './fixture.ts';

const ref = refOf(CODES.reel);
const COVER = 'https://scontent.cdninstagram.com/v/t51.2885-15/4_n.jpg?stp=dst-jpg_e35&oe=6A000000';

const card = {
  version: '1.0',
  title: 'Lanterns over the canal #night @pier.nine',
  author_name: 'marla.quill',
  author_url: 'https://www.instagram.com/marla.quill',
  author_id: 880_011,
  media_id: `${ref.parts.mediaId}_880011`,
  provider_name: 'Instagram',
  type: 'rich',
  width: 658,
  html: '<blockquote class="instagram-media"><a href="#">View</a><p>A post shared by Marla &amp; Quill (@marla.quill)</p></blockquote>',
  thumbnail_url: COVER,
  thumbnail_width: 640,
  thumbnail_height: 1136,
};

function parse(body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = 'https://www.instagram.com/api/v1/oembed/?url=x';
  return parseOembed(
    { status, headers: {}, url, body: bodyOf(text) },
    { ref, strategy: 'oembed', now: 1_790_000_000_000 },
  );
}

function failureOf(body: unknown, status?: number): AppError {
  try {
    parse(body, status);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('did not fail');
}

const refusal = (words: object) => ({ message: 'geoblock_required', status: 'fail', ...words });

describe('oEmbed', () => {
  it('gives author, words and cover, and that the rest is missing', () => {
    expect(parse(card)).toMatchObject({
      id: CODES.reel,
      author: { id: '880011', username: 'marla.quill', name: 'Marla & Quill', verified: null, avatarUrl: null },
      caption: 'Lanterns over the canal #night @pier.nine',
      hashtags: ['#night'],
      mentions: ['@pier.nine'],
      items: [],
      missingItems: 1,
      coverUrl: COVER,
      expiresAt: 0x6a000000 * 1000,
      strategy: 'oembed',
    });
  });

  it('needs no more than a name or a cover', () => {
    expect(parse({ author_name: 'marla.quill' })).toMatchObject({ coverUrl: null, expiresAt: null, missingItems: 1 });
    expect(parse({ thumbnail_url: COVER, author_name: 7 })).toMatchObject({ author: { username: null } });
  });

  it('shows no cover from elsewhere', () => {
    expect(parse({ ...card, thumbnail_url: 'https://evil.example/x.jpg' }).coverUrl).toBeNull();
    expect(failureOf({ thumbnail_url: 'http://169.254.169.254/' }).code).toBe('upstream_changed');
  });

  it.each<[ErrorCode, object]>([
    ['age_restricted', { title: "People under 18 can't see this content" }],
    ['age_restricted', { title: 'People under 25 can\u2019t see this content' }],
    ['age_restricted', { title: 'Gesperrt', blocks_logging_data: 'MIN_AGE_ACCOUNT' }],
    ['age_restricted', { title: 'Restricted', description: 'You must be 18 years old or over.' }],
    ['region_blocked', { title: 'Restricted', description: 'This is not available in your country.' }],
    ['region_blocked', { title: 'Content unavailable in your region' }],
    ['region_blocked', { title: 'Eingeschr\u00e4nkt', blocks_logging_data: 'GEO' }],
    ['region_blocked', { title: 'Restricted', description: 'People under 18', blocks_logging_data: 'GEO_BLOCK' }],
    ['login_required', { title: 'Restricted' }],
    ['login_required', { title: 'This content is only shown to some people' }],
    ['login_required', {}],
  ])('says %s for %j', (code, words) => {
    expect(failureOf(refusal(words), 400)).toMatchObject({ code, params: {} });
    expect(failureOf(refusal(words)).code).toBe(code);
  });

  it.each<[ErrorCode, unknown, number]>([
    ['private', { message: 'This account is private', status: 'fail' }, 400],
    ['not_found', { message: 'Media not found or unavailable', status: 'fail' }, 404],
    ['not_found', '<html>Not Found</html>', 404],
    ['upstream_rate_limited', { message: 'Please wait a few minutes before you try again.' }, 401],
    ['upstream_rate_limited', '', 429],
    ['upstream_unavailable', '', 502],
    ['upstream_changed', { message: 'some other word' }, 400],
    ['upstream_changed', '<html>a page</html>', 200],
    ['upstream_changed', {}, 200],
    ['upstream_changed', { ...card, media_id: '12345_6' }, 200],
    ['upstream_changed', '[]', 200],
  ])('says %s for %j with status %i', (code, body, status) => {
    expect(failureOf(body, status).code).toBe(code);
  });

  it('is no proof that a post is gone: it knows public ones alone', () => {
    for (const body of ['', { message: 'Media not found or unavailable' }]) {
      expect(failureOf(body, 404)).toMatchObject({ code: 'not_found', params: { weak: 1 } });
    }
  });
});
