import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { facebook } from '../../../src/media/sources/facebook/descriptor.ts';
import { instagram } from '../../../src/media/sources/instagram/descriptor.ts';
import { createFakeUpstream, type FakeRoute, silentLog } from '../../fakes/instagram-upstream.ts';
import { CHANGES, changeAt, changeEverywhere, type Path, pathsOf } from './changes.ts';
import { documentsOf } from './documents.ts';
import { flawOf } from './judge.ts';
import { BASES, type Base, type Outcome, outcomeOf } from './posts.ts';

interface Case {
  readonly name: string;
  readonly body: string;
  readonly base: Base;
}

/** Whether an answer names the post in any way, plain or in base64. */
function holdsId({ ref }: Base, body: string): boolean {
  const ids = [ref.id, ref.parts.mediaId].filter(id => id !== undefined);
  const inside = ids.map(id => Buffer.from(`:${id}`).toString('base64').slice(2, -2));
  return [...ids, ...inside].some(id => body.includes(id));
}

function keysOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(pathsOf(values).flat())].filter(key => typeof key === 'string');
}

/** Each property of each post, changed in all places at once. */
function changedKeys(base: Base): readonly Case[] {
  const { values, render } = documentsOf(base.body);
  return CHANGES.flatMap(change =>
    keysOf(values).map(key => ({
      name: `${base.name}: every ${key} ${change.name}`,
      body: render(values.map(value => changeEverywhere(value, key, change))),
      base,
    })),
  );
}

const CHILDREN = /^(?:carousel_media|edges|nodes)$/;
const CHILD_KEYS = ['video_versions', 'video_url', 'display_url', 'image_versions2', 'viewer_image', 'media', 'node'];

/** Places of items in the list of a post with several. */
function childPaths(values: readonly unknown[]): readonly Path[] {
  return pathsOf(values).filter(path => {
    const isChild = typeof path.at(-1) === 'number' && CHILDREN.test(String(path.at(-2)));
    return isChild && !path.some(part => /caption|comment|like|five_photos/.test(String(part)));
  });
}

interface ChildCase extends Case {
  /** Whether the change takes the item away for certain. */
  readonly isGone: boolean;
}

/** One item of several: null, or one of its own properties changed. */
function brokenChildren(base: Base): readonly ChildCase[] {
  const { values, render } = documentsOf(base.body);
  return childPaths(values).flatMap(path =>
    CHANGES.flatMap(change => {
      const changed = (key: string | null, isGone: boolean): ChildCase => ({
        name: `${base.name}: item ${path.at(-1)} ${key ?? ''} ${change.name}`,
        body: render([changeAt(values, key === null ? path : [...path, key], change)].flat()),
        base,
        isGone,
      });
      const own = CHILD_KEYS.filter(key => pathsOf(values).some(one => one.join() === [...path, key].join()));
      return [...(change.name === 'null' ? [changed(null, true)] : []), ...own.map(key => changed(key, false))];
    }),
  );
}

const originals = new Map(BASES.map(base => [base, base.read(base.body)]));

function flaw(one: Case): string | null {
  const original = originals.get(one.base);
  if (original === undefined) return 'no original';
  const outcome: Outcome = outcomeOf(one.base, one.body);
  const found = flawOf(outcome, original, one.body, holdsId(one.base, one.body));
  return found === null ? null : `${one.name}: ${found}`;
}

function drill(title: string, cases: readonly Case[]): void {
  const flaws = cases.flatMap(one => flaw(one) ?? []);
  process.stdout.write(`${title}: ${cases.length - flaws.length} of ${cases.length} right or rightly named\n`);
  expect(flaws).toEqual([]);
}

describe('a site that changes', () => {
  it('is put together again from its documents as it was', () => {
    for (const base of BASES) {
      const { values, render } = documentsOf(base.body);
      expect(values.length, base.name).toBeGreaterThan(0);
      expect(base.read(render(values)), base.name).toEqual(originals.get(base));
    }
  });

  it('never turns a post into another, a part of one, or a removed one', () => {
    const cases = BASES.flatMap(changedKeys);
    expect(cases.length).toBeGreaterThan(2_000);
    drill('properties', cases);
  });

  it('loses one item of several without losing its place', () => {
    const several = BASES.filter(base => (originals.get(base)?.items.length ?? 0) > 1);
    const cases = several.flatMap(brokenChildren);
    expect(cases.length).toBeGreaterThan(50);
    drill('one item', cases);
    for (const { base, body, isGone, name } of cases) {
      const original = originals.get(base);
      const outcome = outcomeOf(base, body);
      if (outcome instanceof AppError || !isGone) continue;
      expect(outcome.missingItems, name).toBe(1);
      expect(outcome.items.length, name).toBe((original?.items.length ?? 0) - 1);
    }
  });
});

/** The requests by which each fixture is asked for, when only that way of asking is left. */
const ALONE: readonly (readonly [string, string])[] = [
  ['polaris-reel.html', 'POST /api/graphql'],
  ['polaris-reel.html', 'GET /p/{id}/'],
  ['polaris-reel.html', 'GET /reel/{id}/'],
  ['polaris-carousel.html', 'GET /p/{id}/'],
  ['web-info-carousel.json', 'POST /graphql/query'],
  ['graphql-video.json', 'POST /graphql/query'],
  ['graphql-sidecar.json', 'POST /graphql/query'],
  ['embed-context.html', 'GET /p/{id}/embed/captioned/'],
  ['reel.html', 'GET /reel/{id}'],
  ['reel.html', 'GET /watch/'],
  ['watch.html', 'GET /watch/'],
  ['watch.html', 'GET /tidewatch/videos/{id}/'],
  ['photo.html', 'GET /photo.php'],
];

/** The keys that hold the files of a post. */
const FILE_KEYS =
  'video_versions image_versions2 display_uri video_url display_url display_resources thumbnail_src video_dash_manifest dash_info carousel_media edge_sidecar_to_children browser_native_hd_url browser_native_sd_url playable_url playable_url_quality_hd dash_manifest videoDeliveryLegacyFields videoDeliveryResponseFragment viewer_image image photo_image attachments'.split(
    ' ',
  );

describe('one way of asking left', () => {
  const down: FakeRoute = { status: 503, text: 'down' };

  async function answerOf(base: Base, asked: string, text: string): Promise<Outcome> {
    const routes = new Proxy<Record<string, FakeRoute>>(
      { [asked]: { text } },
      { get: (own, key) => own[String(key)] ?? down },
    );
    const http = createFakeUpstream(routes);
    const create = (base.ref.source === 'instagram' ? instagram : facebook).create;
    try {
      return await create({ http, log: silentLog }).fetch(base.ref, { signal: AbortSignal.timeout(50_000) });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  it('gives the post, or says that the site changed', async () => {
    let count = 0;
    const flaws: string[] = [];
    for (const [file, way] of ALONE) {
      const base = BASES.find(one => one.name.endsWith(` ${file}`));
      const original = base === undefined ? undefined : originals.get(base);
      if (base === undefined || original === undefined) throw new Error(`no ${file}`);
      const asked = way.replace('{id}', base.ref.id);
      const { values, render } = documentsOf(base.body);
      const keys = FILE_KEYS.filter(key => keysOf(values).includes(key));
      const bodies = keys.flatMap(key =>
        CHANGES.map(change => render(values.map(value => changeEverywhere(value, key, change)))),
      );
      for (const body of [base.body, ...bodies]) {
        count += 1;
        const found = flawOf(await answerOf(base, asked, body), original, body, true);
        if (found !== null) flaws.push(`${file} by ${asked}: ${found}`);
      }
    }
    process.stdout.write(`one way: ${count - flaws.length} of ${count} right or rightly named\n`);
    expect(count).toBeGreaterThan(200);
    expect(flaws).toEqual([]);
  });
});
