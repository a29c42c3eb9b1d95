import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { parsePlayer } from '../../../src/beatmaps/model/player.ts';
import { parseScore } from '../../../src/beatmaps/model/score.ts';
import { PP_CURVE, ppPicture, renderPpCurve } from '../../../src/bot/cards/pp-curve.ts';
import { profileCardSize, profilePicture, renderProfileCard } from '../../../src/bot/cards/profile-card.ts';
import { recommendationCardSize, renderRecommendationCard } from '../../../src/bot/cards/recommendation-card.ts';
import { renderStrainGraph, STRAIN_GRAPH, strainPicture } from '../../../src/bot/cards/strain-graph.ts';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import type { Size } from '../../../src/bot/cards/theme.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { expectPicture } from './golden.ts';

const en = createTranslator(['en']);
const id = createTranslator(['id']);
const painter = createSvgRasterizer();

async function drawn(svg: string, size: Size): Promise<Buffer> {
  const png = await painter.picture('test', svg, size).draw();
  const { format, width, height } = await sharp(png).metadata();
  expect({ format, width, height }).toEqual({ format: 'png', ...size });
  return png;
}

const RANKS = Array.from({ length: 90 }, (_, day) => Math.round(22_000 - day * 40 + 900 * Math.sin(day / 6)));

function player(change: Readonly<Record<string, unknown>> = {}) {
  const parsed = parsePlayer(
    {
      id: 7001,
      username: 'Maple_Otter',
      country: { code: 'ID', name: 'Indonesia' },
      playmode: 'osu',
      statistics: {
        global_rank: 18_234,
        country_rank: 212,
        pp: 6421.3,
        hit_accuracy: 98.214,
        play_count: 84_211,
        play_time: 4_200_000,
        level: { current: 101, progress: 34 },
        grade_counts: { ss: 31, ssh: 12, s: 820, sh: 201, a: 1400 },
      },
      rank_history: { mode: 'osu', data: RANKS },
      ...change,
    },
    'osu',
  );
  if (!parsed) throw new Error('no player');
  return parsed;
}

function scores(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const mods = index % 3 === 0 ? ['HD', 'DT'] : index % 5 === 0 ? ['HR'] : [];
    const score = parseScore({ id: index + 1, pp: 340 * 0.992 ** index, accuracy: 0.98, mods, ruleset_id: 0 });
    if (!score) throw new Error('no score');
    return score;
  });
}

function wave(height: number, width: number): number[] {
  return Array.from(
    { length: 450 },
    (_, at) => height * (1 + Math.sin(at / width)) + (at > 300 && at < 340 ? height : 0),
  );
}

const STRAINS = {
  title: 'Paper Lanterns - Rivers of Neon <3 & other songs, a title that does not fit on the card',
  subtitle: '[Extra] +HDDT',
  sectionMs: 400,
  series: [
    { name: 'aim', values: wave(120, 20) },
    { name: 'speed', values: wave(80, 33) },
    { name: 'flashlight', values: [0, 0, 0] },
  ],
};

const ROWS = [
  {
    title: 'Paper Lanterns - Rivers',
    subtitle: 'Extra · Quiet Heron',
    stars: 5.62,
    colour: '#ff4e6f',
    mods: '+HD',
    pp: 231.4,
    gain: 12.3,
  },
  {
    title: 'Tin Robots - A title which is much too long for the row that it stands in',
    subtitle: 'Insane',
    stars: 4.1,
    colour: '#f6f05c',
    mods: '',
    pp: null,
    gain: null,
  },
  {
    title: 'Night Bus - Last Stop',
    subtitle: 'Expert',
    stars: 7.21,
    colour: '#6563de',
    mods: '+DT',
    pp: 402,
    gain: 0.2,
  },
] as const;

describe('pictures look as they did when they were last looked at', () => {
  it('a profile', async () => {
    const shown = player();
    await expectPicture('profile', await drawn(renderProfileCard(shown, false, en), profileCardSize(shown)));
  });

  it('a profile of which little is known, in Indonesian', async () => {
    const shown = player({ statistics: null, rank_history: null, username: 'somebody with a very long name' });
    await expectPicture('profile-bare', await drawn(renderProfileCard(shown, false, id), profileCardSize(shown)));
  });

  it('strains', async () => {
    await expectPicture('strains', await drawn(renderStrainGraph(STRAINS, en), STRAIN_GRAPH));
  });

  it('best plays', async () => {
    await expectPicture('pp-curve', await drawn(renderPpCurve('Maple_Otter', scores(200), en), PP_CURVE));
  });

  it('recommendations', async () => {
    const svg = renderRecommendationCard('For Maple_Otter: about 230 pp each', ROWS, en);
    await expectPicture('recommendations', await drawn(svg, recommendationCardSize(ROWS.length)));
  });
});

describe('pictures of odd values', () => {
  it.each([
    ['no plays', () => renderPpCurve('x', [], en), PP_CURVE],
    ['one play', () => renderPpCurve('x', scores(1), en), PP_CURVE],
    ['no strains', () => renderStrainGraph({ ...STRAINS, series: [] }, en), STRAIN_GRAPH],
    [
      'strains of nothing',
      () => renderStrainGraph({ ...STRAINS, series: [{ name: 'aim', values: [0] }] }, en),
      STRAIN_GRAPH,
    ],
    ['a map of three hours', () => renderStrainGraph({ ...STRAINS, sectionMs: 24_000 }, en), STRAIN_GRAPH],
    ['no recommendations', () => renderRecommendationCard('none', [], en), recommendationCardSize(0)],
  ])('%s', async (_, svg, size) => {
    await drawn(svg(), size);
  });

  it.each([[[5, 5, 5]], [[1]], [[0, 0, 0]], [[]]])('ranks %j', async ranks => {
    const shown = player({ rank_history: { mode: 'osu', data: ranks } });
    const svg = renderProfileCard(shown, false, en);
    for (const part of ['<image', '<script', '\u0000', '\uD800']) expect(svg.includes(part)).toBe(false);
    await drawn(svg, profileCardSize(shown));
  });

  it('names full of markup stay names', async () => {
    const name = `</text><image href="file:///etc/hosts"/>&"'\u0000\u0008\uD800 <script>`;
    const svg = renderStrainGraph({ ...STRAINS, title: name, subtitle: name }, en);
    for (const part of ['<image', '<script', '\u0000', '\uD800']) expect(svg.includes(part)).toBe(false);
    await drawn(svg, STRAIN_GRAPH);
  });
});

describe('words for those who cannot see it', () => {
  it('say who the player is and where they stand', () => {
    const { alt, picture } = profilePicture(player(), false, painter, en);
    expect(alt).toBe('Profile of Maple_Otter, #18,234, 6,421 pp, with the ranks of recent days');
    expect(picture).toMatchObject({ width: 1000, height: 520 });
    expect(profilePicture(player({ statistics: null }), false, painter, id).alt).toContain('belum berperingkat');
  });

  it('show how a map goes, and that doubled skills are left out', () => {
    const set = { artist: 'Paper Lanterns', title: 'Kawa', title_unicode: '川' };
    const subject = { set, beatmap: { version: 'Extra' }, mods: ['HD', 'DT'] };
    const aim = { name: 'aim', values: [1, 9, 2] };
    const series = [aim, { name: 'aimNoSliders', values: [0, 0, 90] }];
    const shown = strainPicture({ ...subject, estimated: { strains: { sectionMs: 60_000, series } } }, painter, en);
    expect(shown?.alt).toBe('How hard Paper Lanterns - Kawa [Extra] +HDDT is over its length; hardest at 1:00');
    const none = { sectionMs: 400, series: [{ name: 'aim', values: [0, 0] }] };
    for (const strains of [null, none]) {
      expect(strainPicture({ ...subject, estimated: { strains } }, painter, en)).toBeUndefined();
    }
  });

  it('show what the best plays are worth', () => {
    expect(ppPicture('Maple_Otter', scores(10), painter, en)?.alt).toBe(
      'The 10 best plays of Maple_Otter, from 340 pp down to 316 pp',
    );
    expect(ppPicture('Maple_Otter', scores(2), painter, en)).toBeUndefined();
  });
});
