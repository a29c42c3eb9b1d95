import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createOverrides } from '../../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../../src/infra/http/http-client.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import { createStoredPostParser } from '../../../src/media/extract/post-cache.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { makeItem, makePhoto, makePost, makeQuoted, makeVariant } from '../../fakes/post.ts';
import { demoLinks } from '../../sandbox/links.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { WORLD } from '../../sandbox/world.ts';

const kept = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function openParser() {
  const http = createTestClient({});
  const options = { http, log: createRecordingLog() };
  return createStoredPostParser(sourceDescriptors.map(source => source.create(options)));
}

describe('posts that other processes kept', () => {
  it('come back whole', () => {
    const parse = openParser();
    const post = makePost();
    const silent = makePost({ title: null, caption: null, expiresAt: null, items: [makePhoto()] });
    expect(parse(kept(post))).toEqual(post);
    expect(parse(kept(silent))).toEqual(silent);
  });

  it('come back with the post that they quote and the headers of their files', () => {
    const parse = openParser();
    const variants = [makeVariant({ headers: { referer: 'https://www.instagram.com/', cookie: 'a=b' } })];
    const post = makePost({ sensitive: true, items: [makeItem({ variants })], quoted: makeQuoted() });
    expect(parse(kept(post))).toEqual(post);
    const { quoted: _, sensitive: _sensitive, ...older } = makePost();
    expect(parse(kept(older))).toEqual(makePost());
  });

  it.each(['a\r\nhost: elsewhere', '', 'x'.repeat(5_000)])('with the header %j are none', cookie => {
    const items = [makeItem({ variants: [makeVariant({ headers: { cookie } })] })];
    expect(openParser()(kept(makePost({ items })))).toBeUndefined();
  });

  it('of another shape are none', () => {
    const parse = openParser();
    const post = makePost();
    const { items, ...without } = post;
    const [item] = items;
    const others = [
      null,
      'post',
      {},
      without,
      { ...post, source: 'elsewhere' },
      { ...post, items: [{ ...item, variants: [] }] },
    ];
    for (const value of others) expect(parse(kept(value))).toBeUndefined();
  });

  const strange = [
    'javascript:alert(1)',
    'data:text/html,x',
    'http://scontent.cdninstagram.com/v/x.mp4',
    'https://scontent.cdninstagram.com:8443/v/x.mp4',
    'https://someone@scontent.cdninstagram.com/v/x.mp4',
    'https://cdninstagram.com.elsewhere.example/v/x.mp4',
    'https://127.0.0.1/v/x.mp4',
    '//scontent.cdninstagram.com/v/x.mp4',
    '',
  ];
  it.each(strange)('with the address "%s" anywhere are none', url => {
    const parse = openParser();
    const post = makePost();
    const { author } = post;
    for (const value of [
      { ...post, url },
      { ...post, coverUrl: url },
      { ...post, quoted: makeQuoted({ url }) },
      { ...post, quoted: makeQuoted({ coverUrl: url }) },
      { ...post, author: { ...author, avatarUrl: url } },
      { ...post, items: [makeItem({ thumbnailUrl: url })] },
      { ...post, items: [makeItem({ variants: [makeVariant(), makeVariant({ url })] })] },
    ]) {
      expect(parse(kept(value))).toBeUndefined();
    }
  });

  it.each([
    'https://www.instagram.com/tari.senja/',
    'https://ddinstagram.com/reel/C9TestReef01/',
    'https://l.instagram.com/?u=https%3A%2F%2Felsewhere.example',
    'https://www.facebook.com/watch/?v=1234567890123456',
    'https://someone@www.instagram.com/reel/C9TestReef01/',
    'http://www.instagram.com/reel/C9TestReef01/',
  ])('that claim to lie at %s are none', url => {
    expect(openParser()(kept(makePost({ url })))).toBeUndefined();
  });

  it('are known again whatever the sites answered', async () => {
    const sandbox = await createSandbox();
    const overrides = sandbox.overrides.split(',').map(entry => {
      const [host = '', origin = ''] = entry.split('=');
      return { host, origin };
    });
    const http = createHttpClient({ overrides: createOverrides(overrides) });
    onTestFinished(async () => {
      await http.close();
      await sandbox.close();
    });
    const options = { http, log: createRecordingLog() };
    const sources = sourceDescriptors.map(source => source.create(options));
    const extractor = createExtractor({
      sources,
      cache: createMemoryCache<Post>({ maxEntries: 1 }),
      shortLinks: createMemoryCache<string>({ maxEntries: 1 }),
      log: options.log,
    });
    const parse = createStoredPostParser(sources);
    const links = demoLinks(WORLD).filter(({ shows }) => shows === 'media');
    expect(links.length).toBeGreaterThan(10);
    for (const { url } of links) {
      const { post } = await extractor.extract(url);
      expect(parse(kept(post)), url).toEqual(post);
    }
  });
});
