import type { Recommendation } from '../../beatmaps/recommend/recommendation.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Size, SvgRasterizer } from '../contract/picture.ts';
import type { PictureBlock } from '../contract/reply.ts';
import { series } from '../contract/reply-parts.ts';
import { cardMarkup, drawnIn, element, label, labelWidth, type Markup, PILL, penFor, starPill } from './shapes.ts';
import { INNER, MARGIN, type Pen, WIDTH } from './theme.ts';
import { isDrawable } from './typefaces.ts';

export interface RecommendationRow {
  /** The title in characters that can be drawn. */
  readonly title: string;
  /** The difficulty's name and the artist. */
  readonly subtitle: string;
  readonly stars: number;
  /** Mods such as `+HDDT`; '' for none. */
  readonly mods: string;
  readonly pp: number | null;
  /** The pp that a play on the map would add to the player's total. */
  readonly gain: number | null;
}

const ROW = 140;
const HEAD = 122;
const MAX_ROWS = 6;
const LEFT = MARGIN + PILL.width + 24;
/** The space between a row's text and its pp. */
const GAP = 24;

export function recommendationCardSize(rows: number): Size {
  return { width: WIDTH, height: HEAD + Math.max(1, Math.min(rows, MAX_ROWS)) * ROW + 20 };
}

/** The image card of recommended maps, with its alt text. */
export function recommendationPicture(
  heading: string,
  recommendations: readonly Recommendation[],
  painter: SvgRasterizer,
  t: Translator,
): PictureBlock {
  const shown = recommendations.slice(0, MAX_ROWS);
  const rows = shown.map(({ beatmap, beatmapset, mods, stars, pp, gain }) => ({
    title: beatmapset.title,
    subtitle: `${beatmap.version} · ${beatmapset.artist}`,
    stars,
    mods: written(mods),
    pp,
    gain,
  }));
  const title = isDrawable(heading) ? heading : drawnIn(t).messages.osu.recommend.title;
  const picture = painter.picture(
    'recommendations',
    theme => renderRecommendationCard(title, rows, penFor(t, theme)),
    recommendationCardSize(rows.length),
  );
  const names = shown.map(({ beatmapset: { artist, title }, mods }) => `${artist} - ${title} ${written(mods)}`.trim());
  const alt = t.messages.joining.labelled({ name: heading, value: series(names, t) });
  return { kind: 'picture', picture, alt };
}

function written(mods: readonly string[]): string {
  return mods.length === 0 ? '' : `+${mods.join('')}`;
}

export function renderRecommendationCard(heading: string, rows: readonly RecommendationRow[], pen: Pen): string {
  return cardMarkup(recommendationCardSize(rows.length), pen.look, [
    label(heading, { x: MARGIN, y: 80, size: 46, bold: true, colour: pen.look.ink, maxWidth: INNER }),
    ...rows.slice(0, MAX_ROWS).flatMap((row, index) => renderRow(row, HEAD + index * ROW, pen)),
  ]);
}

function renderRow(
  { title, subtitle, stars, mods, pp, gain }: RecommendationRow,
  top: number,
  pen: Pen,
): readonly Markup[] {
  const { t, look } = pen;
  const { cards } = t.messages;
  const worth = pp === null ? '' : cards.worth({ pp: t.number(Math.round(pp)) });
  const added = gain === null || gain < 0.5 ? '' : cards.gain({ pp: t.number(Math.round(gain)) });
  const beside = (width: number) => WIDTH - MARGIN - LEFT - (width === 0 ? 0 : width + GAP);
  const right = { x: WIDTH - MARGIN, anchor: 'end' } as const;
  return [
    element('rect', { x: MARGIN, y: top, width: INNER, height: 2, fill: look.line }),
    starPill(stars, MARGIN, top + 38, pen),
    label(title, {
      x: LEFT,
      y: top + 62,
      size: 40,
      bold: true,
      colour: look.ink,
      maxWidth: beside(labelWidth(worth, { size: 42, bold: true })),
    }),
    label([mods, subtitle].filter(part => part !== '').join(' · '), {
      x: LEFT,
      y: top + 112,
      colour: look.muted,
      maxWidth: beside(labelWidth(added)),
    }),
    label(worth, { ...right, y: top + 62, size: 42, bold: true, colour: look.ink }),
    label(added, { ...right, y: top + 112, colour: look.accent }),
  ];
}
