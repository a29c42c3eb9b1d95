import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../../src/media/extract/source.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { sitesWith, ytDlpSites } from '../../../src/media/sources/yt-dlp-sites.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { noHttp } from '../../fakes/no-http.ts';
import { makeItem, makePost } from '../../fakes/post.ts';

const { signal } = new AbortController();
const ID = 'dQ-w4_w9WgX';

function sourceOf(hosts: readonly string[], host: string, durationMs: number | null = 30_000, isInstalled = true) {
  const descriptor = ytDlpSites(hosts).find(site => site.hosts.includes(host));
  if (descriptor === undefined) throw new Error(`no site for ${host}`);
  const asked: string[] = [];
  const program: Strategy = {
    name: 'yt-dlp',
    isAvailable: () => true,
    run: async ref => {
      asked.push(ref.url);
      return makePost({ source: ref.source, id: ref.id, url: ref.url, items: [makeItem({ durationMs })] });
    },
  };
  const extraStrategies = isInstalled ? [program] : [];
  const source = descriptor.create({ http: noHttp(), log: createRecordingLog(), extraStrategies });
  return {
    source,
    asked,
    idOf: (link: string) => {
      const match = source.match(new URL(link));
      return match?.kind === 'post' ? match.ref.id : match?.kind;
    },
  };
}

describe('sites for yt-dlp', () => {
  it('are none unless their hosts are named', () => {
    expect(sitesWith([])).toEqual(sourceDescriptors);
    const named = sitesWith(['youtu.be', 'clips.example']).slice(sourceDescriptors.length);
    expect(named.map(({ id, hosts, cdnHosts }) => ({ id, hosts, cdnHosts }))).toEqual([
      { id: 'youtube', hosts: ['youtu.be'], cdnHosts: ['googlevideo.com', 'ytimg.com'] },
      { id: 'clipsexample', hosts: ['clips.example'], cdnHosts: ['clips.example'] },
    ]);
    expect(named.every(({ onInGroups }) => onInGroups === undefined)).toBe(true);
  });

  it.each([
    [`https://www.youtube.com/watch?v=${ID}&list=PL1&t=5`, ID],
    [`https://m.youtube.com/shorts/${ID}?feature=share`, ID],
    [`https://www.youtube.com/embed/${ID}`, ID],
    [`https://youtu.be/${ID}?si=abc`, ID],
    ['https://www.youtube.com/watch?v=--exec', 'unsupported'],
    ['https://www.youtube.com/watch', 'unsupported'],
    ['https://www.youtube.com/@someone', 'unsupported'],
    [`https://youtu.be/${ID}/more`, 'unsupported'],
    [`https://youtube.com.evil.example/watch?v=${ID}`, undefined],
  ])('match %s', (link, id) => {
    expect(sourceOf(['youtube.com', 'youtu.be'], 'youtube.com').idOf(link)).toBe(id);
  });

  it.each([
    ['https://clips.example/u/some.one/v-1?utm=1#x', 'u/some.one/v-1'],
    ['https://www.clips.example/v/1/', 'v/1'],
    ['https://clips.example/', 'unsupported'],
    ['https://clips.example/-o/x', 'unsupported'],
    ['https://clips.example/a/%2e%2e/b%20c', 'unsupported'],
    ['https://clips.example/1/2/3/4/5/6/7', 'unsupported'],
    ['https://other.example/v/1', undefined],
  ])('match %s of another host strictly', (link, id) => {
    expect(sourceOf(['clips.example'], 'clips.example').idOf(link)).toBe(id);
  });

  it('ask the program for an address made of the id, once', async () => {
    const { source, asked } = sourceOf(['youtu.be'], 'youtu.be');
    const ref = source.refOf(ID);
    if (ref === undefined) throw new Error('no reference');
    await expect(source.fetch(ref, { signal })).resolves.toMatchObject({ source: 'youtube', id: ID });
    expect(asked).toEqual([`https://www.youtube.com/watch?v=${ID}`]);
    expect(source.refOf('x; rm -rf')).toBeUndefined();
  });

  it('refuse what is too long, and say so without the program', async () => {
    const long = sourceOf(['youtu.be'], 'youtu.be', 21 * 60_000).source;
    const missing = sourceOf(['youtu.be'], 'youtu.be', null, false).source;
    const ref = long.refOf(ID);
    if (ref === undefined) throw new Error('no reference');
    await expect(long.fetch(ref, { signal })).rejects.toMatchObject({ code: 'too_large' });
    await expect(missing.fetch(ref, { signal })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});
