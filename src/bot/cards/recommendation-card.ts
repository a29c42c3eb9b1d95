import type { Recommendation } from '../../beatmaps/recommend/recommendation.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { PictureBlock } from '../reply.ts';
import { card, label, PILL, starPill } from './shapes.ts';
import { element, type Markup } from './svg.ts';
import type { SvgRasterizer } from './svg-rasterizer.ts';
import { MARGIN, type Pen, type Size, WIDTH } from './theme.ts';

export interface RecommendationRow {
  /** Artist and title as they can be drawn. */
  readonly title: string;
  /** The difficulty and its mapper. */
  readonly subtitle: string;
  readonly stars: number;
  /** `+HDDT`, or '' for none. */
  readonly mods: string;
  readonly pp: number | null;
  /** What it would add to the player's total. */
  readonly gain: number | null;
}

const ROW = 130;
const HEAD = 128;
const MAX_ROWS = 6;
const LEFT = MARGIN + PILL.width + 28;
/** Of what it is worth, beside the words. */
const WORTH = 220;

export function recommendationCardSize(rows: number): Size {
  return { width: WIDTH, height: HEAD + Math.max(1, Math.min(rows, MAX_ROWS)) * ROW + 20 };
}

/** The card, with its words for those who cannot see it. */
export function recommendationPicture(
  heading: string,
  recommendations: readonly Recommendation[],
  painter: SvgRasterizer,
  t: Translator,
): PictureBlock {
  const rows = recommendations.slice(0, MAX_ROWS).map(({ beatmap, beatmapset, mods, stars, pp, gain }) => ({
    title: `${beatmapset.artist} - ${beatmapset.title}`,
    subtitle: `${beatmap.version} · ${beatmapset.creator}`,
    stars,
    mods: mods.length === 0 ? '' : `+${mods.join('')}`,
    pp,
    gain,
  }));
  const picture = painter.picture(
    'recommendations',
    look => renderRecommendationCard(heading, rows, { t, look }),
    recommendationCardSize(rows.length),
  );
  const alt = `${heading}: ${rows.map(({ title, mods }) => `${title}${mods === '' ? '' : ` ${mods}`}`).join('; ')}`;
  return { kind: 'picture', picture, alt };
}

/** What to play next, one map a row. */
export function renderRecommendationCard(heading: string, rows: readonly RecommendationRow[], pen: Pen): string {
  return card(recommendationCardSize(rows.length), pen.look, [
    label(heading, { x: MARGIN, y: 86, size: 44, bold: true, colour: pen.look.ink, maxWidth: WIDTH - 2 * MARGIN }),
    ...rows.slice(0, MAX_ROWS).flatMap((row, index) => renderRow(row, HEAD + index * ROW, pen)),
  ]);
}

function renderRow(
  { title, subtitle, stars, mods, pp, gain }: RecommendationRow,
  top: number,
  { t, look }: Pen,
): readonly Markup[] {
  const { cards } = t.messages;
  const worth = pp === null ? '' : cards.worth(t.number(Math.round(pp)));
  const added = gain === null || gain < 0.5 ? '' : cards.gain(t.number(Math.round(gain)));
  // Words take the room of a worth that is not known.
  const maxWidth = WIDTH - MARGIN - LEFT - (worth === '' && added === '' ? 0 : WORTH);
  const right = { x: WIDTH - MARGIN, anchor: 'end' } as const;
  return [
    element('rect', { x: MARGIN, y: top, width: WIDTH - 2 * MARGIN, height: 2, fill: look.line }),
    starPill(stars, MARGIN, top + 36, look),
    label(title, { x: LEFT, y: top + 58, size: 38, bold: true, colour: look.ink, maxWidth }),
    label([mods, subtitle].filter(part => part !== '').join(' · '), {
      x: LEFT,
      y: top + 104,
      colour: look.muted,
      maxWidth,
    }),
    label(worth, { ...right, y: top + 58, size: 38, bold: true, colour: look.ink }),
    label(added, { ...right, y: top + 104, colour: look.accent }),
  ];
}
