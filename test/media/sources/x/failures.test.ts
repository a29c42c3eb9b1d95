import { describe, expect, it } from 'vitest';
import { asResult, ID, OTHER, other, outcome, photo, queried, read, type Shape, tweet, video } from './fixture.ts';

const tombstone = (text: string | undefined): Shape => ({
  __typename: 'TweetTombstone',
  tombstone: text === undefined ? {} : { text: { rtl: false, text, entities: [] } },
});

describe('what stands in the place of a post', () => {
  it.each([
    ['This Post was deleted by the Post author. Learn more', 'not_found'],
    ['This Tweet was deleted by the Tweet author.', 'not_found'],
    ['This Post violated the X Rules. Learn more', 'not_found'],
    ['This Post is from a suspended account. Learn more', 'not_found account'],
    ['This Post is from an account that no longer exists. Learn more', 'not_found account'],
    [
      'You’re unable to view this Post because this account owner limits who can view their Posts. Learn more',
      'private',
    ],
    ['These posts are protected.', 'private'],
    [
      'Age-restricted adult content. This content might not be appropriate for people under 18 years old. To view this media, you’ll need to log in to X. Learn more',
      'login_required',
    ],
    ['This Post from @ferry_bell has been withheld in Germany based on local law(s). Learn more', 'region_blocked'],
    ['This Post has been withheld in response to a report from the copyright holder. Learn more', 'not_found'],
    ['This Post is unavailable. Learn more', 'not_found (guess)'],
    [undefined, 'login_required'],
  ])('%s means %s', (text, code) => {
    expect(outcome(tombstone(text))).toBe(code);
    expect(outcome(asResult(tombstone(text)), { kind: 'query' })).toBe(code);
  });

  it.each([
    ['NsfwLoggedOut', 'login_required'],
    ['NsfwViewerHasNoStatedAge', 'login_required'],
    ['Protected', 'private'],
    ['Suspended', 'not_found account'],
    ['Deleted', 'not_found'],
    ['Unspecified', 'not_found (guess)'],
  ])('the reason %s means %s', (reason, code) => {
    expect(outcome(asResult({ __typename: 'TweetUnavailable', reason }), { kind: 'query' })).toBe(code);
  });

  it('is the beginning of a post for subscribers', () => {
    const shown = {
      rest_id: ID,
      text: 'Why the lamp turns',
      created_at: 'Wed Jan 29 20:11:21 +0000 2025',
      entities: {},
    };
    const preview = { __typename: 'TweetPreviewDisplay', tweet: shown, limited_action_results: {} };
    expect(outcome(asResult(preview), { kind: 'query' })).toBe('login_required');
  });

  it('counts before another post that stands beside it', () => {
    const gone = tombstone('This Post was deleted by the Post author.');
    expect(outcome({ ...gone, parent: other() })).toBe('not_found');
  });

  it('is nothing, which is gone by the query and kept by syndication', () => {
    expect(outcome({ data: { tweetResult: {} } }, { kind: 'query' })).toBe('not_found');
    expect(outcome({ data: {} }, { kind: 'query' })).toBe('not_found');
    expect(outcome({})).toBe('login_required');
  });

  it.each([
    [404, '<!DOCTYPE html><title>Not Found</title>', 'not_found'],
    [404, '', 'not_found (guess)'],
    [403, '<html>Just a moment...</html>', 'upstream_rate_limited'],
    [401, '{"errors":[{"code":32,"message":"Could not authenticate you."}]}', 'upstream_rate_limited'],
    [429, 'Rate limit exceeded', 'upstream_rate_limited'],
    [500, '', 'upstream_unavailable'],
    [400, '{"errors":[{"code":336,"message":"The following features cannot be null: a_b"}]}', 'upstream_changed'],
    [200, '', 'upstream_changed'],
    [200, '<html></html>', 'upstream_changed'],
    [200, '{"errors":[{"code":144,"message":"No status found with that ID."}]}', 'not_found'],
    [200, '{"errors":[{"code":88,"message":"Rate limit exceeded."}]}', 'upstream_rate_limited'],
    [200, '{"errors":[{"message":"Dependency: Internal error."}]}', 'upstream_unavailable'],
  ])('status %i with %s means %s', (status, body, code) => {
    expect(outcome(body, { kind: status === 404 ? 'embed' : 'query', status })).toBe(code);
  });

  it('waits as long as a limit says', () => {
    const limited = (headers: Readonly<Record<string, string>>) => () =>
      read('', { status: 429, headers, kind: 'query' });
    const wait = (retryAfterMs: number) => expect.objectContaining({ code: 'upstream_rate_limited', retryAfterMs });
    expect(limited({ 'x-rate-limit-reset': '61' })).toThrow(wait(60_000));
    expect(limited({ 'retry-after': '7', 'x-rate-limit-reset': '61' })).toThrow(wait(7_000));
  });

  it('does not stand beside a post: errors beside data are harmless', () => {
    const errors = [{ message: 'Dependency: Unspecified', code: 0 }];
    expect(outcome({ ...asResult(queried(tweet())), errors }, { kind: 'query' })).toMatchObject({ id: ID });
  });
});

/** Without `from`, with `to` in its place. */
function renamed(shape: Shape, from: string, to: string): Shape {
  const { [from]: value, ...rest } = shape;
  return { ...rest, [to]: value };
}

const video1 = { mediaDetails: [video()] };
const unlisted = renamed(Object(video()), 'video_info', 'video_data');
const LAMP = 'lamp.jpg?name=orig';

/** Shapes that the site may have tomorrow: what is in them, or the name of the failure. */
const CHANGED: readonly (readonly [change: string, answer: Shape, right: string | RegExp, kind?: 'embed' | 'query'])[] =
  [
    [
      'the list of media renamed, its photos listed apart',
      {
        ...renamed(tweet(), 'mediaDetails', 'media'),
        photos: [{ url: 'https://pbs.twimg.com/media/lamp.jpg', width: 3000, height: 2000 }],
      },
      LAMP,
    ],
    [
      'the list of media renamed, and nothing else of it',
      renamed(tweet(), 'mediaDetails', 'media'),
      'upstream_changed',
    ],
    [
      'the address of a photo renamed',
      tweet({ mediaDetails: [renamed(photo('lamp'), 'media_url_https', 'src')] }),
      'upstream_changed',
    ],
    [
      'one photo of two without its address',
      tweet({ mediaDetails: [photo('lamp'), renamed(photo('b'), 'media_url_https', 'src')] }),
      /"missingItems":1/,
    ],
    [
      'a photo on another host',
      tweet({ mediaDetails: [photo('lamp', { media_url_https: 'https://evil.example/a.jpg' })] }),
      'upstream_changed',
    ],
    ['files of a video renamed', tweet({ mediaDetails: [unlisted] }), 'upstream_changed'],
    [
      'a playlist alone',
      tweet({
        mediaDetails: [
          video({
            video_info: {
              variants: [{ content_type: 'application/x-mpegURL', url: 'https://video.twimg.com/a.m3u8' }],
            },
          }),
        ],
      }),
      'upstream_changed',
    ],
    [
      'files of a video without their type',
      tweet({ mediaDetails: [video({ video_info: { variants: [{ url: 'https://video.twimg.com/a/b.mp4' }] } })] }),
      'https://video.twimg.com/a/b.mp4',
    ],
    [
      'a kind of media that is not known',
      tweet({ mediaDetails: [photo('lamp', { type: 'hologram' })] }),
      'upstream_changed',
    ],
    ['the id renamed', renamed(tweet(), 'id_str', 'tweetId'), 'upstream_changed'],
    ['another post in place of the asked one', other(), 'upstream_changed'],
    ['another post around the asked one', other({ quoted_tweet: tweet() }), LAMP],
    ['the author renamed', renamed(tweet(), 'user', 'author'), /"username":null.*lamp\.jpg/],
    ['the words renamed', renamed(tweet(), 'text', 'content'), /"caption":null.*lamp\.jpg/],
    [
      'words renamed where nothing else is',
      renamed(tweet({ mediaDetails: [], entities: {} }), 'text', 'content'),
      'upstream_changed',
    ],
    ['numbers in words', tweet({ ...video1, favorite_count: '226' }), /"likes":226/],
    [
      'a quoted post that is not the one it names',
      tweet({ quoted_tweet: other(), quoted_status_id_str: '3' }),
      /"quoted":null/,
    ],
    ['a parent beside it', tweet({ parent: other() }), LAMP],
    ['the date in no form that is known', tweet({ created_at: 'yesterday' }), /"publishedAt":17\d{11}/],
    ['the result one level deeper', asResult({ result: queried(tweet()) }), LAMP, 'query'],
    ['the result under another name', { data: { tweet: { result: queried(tweet()) } } }, LAMP, 'query'],
    ['another post under another name', { data: { tweet: { result: queried(other()) } } }, 'upstream_changed', 'query'],
    [
      'fields of the legacy part beside it',
      asResult({ ...queried(tweet()), ...Object(queried(tweet()).legacy), legacy: {} }),
      LAMP,
      'query',
    ],
    ['the legacy part renamed', asResult(renamed(queried(tweet()), 'legacy', 'details')), LAMP, 'query'],
    ['an answer about nothing that is known', { data: { node: { name: 'x' } } }, 'upstream_changed', 'query'],
    [
      'a media that is withheld where we are',
      tweet({ mediaDetails: [video({ ext_media_availability: { status: 'Unavailable', reason: 'Geoblocked' } })] }),
      'region_blocked',
    ],
  ];

describe('a changed shape', () => {
  const rows = CHANGED.map(([change, answer, right, kind]) => ({
    change,
    answer,
    right,
    kind: kind ?? ('embed' as const),
  }));
  it.each(rows)('$change: right, or rightly named', ({ answer, right, kind }) => {
    const found = outcome(answer, { kind });
    if (typeof found === 'string') expect(found).toBe(right);
    else if (typeof right === 'string') expect(JSON.stringify(found)).toContain(right);
    else expect(JSON.stringify(found)).toMatch(right);
    // Never a file of another author.
    const { quoted: __, ...outer } = Object(found);
    expect(JSON.stringify(outer)).not.toContain('ferry');
    expect(JSON.stringify(outer)).not.toContain(OTHER);
  });
});
