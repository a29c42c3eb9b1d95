import type { Recommendation } from '../../beatmaps/recommend/recommendation.ts';
import type { Translator } from '../../i18n/translate.ts';
import { starColour } from '../osu/star-colour.ts';
import type { Colour, PictureBlock } from '../reply.ts';
import { element, type Markup } from './svg.ts';
import type { SvgRasterizer } from './svg-rasterizer.ts';
import { card, label, MARGIN, type Size, star, THEME, WIDTH } from './theme.ts';

export interface RecommendationRow {
  /** Artist and title as they can be drawn. */
  readonly title: string;
  /** The difficulty and its mapper. */
  readonly subtitle: string;
  readonly stars: number;
  /** Of its stars. */
  readonly colour: Colour;
  /** `+HDDT`, or '' for none. */
  readonly mods: string;
  readonly pp: number | null;
  /** What it would add to the player's total. */
  readonly gain: number | null;
}

const ROW = 92;
const HEAD = 108;
const MAX_ROWS = 6;

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
    colour: starColour(stars),
    mods: mods.length === 0 ? '' : `+${mods.join('')}`,
    pp,
    gain,
  }));
  const picture = painter.picture(
    'recommendations',
    renderRecommendationCard(heading, rows, t),
    recommendationCardSize(rows.length),
  );
  const alt = `${heading}: ${rows.map(({ title, mods }) => `${title}${mods === '' ? '' : ` ${mods}`}`).join('; ')}`;
  return { kind: 'picture', picture, alt };
}

/** What to play next, one map a row. */
export function renderRecommendationCard(heading: string, rows: readonly RecommendationRow[], t: Translator): string {
  return card(recommendationCardSize(rows.length), [
    label(heading, { x: MARGIN, y: 68, size: 34, bold: true, maxWidth: WIDTH - 2 * MARGIN }),
    ...rows.slice(0, MAX_ROWS).flatMap((row, index) => renderRow(row, HEAD + index * ROW, t)),
  ]);
}

function renderRow(
  { title, subtitle, stars, colour, mods, pp, gain }: RecommendationRow,
  top: number,
  t: Translator,
): readonly Markup[] {
  const { cards } = t.messages;
  const left = MARGIN + 128;
  const ink = inkOn(colour);
  const worth = pp === null ? '' : cards.worth(t.number(Math.round(pp)));
  const added = gain === null || gain < 0.5 ? '' : cards.gain(t.number(Math.round(gain)));
  return [
    element('rect', { x: MARGIN, y: top, width: WIDTH - 2 * MARGIN, height: 2, fill: THEME.line }),
    element('rect', { x: MARGIN, y: top + 24, width: 104, height: 46, rx: 23, fill: colour }),
    star(MARGIN + 25, top + 46, 11, ink),
    label(stars.toFixed(2), { x: MARGIN + 66, y: top + 55, size: 24, bold: true, anchor: 'middle', colour: ink }),
    label(title, { x: left, y: top + 42, size: 27, bold: true, maxWidth: 560 }),
    label([mods, subtitle].filter(part => part !== '').join(' · '), {
      x: left,
      y: top + 74,
      size: 21,
      colour: THEME.muted,
      maxWidth: 560,
    }),
    label(worth, { x: WIDTH - MARGIN, y: top + 42, size: 27, bold: true, anchor: 'end' }),
    label(added, { x: WIDTH - MARGIN, y: top + 74, size: 21, anchor: 'end', colour: THEME.accent }),
  ];
}

/** Dark letters on light colours, light ones on dark; by the brightness people see. */
function inkOn(colour: Colour): string {
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * (red ?? 0) + 0.587 * (green ?? 0) + 0.114 * (blue ?? 0) > 120 ? '#10191a' : '#ffffff';
}
