import { describe, expect, it } from 'vitest';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { draftOfAnswer } from '../../../../src/media/sources/facebook/parse.ts';
import { bodyOf } from '../../body-of.ts';
import { CHANGES, changeEverywhere } from '../../break-drill/changes.ts';
import { documentsOf } from '../../break-drill/documents.ts';
import { fixture, IDS, PFBID, REFS, refOf } from './fixture.ts';

const answer = (text: string, ref: PostRef) => ({ status: 200, headers: {}, url: ref.url, body: bodyOf(text) });
const read = (text: string, ref: PostRef) => draftOfAnswer(answer(text, ref), ref, 0);

/** The code of the failure, `weak` behind a guess; the test fails where there is none. */
function failureOf(text: string, ref: PostRef): string {
  try {
    read(text, ref);
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'params' in error) {
      const isWeak = typeof error.params === 'object' && error.params !== null && 'weak' in error.params;
      return `${error.code}${isWeak ? ' weak' : ''}`;
    }
    throw error;
  }
  throw new Error('gave a post');
}

/** The page with a script of its own before the end. */
const withScript = (html: string, value: unknown) =>
  html.replace('</body>', `<script type="application/json" data-sjs>${JSON.stringify(value)}</script></body>`);
const withMarkup = (html: string, markup: string) => html.replace('<body>', `<body>${markup}`);
const FILE_KEYS = /browser_native_\w+|playable_url\w*|dash_manifest|videoDelivery\w+/g;

describe('a page whose files have other names', () => {
  it.each([
    ['reel.html', REFS.reel],
    ['watch.html', REFS.watch],
    ['reel-delivery.html', REFS.reelDelivery],
    ['post-video.html', REFS.postVideo],
    ['post-shared.html', REFS.postShared],
  ])('%s is a change of the site, with a login form and other videos beside it', (name, ref) => {
    const html = withMarkup(fixture(name), '<form id="login_form"></form>');
    const renamed = html.replace(FILE_KEYS, 'file_v9');
    const nulled = html.replace(
      /("(?:browser_native_\w+|playable_url\w*|dash_manifest)": )"(?:[^"\\]|\\.)*"/g,
      '$1null',
    );
    const elsewhere = html.replaceAll('fbcdn.net', 'example.org');
    for (const changed of [renamed, elsewhere]) expect(failureOf(changed, ref), name).toBe('upstream_changed');
    if (name !== 'reel-delivery.html') expect(failureOf(nulled, ref), name).toBe('upstream_changed');
  });

  it('and that names the post in no known place is no page of others', () => {
    const html = fixture('others-only.html');
    expect(failureOf(html, REFS.reel)).toBe('not_found weak');
    expect(failureOf(withScript(html, { watching: { now: [IDS.reel] } }), REFS.reel)).toBe('upstream_changed');
    const story = Buffer.from(`S:_I61550000000001:VK:${IDS.reel}`).toString('base64');
    expect(failureOf(withScript(html, { note: story }), REFS.reel)).toBe('upstream_changed');
    const head = `<link rel="canonical" href="https://www.facebook.com/reel/${IDS.reel}/"></head>`;
    expect(failureOf(html.replace('</head>', head), REFS.reel)).toBe('upstream_changed');
  });

  it('and was asked by a pfbid, which a page never repeats', () => {
    const ref = refOf(`https://www.facebook.com/mira.okeke/posts/${PFBID}x`);
    expect(failureOf(fixture('others-only.html'), ref)).toBe('upstream_changed');
  });
});

describe('the words of a refusal', () => {
  const nothing = fixture('empty.html');

  it.each([
    ["This content isn't available right now", 'not_found'],
    ['This video is private', 'private'],
    ["This video isn't available in your country", 'region_blocked'],
    ['You must be at least 18 years old', 'age_restricted'],
  ])('“%s” count in the page and in its data', (words, code) => {
    expect(failureOf(withMarkup(nothing, `<h2>${words.replace("'", '&#039;')}</h2>`), REFS.reel)).toBe(code);
    const data = { error: { title: words.replace("'", '\u2019') } };
    expect(failureOf(withScript(nothing, data), REFS.reel)).toBe(code);
    const form = '<form id="login_form"></form>';
    expect(failureOf(withMarkup(withScript(nothing, data), form), REFS.reel)).toBe(code);
  });

  it.each([
    "This content isn't available right now",
    'This video is private',
    "This video isn't available in your country",
    'You must be at least 18 years old',
  ])('“%s” are people’s own where their posts stand, and in the head', words => {
    const others = fixture('others-only.html').replace(/"text": "[^"]*"/g, `"text": ${JSON.stringify(words)}`);
    expect(others).toContain(words);
    expect(failureOf(others, REFS.reel)).toBe('not_found weak');
    const head = `<title>Lena - ${words} | Facebook</title><meta property="og:description" content="${words}">`;
    expect(failureOf(nothing.replace('<title>Facebook</title>', head), REFS.reel)).toBe('upstream_changed');
    const reel = fixture('reel.html').replaceAll('Throwing a bowl', words);
    expect(read(reel, REFS.reel).items).toHaveLength(1);
    expect(failureOf(reel.replace(FILE_KEYS, 'file_v9'), REFS.reel)).toBe('upstream_changed');
  });

  it('count where the post itself says so', () => {
    const gated = {
      video: { id: IDS.reel, __typename: 'Video', gating: { title: { text: 'This video is private' } } },
    };
    expect(failureOf(withScript(nothing, gated), REFS.reel)).toBe('private');
    const ofAnother = { video: { ...gated.video, id: IDS.decoy } };
    expect(failureOf(withScript(nothing, ofAnother), REFS.reel)).toBe('not_found weak');
  });

  it.each([
    'This Facebook post is no longer available. It may have been removed.',
    'This video is no longer available. The link may be broken or the video may have been removed.',
    'This Video Isn&#039;t Available Anymore',
    'This reel isn’t available',
  ])('are a guess where they may mean a login, too: %s', text => {
    const words = `<div>${text}</div>`;
    expect(failureOf(withMarkup('<html><body></body></html>', words), REFS.reel)).toBe('not_found weak');
  });
});

it.each(['Facebook – log in or sign up', 'Log in or sign up to view'])('the title “%s” is a login page’s', title => {
  const page = `<html><head><title>${title}</title></head><body><div>See more on Facebook</div></body></html>`;
  expect(failureOf(page, REFS.reel)).toBe('login_required');
});

const SHARED =
  '"attached_story": {"id": "x", "comet_sections": {"message": {"text": "Their words."}}, "attachments": []}';

function attached(style: string, attachment: object): string {
  const styles = { __typename: `StoryAttachment${style}StyleRenderer`, attachment };
  return `"attachments": ${JSON.stringify([{ styles }])}`;
}

describe('a post of which a part cannot be read', () => {
  const photos = fixture('post-photos.html');

  it('has the author of the next place when the owner is empty', () => {
    const html = fixture('reel-delivery.html');
    const emptied = html.replace(/"owner": \{[^{}]*\}/, '"owner": {}');
    expect(emptied).not.toBe(html);
    expect(read(emptied, REFS.reelDelivery).author).toMatchObject({ id: '61550000000004' });
  });

  it('keeps the places of the others', () => {
    const broken = photos.replace(/"id": "700100200300405",\s*"browser_native_sd_url"/, '"id": "700100200300405", "x"');
    expect(broken).not.toBe(photos);
    const { items } = read(broken, REFS.postPhotos);
    expect(items.map(item => item?.kind ?? null)).toEqual(['image', 'image', null, 'image']);
  });

  it('counts what is stated and not listed', () => {
    const { items } = read(photos.replace('"count": 4', '"count": 9'), REFS.postPhotos);
    expect(items).toHaveLength(9);
    expect(items.slice(4).every(item => item === null)).toBe(true);
  });

  it('says so where only a part of the list is left', () => {
    const { values, render } = documentsOf(photos);
    const removed = CHANGES.find(change => change.name === 'removed');
    if (removed === undefined) throw new Error('no such change');
    const partly = render(values.map(value => changeEverywhere(value, 'all_subattachments', removed)));
    expect(read(partly, REFS.postPhotos).items.map(item => item?.kind ?? null)).toEqual(['image', 'image', null]);
  });

  it('is no post of words while a photo or a video stands anywhere in it', () => {
    const words = fixture('post-words.html');
    expect(read(words, REFS.postWords)).toMatchObject({ items: [], isWordsOnly: true });
    const shared = words.replace('"attachments": []', '"attachments": [], "attached_story": {"id": "x"}');
    expect(failureOf(shared, REFS.postWords)).toBe('upstream_changed');
    const moved = words.replace(
      '"attachments": []',
      '"attachments": [], "media_v2": {"__typename": "Photo", "uri": "x"}',
    );
    expect(failureOf(moved, REFS.postWords)).toBe('upstream_changed');
    const silent = words.replace('"message"', '"message_v2"');
    expect(failureOf(silent, REFS.postWords)).toBe('upstream_changed');
    const reel = refOf(`https://www.facebook.com/reel/${IDS.postWords}`);
    expect(failureOf(words, reel)).toBe('upstream_changed');
  });
});

it.each([
  ['a link without an image', ['"attachments": []', attached('ShareMedium', { media: null })], 'Only words today.'],
  ['an event', ['"attachments": []', attached('Event', { target: { __typename: 'Event' } })], 'Only words today.'],
  ['a poll', ['"attachments": []', attached('TextPoll', { question: { options: {} } })], 'Only words today.'],
  ['what is gone', ['"attachments": []', attached('CustomUnavailable', {})], 'Only words today.'],
  ['the words of another', ['"attachments": []', `"attachments": [], ${SHARED}`], 'Only words today.'],
  [
    'no more than those',
    [/"message": \{[^}]*\},\s*"attachments": \[\]/, `"attachments": [], ${SHARED}`],
    'Their words.',
  ],
] as const)('a post that shares %s is one of words', (_, [from, to], caption) => {
  const html = fixture('post-words.html').replace(from, to);
  expect(read(html, REFS.postWords)).toMatchObject({ items: [], isWordsOnly: true, caption });
});

it.each([
  ['its own words', '"message": {"text": "Only words today."}', 'Only words today.'],
  ['those of the reel without any', '"message": null', 'Their words.'],
])('a post that shares a reel has %s, and the reel', (_, message, caption) => {
  const playback_video = { id: '5500', playable_url: 'https://video.fbcdn.net/v/tide.mp4' };
  const fb_shorts_story = { id: 'x', message: { text: 'Their words.' }, short_form_video_context: { playback_video } };
  const media = { __typename: 'GenericAttachmentMedia' };
  const reel = attached('FBReels', { media, style_infos: [{ fb_shorts_story }] });
  const html = fixture('post-words.html').replace(/"message": \{[^}]*\},\s*"attachments": \[\]/, `${reel}, ${message}`);
  const post = read(html, REFS.postWords);
  expect(post).toMatchObject({ caption, author: { name: 'Lena Sharer' }, items: [{ kind: 'video' }] });
});

describe('a link to a video', () => {
  it('is never answered with an image', () => {
    const photo = fixture('photo.html').replaceAll(IDS.photo, IDS.reel);
    expect(read(photo, refOf(`https://www.facebook.com/photo/?fbid=${IDS.reel}`)).items[0]?.kind).toBe('image');
    expect(failureOf(photo, REFS.reel)).toBe('upstream_changed');
  });
});

it('finds a video by the other name of its id, but no file in what only names it', () => {
  const named = { __typename: 'Video', videoId: IDS.watch, playable_url: 'https://video.fbcdn.net/v/tide.mp4' };
  expect(read(withScript('<body></body>', { data: { video: named } }), REFS.watch).items[0]?.kind).toBe('video');
  const page = withScript(withMarkup('<body></body>', '<form id="login_form"></form>'), {
    params: { videoId: IDS.watch, tracking: 'x' },
  });
  expect(failureOf(page, REFS.watch)).toBe('login_required');
});
