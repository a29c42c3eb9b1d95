import { describe, expect, it } from 'vitest';
import { asResult, ID, OTHER, other, outcome, photo, queried, read, tweet, video } from './fixture.ts';

const VIDEO = 'https://video.twimg.com/ext_tw_video/1/pu/vid/avc1';

describe('a post of X', () => {
  it('comes with author, words, counts and its photo in several sizes', () => {
    expect(outcome(tweet())).toMatchObject({
      source: 'x',
      id: ID,
      url: `https://x.com/i/status/${ID}`,
      author: {
        id: '880',
        username: 'pier_lights',
        name: 'Pier Lights',
        verified: true,
        avatarUrl: 'https://pbs.twimg.com/profile_images/1/lamp_normal.jpg',
      },
      caption: 'Lamps & fog https://pier.example/lamps?from=x #pier',
      hashtags: ['#pier'],
      publishedAt: Date.UTC(2025, 8, 22, 20),
      stats: { likes: 226, comments: 12, shares: null, views: null },
      sensitive: false,
      quoted: null,
      missingItems: 0,
      items: [
        {
          kind: 'image',
          width: 3000,
          height: 2000,
          alt: 'A photo called lamp',
          thumbnailUrl: 'https://pbs.twimg.com/media/lamp.jpg?name=small',
          variants: [
            { url: 'https://pbs.twimg.com/media/lamp.jpg?name=orig', mime: 'image/jpeg', width: 3000 },
            { url: 'https://pbs.twimg.com/media/lamp.jpg?name=large', width: 2048, height: 1365 },
            { url: 'https://pbs.twimg.com/media/lamp.jpg?name=medium', width: 1200 },
          ],
        },
      ],
    });
  });

  it('says the same by the query, and more counts', () => {
    const { strategy: _, stats: __, author: ___, ...bySyndication } = Object(outcome(tweet()));
    const byQuery = outcome(asResult(queried(tweet())), { kind: 'query' });
    expect(byQuery).toMatchObject(bySyndication);
    expect(byQuery).toMatchObject({
      author: { id: '880', username: 'pier_lights', name: 'Pier Lights', verified: null },
      stats: { likes: 226, comments: 12, shares: 68, views: 4186, authorFollowers: 40, authorPosts: 7 },
    });
    const limited = asResult({ __typename: 'TweetWithVisibilityResults', tweet: queried(tweet()) });
    expect(outcome(limited, { kind: 'query' })).toMatchObject(bySyndication);
  });

  it('has a photo of which kind and state are null', () => {
    const listed = photo('lamp', { type: null, ext_media_availability: { status: null } });
    expect(outcome(tweet({ mediaDetails: [listed] }))).toMatchObject({ items: [{ kind: 'image' }], missingItems: 0 });
  });

  it('has its videos as whole files, best first, by the frame that the address names', () => {
    expect(outcome(tweet({ mediaDetails: [video()] }))).toMatchObject({
      items: [
        {
          kind: 'video',
          width: 1920,
          height: 1080,
          durationMs: 29_626,
          thumbnailUrl: 'https://pbs.twimg.com/ext_tw_video_thumb/1/pu/img/cover.jpg',
          variants: [
            { url: `${VIDEO}/1280x720/best.mp4?tag=12`, width: 1280, height: 720, bitrate: 2_176_000, hasAudio: null },
            { url: `${VIDEO}/480x270/low.mp4?tag=12`, width: 480, bitrate: 256_000, adaptive: false },
          ],
        },
      ],
    });
  });

  it('keeps the order of an album, and knows a loop to be silent', () => {
    const variants = [{ bitrate: 0, content_type: 'video/mp4', url: 'https://video.twimg.com/tweet_video/loop.mp4' }];
    const loop = video({ type: 'animated_gif', video_info: { aspect_ratio: [1, 1], variants } });
    const png = photo('b', { media_url_https: 'https://pbs.twimg.com/media/b?format=png&name=small' });
    const post = outcome(tweet({ mediaDetails: [photo('a'), loop, png, video()] }));
    expect(post).toMatchObject({
      items: [
        { kind: 'image', position: 0 },
        {
          kind: 'video',
          position: 1,
          durationMs: null,
          variants: [{ hasAudio: false, bitrate: null, mime: 'video/mp4' }],
        },
        { kind: 'image', position: 2, variants: [{ mime: 'image/png' }, {}, {}] },
        { kind: 'video', position: 3 },
      ],
    });
    expect(JSON.stringify(post)).toContain('https://pbs.twimg.com/media/b?format=png&name=orig');
  });

  it('has the choices of a poll below its words, with the shares of the votes', () => {
    const words = { text: 'Which lamp?', display_text_range: [0, 11], mediaDetails: undefined, entities: {} };
    const value = (string_value: string) => ({ string_value, type: 'STRING' });
    const labels = { choice1_label: value('Oil'), choice2_label: value('Gas'), choice3_label: value('None') };
    const counts = { choice1_count: value('1'), choice2_count: value('3'), choice3_count: value('0') };
    const end = { end_datetime_utc: value('2025-09-23T20:00:00Z'), counts_are_final: { boolean_value: true } };
    const name = 'poll3choice_text_only';
    const poll = { name, binding_values: { ...end, ...labels, ...counts } };
    const caption = 'Which lamp?\n\n\u2022 Oil: 25%\n\u2022 Gas: 75%\n\u2022 None: 0%';
    expect(outcome(tweet({ ...words, card: poll }))).toMatchObject({ caption, items: [], missingItems: 0 });
    const binding_values = Object.entries(poll.binding_values).map(([key, each]) => ({ key, value: each }));
    const asked = asResult({
      ...queried(tweet(words)),
      card: { rest_id: 'card://1', legacy: { name, binding_values } },
    });
    expect(outcome(asked, { kind: 'query' })).toMatchObject({ caption, items: [] });
    // A poll without votes, or of which some counts are not stated, has the choices alone.
    const none = { choice1_count: value('0'), choice2_count: value('0'), choice3_count: value('0') };
    for (const stated of [none, { choice1_count: value('4') }])
      expect(outcome(tweet({ ...words, card: { name, binding_values: { ...labels, ...stated } } }))).toMatchObject({
        caption: 'Which lamp?\n\n\u2022 Oil\n\u2022 Gas\n\u2022 None',
      });
  });

  it('has the media of an advertisement, whose card holds them as text', () => {
    const entities = {
      '13_1': video({ url: '', expanded_url: '' }),
      '13_2': photo('b', { url: '', expanded_url: '' }),
    };
    const value = { string_value: JSON.stringify({ type: 'video_website', media_entities: entities }), type: 'STRING' };
    const words = { mediaDetails: undefined, entities: {} };
    const items = [{ kind: 'video', durationMs: 29_626 }, { kind: 'image' }];
    const card = { name: 'unified_card', binding_values: { card_url: {}, unified_card: value } };
    expect(outcome(tweet({ ...words, card }))).toMatchObject({ items, missingItems: 0 });
    const binding_values = [{ key: 'card_url' }, { key: 'unified_card', value }];
    const asked = asResult({ ...queried(tweet(words)), card: { legacy: { binding_values } } });
    expect(outcome(asked, { kind: 'query' })).toMatchObject({ items });
    const preview = { name: 'summary', binding_values: { title: { string_value: 'Lamps' } } };
    expect(outcome(tweet({ ...words, card: preview }))).toMatchObject({ items: [], missingItems: 0 });
  });

  it('of words alone is one', () => {
    const words = tweet({ mediaDetails: undefined, text: 'Fog again', display_text_range: [0, 9], entities: {} });
    expect(outcome(words)).toMatchObject({ caption: 'Fog again', items: [], missingItems: 0 });
  });

  it('gives a quoted post as its author’s, one level deep, and leaves the address of it out', () => {
    const quoted = other({ quoted_tweet: tweet({ id_str: '5', text: 'Deeper' }) });
    const urls = [{ url: 'https://t.co/QuoteLink1', expanded_url: `https://twitter.com/ferry_bell/status/${OTHER}` }];
    const text = 'Look at this https://t.co/QuoteLink1';
    const answer = tweet({
      text,
      entities: { urls },
      mediaDetails: [],
      display_text_range: [0, 36],
      quoted_tweet: quoted,
    });
    for (const post of [outcome(answer), outcome(asResult(queried(answer)), { kind: 'query' })]) {
      expect(post).toMatchObject({ caption: 'Look at this', items: [], author: { username: 'pier_lights' } });
      expect(post).toMatchObject({
        quoted: { id: OTHER, author: { username: 'ferry_bell' }, quoted: null, items: [{ kind: 'image' }] },
      });
      expect(JSON.stringify(post)).not.toContain('Deeper');
    }
    const gone = { ...answer, quoted_tweet: { __typename: 'TweetTombstone', tombstone: {} } };
    expect(outcome(gone)).toMatchObject({ quoted: null, items: [] });
  });

  it('that was shared is its author’s', () => {
    const shared = {
      ...queried(tweet()),
      legacy: { ...Object(queried(tweet()).legacy), full_text: 'RT @ferry_bell: Not' },
    };
    const legacy = { ...shared.legacy, retweeted_status_result: { result: queried(other()) } };
    const post = outcome(asResult({ ...shared, legacy }), { kind: 'query' });
    expect(post).toMatchObject({ id: ID, author: { username: 'ferry_bell' }, caption: 'Not mine' });
    expect(JSON.stringify(post)).not.toContain('lamp.jpg');
  });

  it('is sensitive where the site marks it, in any of its ways', () => {
    expect(outcome(tweet({ possibly_sensitive: true }))).toMatchObject({ sensitive: true });
    const marked = photo('a', { sensitive_media_warning: { adult_content: true } });
    expect(outcome(tweet({ mediaDetails: [marked] }))).toMatchObject({ sensitive: true });
    const blurred = { mediaVisibilityResults: { blurred_image_interstitial: {} }, tweet: queried(tweet()) };
    expect(outcome(asResult(blurred), { kind: 'query' })).toMatchObject({ sensitive: true });
  });

  it('has all of a long text, or its beginning with an ellipsis', () => {
    const cut = tweet({ note_tweet: { id: 'Tm90ZTox' } });
    expect(read(cut)).toMatchObject({ isCut: true, post: { caption: expect.stringMatching(/#pier…$/) } });
    const entity_set = { urls: [{ url: 'https://t.co/Deep000001', expanded_url: 'https://pier.example/deep' }] };
    const result = { text: 'A long &lt;tale&gt; https://t.co/Deep000001 of it', entity_set };
    const whole = queried(tweet({ note_tweet: { note_tweet_results: { result } } }));
    expect(read(asResult(whole), { kind: 'query' })).toMatchObject({
      isCut: false,
      post: { caption: 'A long <tale> https://pier.example/deep of it' },
    });
  });

  it('takes no longer for a text of white space', () => {
    const result = { text: `A pier${' '.repeat(100_000)}at last` };
    const startedAt = performance.now();
    read(asResult(queried(tweet({ note_tweet: { note_tweet_results: { result } } }))), { kind: 'query' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('has the title and the beginning of an article, which its text only links to', () => {
    const article = { rest_id: '1', title: 'Lamps of the pier', preview_text: 'Twelve lamps stand on the pier.' };
    const expanded_url = 'https://x.com/i/article/1';
    const linking = tweet({
      text: 'https://t.co/PierWords1',
      display_text_range: [0, 23],
      entities: { urls: [{ url: 'https://t.co/PierWords1', expanded_url }] },
      mediaDetails: [],
    });
    const right = { title: article.title, caption: `${article.preview_text}\n\n${expanded_url}`, items: [] };
    expect(outcome({ ...linking, article })).toMatchObject(right);
    const result = { ...queried(linking), article: { article_results: { result: article } } };
    expect(outcome(asResult(result), { kind: 'query' })).toMatchObject(right);
    expect(outcome({ ...linking, article: { title: null } })).toMatchObject({ title: null, caption: expanded_url });
  });

  it('leaves out whom a reply answers, counting characters and not code units', () => {
    const text = '@ferry_bell @gull 🎈🎈 up https://t.co/PierMedia1';
    expect(outcome(tweet({ text, display_text_range: [18, 23] }))).toMatchObject({ caption: '🎈🎈 up' });
    expect(outcome(tweet({ text: 'https://t.co/PierMedia1', display_text_range: [0, 0] }))).toMatchObject({
      caption: null,
    });
    // A range that would cut words is not believed.
    expect(outcome(tweet({ text: 'All of it', display_text_range: [4, 6] }))).toMatchObject({ caption: 'All of it' });
  });

  it('knows an edited post by any of its ids, and when an id was made', () => {
    const edited = tweet({ edit_control: { edit_tweet_ids: ['1970000000000000000', ID] }, created_at: undefined });
    expect(outcome(edited, { id: '1970000000000000000' })).toMatchObject({
      id: '1970000000000000000',
      publishedAt: Number((BigInt(ID) >> 22n) + 1_288_834_974_657n),
    });
  });

  it('gives a video that it shows with its source, and none that is another post’s', () => {
    const borrowed = video({
      expanded_url: `https://x.com/ferry_bell/status/${OTHER}/video/1`,
      source_status_id_str: OTHER,
    });
    expect(outcome(tweet({ mediaDetails: [borrowed] }))).toMatchObject({ items: [{ kind: 'video' }] });
    const foreign = photo('ferry', { expanded_url: `https://x.com/ferry_bell/status/${OTHER}/photo/1` });
    const post = outcome(tweet({ mediaDetails: [photo('lamp'), foreign] }));
    expect(post).toMatchObject({ items: [{ kind: 'image' }], missingItems: 0 });
    expect(JSON.stringify(post)).not.toContain('ferry.jpg');
  });

  it('gives a video whose source syndication does not state by the short address in the post, also when quoted', () => {
    const unstated = video({ expanded_url: `https://x.com/ferry_bell/status/${OTHER}/video/1` });
    expect(outcome(tweet({ mediaDetails: [unstated] }))).toMatchObject({
      author: { username: 'pier_lights' },
      items: [{ kind: 'video' }],
      missingItems: 0,
    });
    const quoted = other({ id_str: '1970000000000000555', text: 'Seen', mediaDetails: [unstated] });
    expect(outcome(tweet({ entities: {}, mediaDetails: [], quoted_tweet: quoted }))).toMatchObject({
      quoted: { author: { username: 'ferry_bell' }, items: [{ kind: 'video' }] },
    });
    // Without that address the video may be any post's; the query states the source, so it is asked, too.
    const unlisted = tweet({ mediaDetails: [{ ...unstated, url: 'https://t.co/FerryMedia' }] });
    expect(outcome(unlisted)).toBe('upstream_changed');
    expect(outcome({ ...unlisted, entities: {} })).toBe('upstream_changed');
    expect(outcome(tweet({ entities: {}, mediaDetails: [{ ...unstated, url: undefined }] }))).toBe('upstream_changed');
  });
});
