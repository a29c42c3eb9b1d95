/** What adding a site takes: a source that exists in this file alone is walked through everything that reads the list. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mediaRoutes } from '../../../src/api/media/media-routes.ts';
import { renderPlayPage } from '../../../src/api/media/play-page.ts';
import { createCommandList } from '../../../src/bot/commands/index.ts';
import { commandSpec } from '../../../src/bot/contract/command-spec.ts';
import { createSettingsStore } from '../../../src/bot/stores/settings-store.ts';
import { errorSentence } from '../../../src/bot/views/notice.ts';
import { toAppError } from '../../../src/errors.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createMetrics } from '../../../src/infra/metrics.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import { createStoredPostParser } from '../../../src/media/extract/post-cache.ts';
import type { SourceDescriptor } from '../../../src/media/extract/source-descriptor.ts';
import { createStrategyChain } from '../../../src/media/extract/strategy-chain.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { type Post, postSchemaOf } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { sealTunnelFile, unsealTunnelFile } from '../../../src/media/tunnel/tunnel-token.ts';
import { fakeExtractor, sampleCaller, sampleServices } from '../../bot/sample.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { noHttp } from '../../fakes/no-http.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';
import { embeddedRecords } from '../../records.ts';

const LINK = 'https://toy.example/t/blocks7';
const UNKNOWN = { id: null, username: null, name: null, verified: null, avatarUrl: null };
const VIDEO = makeItem({
  thumbnailUrl: 'https://cdn.toy.example/a.jpg',
  variants: [makeVariant({ url: 'https://cdn.toy.example/a.mp4' })],
});
const toyPost = makePost({ source: 'toy', id: 'blocks7', url: LINK, author: UNKNOWN, title: null, items: [VIDEO] });

const refOf = (id: string) =>
  /^\w{1,20}$/.test(id)
    ? { source: 'toy', id, form: 't', url: `https://toy.example/t/${id}`, itemIndex: null, parts: {} }
    : undefined;

const toy: SourceDescriptor = {
  id: 'toy',
  name: 'Toybox',
  colour: '#c05a2e',
  hosts: ['toy.example'],
  cdnHosts: ['cdn.toy.example'],
  example: LINK,
  cdnUserAgent: () => 'toy-player/1',
  create({ log, onOutcome }) {
    const strategies = [{ name: 'shelf', isAvailable: () => true, run: async () => toyPost }];
    const chain = { source: 'toy', strategies, log, diagnose: async () => {} };
    return {
      id: 'toy',
      match(address) {
        if (address.hostname !== 'toy.example') return undefined;
        const ref = refOf(address.pathname.replace('/t/', ''));
        return ref === undefined ? { kind: 'unsupported', what: 'page' } : { kind: 'post', ref };
      },
      refOf,
      resolveShort: async url => url,
      fetch: createStrategyChain({ ...chain, ...(onOutcome === undefined ? {} : { onOutcome }) }),
      strategies,
      examples: [LINK],
      canFetchStories: false,
      mediaHosts: ['cdn.toy.example'],
    };
  },
};

const all: typeof sourceDescriptors = [...sourceDescriptors, toy];
const en = createTranslator(['en']);
const log = createRecordingLog();

function extractorWith(options: Partial<Parameters<SourceDescriptor['create']>[0]> = {}) {
  return createExtractor({
    sources: all.map(source => source.create({ http: noHttp(), log, ...options })),
    cache: createMemoryCache<Post>({ maxEntries: 10 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 10 }),
    log,
  });
}

function settingsCommand() {
  const command = createCommandList({ sources: all }).find(({ name }) => name === 'settings');
  if (command === undefined) throw new Error('there is no /settings');
  return command;
}

describe('a source that is added to the list', () => {
  it('has its links found, its posts brought, and its media hosts known', async () => {
    const extractor = extractorWith();
    expect(extractor.findLinks(`look: ${LINK}!`)).toEqual([LINK]);
    expect(extractor.sourceOf(LINK)).toBe('toy');
    expect((await extractor.extract(LINK)).post).toEqual(toyPost);
    expect((await extractor.refresh({ source: 'toy', id: 'blocks7' })).id).toBe('blocks7');
    expect(extractor.mediaHosts).toContain('cdn.toy.example');
  });

  it('has a switch in /settings, in every language, by its own name', () => {
    for (const { tag } of LANGUAGES) {
      const { options } = commandSpec(settingsCommand(), createTranslator([tag]), 'group');
      const option = options.find(({ key }) => key === 'toy');
      expect(option?.name).toBe('toy');
      expect(option?.description).toContain('Toybox');
      expect(options.find(({ key }) => key === 'instagram')?.description).toContain('Instagram');
    }
  });

  it('stays switched off after a restart, beside one that this version does not know', async () => {
    const store = openStore(':memory:');
    const settings = createSettingsStore({ records: embeddedRecords(store) });
    const afterRestart = () => createSettingsStore({ records: embeddedRecords(store) }).chat('web:room');
    await settings.setChat('web:room', { sources: { x: false } });
    const services = { ...sampleServices(fakeExtractor()), settings };
    const caller = sampleCaller({ chatKind: 'group', isChatAdmin: true, chatId: 'room' });
    const context = { caller, services, t: en, signal: new AbortController().signal, progress: () => {} };
    const reply = await settingsCommand().run({ toy: false }, context);
    expect(JSON.stringify(reply)).toContain('Toybox: off');
    expect((await afterRestart()).sources).toEqual({ x: false, toy: false });
    await settingsCommand().run({ toy: true }, context);
    expect((await afterRestart()).sources).toEqual({ x: false, toy: true });
    store.close();
  });

  it('is named beside the others where a link is of none of them', async () => {
    const refusal = toAppError(
      await extractorWith()
        .extract('https://elsewhere.example/p/1')
        .catch(error => error),
    );
    const others = sourceDescriptors.map(({ name }) => name).join(', ');
    expect(errorSentence(refusal, en)).toContain(`from ${others}, or toy;`);
    expect(createTranslator(['id']).sites(all)).toMatch(/Instagram, .+, atau Toybox$/);
  });

  it('names a post without an author, in a group that did not switch it on too', async () => {
    const download = createCommandList({ sources: all }).find(({ name }) => name === 'download');
    const services = { ...sampleServices(fakeExtractor()), extractor: extractorWith() };
    const caller = sampleCaller({ chatKind: 'group', chatId: 'room' });
    const context = { caller, services, t: en, signal: new AbortController().signal, progress: () => {} };
    expect(JSON.stringify(await download?.run({ link: LINK }, context))).toContain('Toybox post');
  });

  it('is read back from stored and shared copies, and from tokens', () => {
    const parse = createStoredPostParser(all.map(source => source.create({ http: noHttp(), log })));
    expect(parse(JSON.parse(JSON.stringify(toyPost)))).toEqual(toyPost);
    const key = randomBytes(32);
    const post = { source: 'toy', id: 'blocks7' };
    const file = { post, index: 0, url: 'https://cdn.toy.example/a.mp4', mime: 'video/mp4', fileName: 'a.mp4' };
    expect(unsealTunnelFile(key, sealTunnelFile(key, { ...file, expiresAt: 1 }))).toMatchObject({ ...file, post });
  });

  it('asks its CDN as it says, and others as before', () => {
    const headers = createCdnHeaders(all);
    expect(headers('toy', { mime: 'video/mp4' })['user-agent']).toBe('toy-player/1');
    expect(headers('instagram', { mime: 'video/mp4' })['user-agent']).toBe('Mozilla/5.0');
    expect(headers('facebook', { mime: 'video/mp4' })['user-agent']).toBe('facebookexternalhit/1.1');
    expect(headers(undefined, { mime: 'image/png' })['user-agent']).toBe('Mozilla/5.0');
  });

  it('has a page for its videos that names no other site', () => {
    const playback = { post: toyPost, mime: 'video/mp4', width: 1, height: 1, hasPoster: false };
    const page = renderPlayPage({ ...playback, expiresAt: 1 }, 'https://medley.example', '/v/t');
    expect(page).toContain(LINK);
    expect(page).not.toMatch(/instagram|facebook/i);
  });

  it('is in the document of the API, which has no other', () => {
    const sources = all.map(({ id }) => id);
    expect(z.toJSONSchema(postSchemaOf(sources))).toMatchObject({ properties: { source: { enum: sources } } });
    expect(postSchemaOf(sources).safeParse(toyPost).success).toBe(true);
    expect(postSchemaOf(['instagram']).safeParse(toyPost).success).toBe(false);
    expect(JSON.stringify(z.toJSONSchema(postSchemaOf(sources)))).not.toMatch(/headers|cookie|referer/i);
    const tunnel = { address: () => '/media/token' };
    const options = { sources: all, extractor: extractorWith(), creator: 'Tester', tunnel, publicUrl: undefined };
    expect(mediaRoutes(options)).toBeInstanceOf(Function);
  });

  it('has figures of its own', async () => {
    const metrics = createMetrics();
    const extractor = extractorWith({ onOutcome: metrics.countStrategy });
    await extractor.extract(LINK);
    expect(await metrics.text()).toContain('source="toy",strategy="shelf",outcome="ok"');
  });
});
