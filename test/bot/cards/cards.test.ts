import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { parsePlayer } from '../../../src/beatmaps/model/player.ts';
import { parseScore } from '../../../src/beatmaps/model/score.ts';
import { type ListView, listCardSize, renderListCard } from '../../../src/bot/cards/list-card.ts';
import { type PlayView, playCardSize, renderPlayCard } from '../../../src/bot/cards/play-card.ts';
import { PP_CURVE, ppPicture, renderPpCurve } from '../../../src/bot/cards/pp-curve.ts';
import {
  type ProfileView,
  profileCardSize,
  profilePicture,
  renderProfileCard,
} from '../../../src/bot/cards/profile-card.ts';
import { recommendationCardSize, renderRecommendationCard } from '../../../src/bot/cards/recommendation-card.ts';
import { penFor } from '../../../src/bot/cards/shapes.ts';
import { starColour, starInk } from '../../../src/bot/cards/star-colour.ts';
import { renderStrainGraph, STRAIN_GRAPH, strainPicture } from '../../../src/bot/cards/strain-graph.ts';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import { LOOKS, PHONE, WIDTH } from '../../../src/bot/cards/theme.ts';
import type { CardTheme, Size } from '../../../src/bot/contract/picture.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { contrast } from '../../contrast.ts';
import { expectPicture } from './golden.ts';

const en = createTranslator(['en']);
const id = createTranslator(['id']);
const painter = createSvgRasterizer();
const THEMES = ['dark', 'light'] as const;
const pen = (t = en, theme: CardTheme = 'dark') => ({ t, look: LOOKS[theme] });

async function drawn(svg: string, size: Size): Promise<Buffer> {
  const png = await painter.picture('test', () => svg, size).draw();
  const { format, width, height } = await sharp(png).metadata();
  expect({ format, width, height }).toEqual({ format: 'png', ...size });
  return png;
}

const RANKS = Array.from({ length: 90 }, (_, day) =>
  Math.round(18_234 + (89 - day) * 42 + 900 * Math.sin((89 - day) / 6)),
);

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

const BEST = Array.from({ length: 100 }, (_, index) => 340 * 0.992 ** index);

const STRAINS = {
  title: 'Paper Lanterns - Rivers of Neon <3 & other songs, a title that does not fit on the card',
  subtitle: '[Extra] +HDDT',
  stars: 6.74,
  sectionMs: 400,
  series: [
    { name: 'aim', values: wave(120, 20) },
    { name: 'speed', values: wave(80, 33) },
    { name: 'flashlight', values: [0, 0, 0] },
  ],
};

const ROWS = [
  {
    title: 'Rivers',
    subtitle: 'Extra · Paper Lanterns',
    stars: 5.62,
    mods: '+HD',
    pp: 231.4,
    gain: 12.3,
  },
  {
    title: 'A title which is much too long for the row that it stands in',
    subtitle: 'Insane · Tin Robots',
    stars: 4.1,
    mods: '',
    pp: null,
    gain: null,
  },
  {
    title: 'Last Stop of the Night',
    subtitle: 'Expert · Night Bus, The Other Drivers',
    stars: 10.21,
    mods: '+DT',
    pp: 402,
    gain: 0.2,
  },
] as const;

const cover = await dataAddress(640, 156);

/** Stripes, brighter than any cover. */
async function dataAddress(width: number, height: number): Promise<string> {
  const stripes = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#ffffff"/><path d="M0 0L${width} ${height}" stroke="#d02040" stroke-width="60"/><circle cx="${width / 2}" cy="${height / 3}" r="${height / 4}" fill="#2060d0"/></svg>`;
  const jpeg = await sharp(Buffer.from(stripes)).jpeg({ quality: 60 }).toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
}

const PLAY: PlayView = {
  title: 'Rivers of Neon',
  artist: 'Paper Lanterns',
  version: 'Extra',
  stars: 6.74,
  cover,
  grade: 'SH',
  mods: ['HD', 'DT 1.3×'],
  figures: [
    { value: '98.75%', label: 'accuracy' },
    { value: '612x', label: '/ 1,234x' },
    { value: '271', label: 'pp' },
  ],
  remarks: ['about 312 pp as a full combo'],
  results: [
    { name: '512×300', colour: 'sky' },
    { name: '13×100', colour: 'accent' },
    { name: '2×50', colour: 'marigold' },
    { name: '4 miss', colour: 'berry' },
  ],
  note: 'Maple_Otter · 24 Nov 2026',
  worths: [],
  strains: STRAINS,
  fail: undefined,
};
const FAILED: PlayView = {
  ...PLAY,
  title: 'Rivers of Neon and other songs, a title that does not fit',
  artist: 'Paper Lanterns, The Other Drivers & an orchestra of forty-five',
  version: 'A difficulty with a name that is long as well',
  stars: 10.21,
  grade: 'F',
  mods: ['HD', 'HR', 'DT', 'FL', 'DA AR 9.6 CS 3', 'MR', 'SD'],
  figures: [
    { value: '100.00%', label: 'accuracy' },
    { value: '11,234x', label: '/ 11,234x' },
  ],
  remarks: ['about 201 pp up to there', 'about 1,312 pp as a full combo'],
  results: ['11,512×MAX', '1,213×300', '122×200', '14×100', '3×50', '1,004 miss'].map(name => ({
    name,
    colour: 'lilac',
  })),
  fail: { at: 0.43, text: 'failed at 43%' },
};
const SIMULATED: PlayView = {
  ...PLAY,
  cover: undefined,
  grade: undefined,
  remarks: [],
  results: [],
  note: 'AR 10.3 OD 9.4 CS 4 HP 6 · 270 BPM · 1:20',
  worths: [
    ['201 pp', '95%'],
    ['231 pp', '97%'],
    ['252 pp', '98%'],
    ['281 pp', '99%'],
    ['1,320 pp', '100%'],
  ].map(([value = '', label = '']) => ({ value, label })),
};

const LIST: ListView = {
  ...{ title: PLAY.title, artist: PLAY.artist, version: PLAY.version, stars: 6.74, cover },
  rows: [
    {
      place: '9.',
      name: 'Maple_Otter',
      grade: 'XH',
      mods: ['HD', 'DT'],
      facts: ['100.00%', '1,234x', 'full combo'],
      worth: '412 pp',
    },
    {
      place: '10.',
      name: 'WWWWWWWWWWWWWWW',
      grade: 'S',
      mods: ['HD', 'HR', 'DT 1.3×', 'FL'],
      facts: ['98.75%', '612x', '4 misses'],
      worth: '11,949,999',
    },
    { place: '11.', name: '24 Nov 2026', grade: 'F', mods: [], facts: ['97.01%', '98x', '44 misses'], worth: '' },
  ],
};

/** Every card, as it is drawn with everything on it. */
const CARDS: readonly (readonly [name: string, size: Size, render: (drawn: ReturnType<typeof pen>) => string])[] = [
  card('profile', { player: player(), isProven: true, best: BEST }),
  card('profile-images', { player: player(), isProven: true, best: BEST, cover, avatar: await dataAddress(160, 160) }),
  card('profile-much', {
    player: player({
      username: 'WWWWWWWWWWWWWWW',
      country: { code: 'GS', name: 'South Georgia and the South Sandwich Islands' },
      title: 'Elite Mapper',
      statistics: {
        global_rank: 1_234_567,
        country_rank: 234_567,
        pp: 28_421.3,
        hit_accuracy: 100,
        play_count: 1_284_211,
        play_time: 130_000_000,
        level: { current: 113, progress: 34 },
        grade_counts: { ss: 3_123, ssh: 11_224, s: 82_012, sh: 20_123, a: 140_012 },
      },
    }),
    isProven: true,
    best: BEST.map(pp => pp * 5),
    ...{ cover, avatar: await dataAddress(160, 160) },
  }),
  card('profile-ranks', { player: player({ username: 'A_rather_long_name_here' }), isProven: false, best: [] }),
  card('profile-plays', { player: player({ rank_history: null }), isProven: false, best: BEST }),
  card('profile-new', { player: player({ rank_history: null }), isProven: false, best: [] }),
  card('profile-bare', {
    player: player({ statistics: null, rank_history: null, username: 'a player with a very long name' }),
    isProven: true,
    best: [],
  }),
  ['strains', STRAIN_GRAPH, drawn => renderStrainGraph(STRAINS, drawn)],
  ['pp-curve', PP_CURVE, drawn => renderPpCurve('Maple_Otter', scores(200), drawn)],
  play('play', PLAY),
  play('play-failed', FAILED),
  play('play-simulated', SIMULATED),
  ['list', listCardSize(LIST), drawn => renderListCard(LIST, drawn)],
  [
    'recommendations',
    recommendationCardSize(ROWS.length),
    drawn => renderRecommendationCard('For Maple_Otter: about 230 pp each', ROWS, drawn),
  ],
];

function play(name: string, view: PlayView) {
  return [name, playCardSize(view, pen()), (drawn: ReturnType<typeof pen>) => renderPlayCard(view, drawn)] as const;
}

function card(name: string, view: ProfileView) {
  return [name, profileCardSize(view), (drawn: ReturnType<typeof pen>) => renderProfileCard(view, drawn)] as const;
}

it('writes counts of grades that would touch in fewer letters', () => {
  const statistics = { pp: 9_000, grade_counts: { ss: 10_123, ssh: 11_224, s: 82_012, sh: 20_123, a: 14_012 } };
  const view = { player: player({ statistics }), isProven: true, best: [] };
  expect(renderProfileCard(view, pen(createTranslator(['de'])))).toContain('>82K<');
  const usual = {
    ...view,
    player: player({ statistics: { ...statistics, grade_counts: { ss: 3, ssh: 4, s: 12_012, sh: 5, a: 6 } } }),
  };
  expect(renderProfileCard(usual, pen(createTranslator(['de'])))).toContain('>12.012<');
});

it.each(LANGUAGES)('has room for its own words in $name', ({ tag }) => {
  const view = { player: player(), isProven: true, best: BEST };
  expect(renderProfileCard(view, penFor(createTranslator([tag]), 'dark'))).not.toMatch(/>[^<]*\u2026</);
});

it('writes stars in the language of the card, and has room for those of the hardest maps', () => {
  const drawn = (stars: number) => renderStrainGraph({ ...STRAINS, stars }, pen(createTranslator(['de'])));
  expect(drawn(6.7)).toContain('>6,70<');
  expect(drawn(99.994)).toContain('>99,99<');
  expect(drawn(1_234.56)).toContain('>1.235<');
});

it('keeps the accuracy beside many mods, and counts the mods that have no room', () => {
  const [row] = LIST.rows;
  if (row === undefined) throw new Error('no row');
  const textWith = (mods: readonly string[]) => renderListCard({ ...LIST, rows: [{ ...row, mods }] }, pen());
  const [accuracy = ''] = row.facts;
  const settings = textWith(['EZ', 'HD', 'FL', 'DA AR 11 OD 11 CS 7 HP 10']);
  for (const text of [accuracy, '>EZ<', '>DA<']) expect(settings).toContain(text);
  const many = textWith(['EZ', 'HD', 'DT 1.35×', 'FL', 'MR', 'SO', 'DA AR 11', 'AC']);
  for (const text of [accuracy, '>EZ<', '>+2<']) expect(many).toContain(text);
  expect(many).not.toContain('>AC<');
});

describe.each(CARDS)('the card %s', (name, size, render) => {
  it.each(THEMES)('looks in %s as it did when it was last looked at', async theme => {
    const language = ['profile-bare', 'profile-much'].includes(name) ? id : en;
    await expectPicture(`${name}-${theme}`, await drawn(render(pen(language, theme)), size));
  });

  it.each([en, id])('has no text under 11 px on a phone of 360 px', t => {
    const sizes = [...render(pen(t)).matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size));
    expect(sizes.length).toBeGreaterThan(1);
    expect((Math.min(...sizes) * PHONE) / size.width).toBeGreaterThanOrEqual(11);
    expect(size.width).toBe(WIDTH);
    expect(render(pen(t)).match(/<text/g)).toHaveLength(sizes.length);
  });
});

describe.each(THEMES)('the colours of %s cards', theme => {
  const { ground, line: _, ...inks } = LOOKS[theme];

  it.each(Object.entries(inks))('%s is legible', (_name, ink) => {
    expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
  });
});

describe('stars', () => {
  it.each([0, 1, 2.4, 3.3, 4.5, 5.5, 6.4, 7, 8, 9.5, 10.6, 12])('are legible on their own colour at %d', stars => {
    expect(contrast(starInk(stars), starColour(stars))).toBeGreaterThanOrEqual(3);
  });
});

describe('pictures of odd values', () => {
  it.each([
    ['no plays', () => renderPpCurve('x', [], pen()), PP_CURVE],
    ['one play', () => renderPpCurve('x', scores(1), pen()), PP_CURVE],
    ['no strains', () => renderStrainGraph({ ...STRAINS, series: [] }, pen()), STRAIN_GRAPH],
    [
      'strains of nothing',
      () => renderStrainGraph({ ...STRAINS, series: [{ name: 'aim', values: [0] }] }, pen()),
      STRAIN_GRAPH,
    ],
    ['a map of three hours', () => renderStrainGraph({ ...STRAINS, sectionMs: 24_000 }, pen()), STRAIN_GRAPH],
    ['no recommendations', () => renderRecommendationCard('none', [], pen()), recommendationCardSize(0)],
  ])('%s', async (_, svg, size) => {
    await drawn(svg(), size);
  });

  it.each([[[5, 5, 5]], [[1]], [[0, 0, 0]], [[]]])('ranks %j', async ranks => {
    const view = { player: player({ rank_history: { mode: 'osu', data: ranks } }), isProven: false, best: [7, 7, 7] };
    const svg = renderProfileCard(view, pen());
    for (const part of ['<image', '<script', 'NaN', '\u0000', '\uD800']) expect(svg.includes(part)).toBe(false);
    await drawn(svg, profileCardSize(view));
  });

  it('names full of markup stay names', async () => {
    const name = `</text><image href="file:///etc/hosts"/>&"'\u0000\u0008\uD800 <script>`;
    const svg = renderStrainGraph({ ...STRAINS, title: name, subtitle: name }, pen());
    for (const part of ['<image', '<script', '\u0000', '\uD800']) expect(svg.includes(part)).toBe(false);
    await drawn(svg, STRAIN_GRAPH);
  });
});

describe('words for those who cannot see it', () => {
  it('say who the player is and where they stand', () => {
    const { alt, picture } = profilePicture({ player: player(), isProven: false, best: BEST }, painter, en);
    expect(alt).toBe('Profile of Maple_Otter, #18,234, 6,421 pp, with the ranks of recent days');
    expect(picture).toMatchObject({ width: 1080, height: 730 });
    expect(
      profilePicture({ player: player({ statistics: null }), isProven: false, best: [] }, painter, id).alt,
    ).toContain('belum berperingkat');
  });

  it('has the ranks and the best plays as data, too', () => {
    const { charts } = profilePicture({ player: player(), isProven: false, best: [412.4, 380, 300] }, painter, en);
    const [ranks, plays] = charts?.() ?? [];
    expect(ranks?.points.at(-1)).toMatchObject({ name: 'today' });
    expect(ranks?.points.at(-2)).toMatchObject({ name: 'yesterday' });
    expect(plays).toEqual({
      label: 'pp, best 3 plays',
      points: [
        { height: 412.4, text: '412 pp', name: '#1' },
        { height: 380, text: '380 pp', name: '#2' },
        { height: 300, text: '300 pp', name: '#3' },
      ],
    });
    const unranked = profilePicture(
      { player: player({ rank_history: [0, 0] }), isProven: false, best: [] },
      painter,
      en,
    );
    expect(unranked.charts?.()).toEqual([]);
  });

  it('show how a map goes, and that doubled skills are left out', () => {
    // No system has a typeface for the last private character of Unicode, so that the romanised title stands everywhere.
    const set = { artist: 'Paper Lanterns', artist_unicode: '', title: 'Kawa', title_unicode: '\u{10FFFD}' };
    const subject = { set, beatmap: { version: 'Extra' }, mods: ['HD', 'DT'], stars: 5.1 };
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
