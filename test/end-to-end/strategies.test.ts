import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../src/errors.ts';
import type { Post } from '../../src/media/post.ts';
import type { EndpointGroup, Fault } from '../sandbox/faults.ts';
import { createProgramWithSandbox } from './program-with-sandbox.ts';

const REEL = 'https://www.instagram.com/reel/DVclaybowl1/';
const CAROUSEL = 'https://www.instagram.com/p/DWlightkeep/';
const TRAM = 'https://www.facebook.com/reel/1184420716302551/';

/** Ways in which one endpoint fails while it still answers at once. */
const QUICK_FAULTS: readonly Fault[] = [
  'status:404',
  'status:500',
  'retry-after:1',
  'html',
  'null',
  'empty',
  'garbage',
  'truncate',
  'cut',
  'shape-changed',
  'reset',
  'login',
  'throttle',
  'redirect-loop',
  'redirect-private',
  'redirect-off-site',
];
const INSTAGRAM: readonly EndpointGroup[] = [
  'instagram.home',
  'instagram.graphql-media-id',
  'instagram.graphql-shortcode',
  'instagram.page',
  'instagram.embed',
  'instagram.oembed',
  'instagram.ruling',
  'instagram.route',
];

/** What must be the same by every strategy: the paths and sizes of the files, and what the author wrote. */
function essence(post: Post) {
  return {
    id: post.id,
    username: post.author.username,
    caption: post.caption,
    publishedAt: post.publishedAt,
    items: post.items.map(item => ({ kind: item.kind, width: item.width, height: item.height })),
  };
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
  return error;
}

describe('one endpoint of Instagram broken alone leaves the answer right', () => {
  for (const endpoint of INSTAGRAM) {
    it(`${endpoint}, in every quick way`, async () => {
      const { sandbox, extractor } = await createProgramWithSandbox();
      const [reel, carousel] = [await extractor.extract(REEL), await extractor.extract(CAROUSEL)].map(({ post }) =>
        essence(post),
      );
      // That the query knows no such post is the site's own word, not a fault of the query.
      const faults = QUICK_FAULTS.filter(fault => endpoint !== 'instagram.graphql-shortcode' || fault !== 'null');
      for (const fault of faults) {
        sandbox.faults.set(endpoint, fault);
        const { post } = await extractor.extract(REEL);
        expect(essence(post), fault).toEqual(reel);
        expect(essence((await extractor.extract(CAROUSEL)).post), fault).toEqual(carousel);
        sandbox.faults.clear();
      }
    });
  }

  it.each<Fault>(['hang', 'stall', 'drip', 'endless'])(
    'the first strategy that answers with %s, within the one deadline',
    async fault => {
      const { sandbox, extractor } = await createProgramWithSandbox({ deadlineMs: 40_000 });
      await extractor.extract(CAROUSEL);
      sandbox.faults.set('instagram.graphql-shortcode.plain', fault);
      const startedAt = Date.now();
      const { post } = await extractor.extract(REEL);
      // Alone it would have ten seconds.
      expect(post.strategy).not.toBe('shortcode-query/plain');
      expect(post.items).toHaveLength(1);
      expect(Date.now() - startedAt).toBeLessThan(9_000);
    },
  );
});

describe('with oEmbed alone alive', () => {
  it('author and cover are the answer, with the reason; where files are needed, the reason is', async () => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    sandbox.faults.set('instagram.*', 'status:503');
    sandbox.faults.clear('instagram.oembed');
    const { post, reason } = await extractor.extract(REEL);
    expect(post).toMatchObject({ items: [], strategy: 'oembed', author: { username: 'mara.turns.clay' } });
    expect([post.missingItems, reason?.code]).toEqual([1, 'upstream_unavailable']);
    expect((await failure(extractor.extract(REEL, { readable: true }))).code).toBe('upstream_unavailable');
    sandbox.faults.clear();
    expect((await extractor.extract(CAROUSEL)).reason).toBeUndefined();
  });
});

describe('Facebook', () => {
  it.each<Fault>(['status:404', 'status:500', 'html', 'empty', 'garbage', 'truncate', 'reset', 'shape-changed'])(
    'is read from the embedded player when its pages answer with %s',
    async fault => {
      const { sandbox, extractor } = await createProgramWithSandbox();
      sandbox.faults.set('facebook.page', fault);
      const { post } = await extractor.extract(TRAM);
      expect(post.id).toBe('1184420716302551');
      expect(post.strategy).not.toBe('page');
    },
  );

  it('never gives the file of the other video that its page shows first', async () => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    const { post } = await extractor.extract(TRAM);
    const tram = sandbox.world.facebook.find(({ id }) => id === '1184420716302551');
    expect(post.author.name).toBe(tram?.owner.name);
    expect(post.stats.likes).toBe(tram?.reactions);
    expect(post.items).toHaveLength(1);
  });
});

describe('all broken together, the error names the cause', () => {
  it.each<[Fault, ErrorCode]>([
    ['login', 'login_required'],
    ['null', 'not_found'],
    ['status:404', 'not_found'],
    ['status:503', 'upstream_unavailable'],
    ['reset', 'upstream_unavailable'],
    ['shape-changed', 'upstream_changed'],
    ['garbage', 'upstream_changed'],
  ])('Instagram: %s is %s', async (fault, code) => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    sandbox.faults.set('instagram.*', fault);
    // Of an embed whose JSON has changed its markup can still be read.
    if (fault === 'shape-changed') sandbox.faults.set('instagram.embed', 'garbage');
    expect((await failure(extractor.extract(REEL))).code).toBe(code);
    sandbox.faults.clear();
    expect((await extractor.extract(CAROUSEL)).post.items).toHaveLength(5);
  });

  it.each<Fault>(['throttle', 'retry-after:30', 'wait'])(
    'Instagram: %s is upstream_rate_limited, and nothing is asked before it is time again',
    async fault => {
      const { sandbox, extractor } = await createProgramWithSandbox();
      sandbox.faults.set('instagram.*', fault);
      expect(await failure(extractor.extract(REEL))).toMatchObject({ code: 'upstream_rate_limited' });
      sandbox.faults.clear();
      sandbox.clearRequests();
      expect(await failure(extractor.extract(CAROUSEL))).toMatchObject({ params: { what: 'silent' } });
      expect(sandbox.requests).toEqual([]);
    },
  );

  it.each<[Fault, ErrorCode]>([
    ['throttle', 'upstream_rate_limited'],
    ['login', 'login_required'],
    ['null', 'not_found'],
    ['status:503', 'upstream_unavailable'],
    ['garbage', 'upstream_changed'],
  ])('Facebook: %s is %s', async (fault, code) => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    sandbox.faults.set('facebook.*', fault);
    expect((await failure(extractor.extract(TRAM))).code).toBe(code);
  });

  it.each<Fault>(['hang', 'endless'])('%s everywhere ends at the deadline', async fault => {
    const { sandbox, extractor } = await createProgramWithSandbox({ deadlineMs: 2_000 });
    sandbox.faults.set('instagram.*', fault);
    const startedAt = Date.now();
    const { code } = await failure(extractor.extract(REEL));
    expect(['timeout', 'upstream_unavailable', 'too_large', 'upstream_changed']).toContain(code);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  it.each([
    ['https://www.instagram.com/reel/DXkilnfire1/', 'age_restricted'],
    ['https://www.instagram.com/reel/DXregionone/', 'region_blocked'],
    ['https://www.instagram.com/p/DXgonepost1/', 'not_found'],
    ['https://www.instagram.com/reel/DXprivateboc2FuZGJveC1wcml2YXRlLXBvc3Qh/', 'private'],
    ['https://www.instagram.com/reel/DXtoomany42/', 'upstream_rate_limited'],
    ['https://www.facebook.com/reel/555000111222333/', 'login_required'],
    ['https://www.facebook.com/reel/555000111222444/', 'not_found'],
    ['https://www.instagram.com/stories/mara.turns.clay/3881689364048676894/', 'login_required'],
    ['https://www.instagram.com/mara.turns.clay/', 'unsupported_link'],
  ])('%s is %s', async (link, code) => {
    const { extractor } = await createProgramWithSandbox();
    expect((await failure(extractor.extract(link))).code).toBe(code);
  });
});
