import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { files } from '../../../src/i18n/en/index.ts';
import { parseAddress } from '../../../src/media/extract/find-addresses.ts';
import { createLinkReader, type MatchedLink } from '../../../src/media/extract/links.ts';
import { isVideoLink } from '../../../src/media/extract/source.ts';
import { sourceIdSchema } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { noHttp } from '../../fakes/no-http.ts';

/** Options of /settings that are no source's. */
const TAKEN = Object.keys(files.commands.commands.settings.options);

it('differ by their ids, names and main hosts', () => {
  const facts = sourceDescriptors.map(({ id, name, hosts }) => [id, name, hosts[0]]);
  for (const part of [0, 1, 2]) expect(new Set(facts.map(fact => fact[part])).size).toBe(facts.length);
});

it.each([
  'https://www.instagram.com/reel/DXeh-kYiIge/',
  'https://www.instagram.com/someone/p/DXeh-kYiIge/?img_index=2',
  'https://www.instagram.com/p/C5_A1TQNPrYw4c2g9KAUTPUl8RVHqiAdAcOOSY0',
  'https://www.instagram.com/stories/someone/3888602809611845741/',
  'https://www.facebook.com/nordkap.trams/videos/394367115960503/',
  'https://www.facebook.com/reel/394367115960503',
  'https://www.facebook.com/groups/claypeople/posts/3300200100500/',
])('a found link means the same to another process: %s', link => {
  const read = () => {
    return createLinkReader(sourceDescriptors.map(one => one.create({ http: noHttp(), log: createRecordingLog() })));
  };
  const meaningOf = ({ match }: MatchedLink) => {
    if (!('ref' in match)) throw new Error('no post');
    const { id, form, itemIndex, parts } = match.ref;
    return { id, isVideo: isVideoLink({ form }), itemIndex, parts };
  };
  const [found = ''] = read().findLinks(link);
  expect(meaningOf(read().match(found))).toEqual(meaningOf(read().match(link)));
});

describe.each(sourceDescriptors.map(descriptor => [descriptor.id, descriptor] as const))('%s', (id, descriptor) => {
  const source = descriptor.create({ http: noHttp(), log: createRecordingLog() });
  const exampleOf = (link: string) => {
    const address = parseAddress(link);
    return address && source.match(address);
  };

  it('describes itself as everything else expects', () => {
    expect(sourceIdSchema.safeParse(id).success).toBe(true);
    expect(TAKEN).not.toContain(id);
    expect(descriptor.name).toMatch(/^\S.{0,30}$/u);
    for (const host of [...descriptor.hosts, ...descriptor.cdnHosts]) {
      expect(parseAddress(`https://${host}/`)?.hostname).toBe(host);
    }
    const agent = descriptor.cdnUserAgent?.('video/mp4');
    if (agent !== undefined) expect(agent).toMatch(/^[\x20-\x7e]{1,300}$/);
  });

  it('makes a source of its own id, whose media are on its CDN', () => {
    expect(source.id).toBe(id);
    const isWithin = (host: string) => descriptor.cdnHosts.some(cdn => host === cdn || host.endsWith(`.${cdn}`));
    expect(source.mediaHosts.filter(host => !isWithin(host))).toEqual([]);
    expect(source.strategies.length).toBeGreaterThan(0);
    expect(new Set(source.strategies.map(({ name }) => name)).size).toBe(source.strategies.length);
  });

  it('knows every one of its hosts, and its examples name posts', () => {
    for (const host of descriptor.hosts) expect(source.match(new URL(`https://${host}/`)), host).toBeDefined();
    expect(source.examples).toContain(descriptor.example);
    for (const link of source.examples) {
      const match = exampleOf(link);
      expect(match, link).toMatchObject({ kind: 'post', ref: { source: id } });
    }
  });

  it('finds a post again by its id', () => {
    for (const link of source.examples) {
      const match = exampleOf(link);
      const ref = match?.kind === 'post' ? match.ref : undefined;
      expect(source.refOf(ref?.id ?? ''), link).toMatchObject({ source: id, id: ref?.id });
      expect(exampleOf(ref?.url ?? ''), link).toMatchObject({ ref: { source: id, id: ref?.id } });
    }
  });

  it('matches any address without throwing, always alike, and names only posts on its hosts', () => {
    const host = fc.constantFrom(...descriptor.hosts, 'example.com', `${descriptor.hosts[0]}.example.com`);
    const path = fc.array(fc.webSegment(), { maxLength: 8 }).map(parts => parts.join('/'));
    const query = fc.webQueryParameters();
    fc.assert(
      fc.property(host, path, query, (name, rest, parameters) => {
        const address = new URL(`https://${name}/${rest}?${parameters}`);
        const before = address.href;
        const match = source.match(address);
        expect(address.href).toBe(before);
        expect(source.match(new URL(before))).toEqual(match);
        if (name.endsWith('example.com')) expect(match).toBeUndefined();
        if (match !== undefined && 'ref' in match) {
          expect(match.ref.source).toBe(id);
          expect(source.match(new URL(match.ref.url))).toMatchObject({ ref: { id: match.ref.id } });
        }
      }),
    );
  });

  it('knows no post by an id that is none', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const ref = source.refOf(text);
        if (ref !== undefined) expect([ref.source, ref.id]).toEqual([id, text]);
      }),
    );
  });
});
