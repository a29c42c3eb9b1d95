import { createHash } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import { parseYesNo } from '../../beatmaps/query/query-words.ts';
import {
  type FilterRange,
  type ModFilter,
  parseFilterRange,
  parseModFilter,
} from '../../beatmaps/recommend/filters.ts';
import type { Recommend } from '../../beatmaps/recommend/recommend.ts';
import type { Reason, Recommendation } from '../../beatmaps/recommend/recommendation.ts';
import { registerEndpoint } from './beatmap-endpoint.ts';
import { RECOMMEND_EXAMPLE } from './beatmap-examples.ts';
import { limit, mode, PLAYER_FORMS, SET_FORMS, USUAL_LIMIT, word } from './beatmap-parameters.ts';
import { beatmap, coreSet } from './beatmap-schema.ts';
import { toBeatmap, toCoreSet } from './beatmap-shapes.ts';

/** How long (in seconds) an answer with a `seed` is fresh. It can be repeated exactly until the player plays again. */
const SEEDED_FRESH_S = 300;

/** `/recommend`, to be registered under `/api`. Nothing is stored about the client. */
export function recommendRoutes({ recommend }: { readonly recommend: Recommend }): FastifyPluginAsync {
  return async server => {
    registerEndpoint(server, {
      path: '/recommend',
      operationId: 'recommend',
      summary: 'What to play next',
      description:
        'Maps that suit a player by their best plays, or maps like another, or of given stars, pp and mods: each with its reasons, the pp to expect and what it would add to the total. Figures of pp are estimates.',
      about: 'player',
      query: recommendQuery,
      answer: recommendAnswer,
      example: RECOMMEND_EXAMPLE,
      async find({ mode, seed, limit = USUAL_LIMIT, ...filters }, signal) {
        const number = seed === undefined ? undefined : createHash('sha1').update(seed).digest().readInt32BE(0);
        const request = { ...filters, limit, ruleset: mode, seed: number, signal };
        const { recommendations, source, stale } = await recommend(request);
        const body = { recommendations: recommendations.map(toRecommendation) };
        return { body, source, stale, freshS: seed === undefined ? 0 : SEEDED_FRESH_S, isPrivate: true };
      },
    });
  };
}

function toRecommendation({ beatmap, beatmapset, mods, pp, gain, reasons }: Recommendation) {
  return {
    beatmap: toBeatmap(beatmap),
    beatmapset: toCoreSet(beatmapset),
    mods: [...mods],
    pp: round(pp),
    gain: gain === null ? null : round(gain),
    reasons: reasons.map(toReason),
  };
}

function toReason(reason: Reason) {
  if (reason.kind === 'like') return { ...reason, mods: [...reason.mods] };
  return 'value' in reason ? { ...reason, value: round(reason.value) } : reason;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** The largest change of difficulty that a caller may ask for, in steps. */
const MOST_STEPS = 3;

function readMods(text: string): ModFilter | undefined {
  try {
    return parseModFilter(text);
  } catch {
    return undefined;
  }
}

function readBias(text: string): number | undefined {
  const plain = text.toLowerCase();
  if (plain === 'easier' || plain === 'harder') return plain === 'easier' ? -1 : 1;
  return /^-?[0-3]$/.test(plain) ? Number(plain) : undefined;
}

function range(name: FilterRange, what: string, example: string) {
  return word(text => parseFilterRange(name, text), 'a number or a range like 5-6, 5- or -6, the lower end first', {
    description: `${what}: a range like ${example}, both ends included, or a number for about so much. As played, with the mods.`,
  });
}

const yesNo = (description: string) => word(parseYesNo, 'yes or no', { description });

const recommendQuery = z.object({
  user: word(text => text, PLAYER_FORMS, {
    description: `${PLAYER_FORMS.replace(/^a/, 'A')}, whose best plays say what suits. Without, the other parameters do.`,
  }),
  mode: mode('What the player plays most, or that of like, when left out:'),
  mods: word(readMods, 'like +HDDT, -HR, NM or several of them', {
    description:
      'DT or +HDDT: with these; -HR: without; NM: with none; HDDT!: with these alone. Several hold together. The player’s habit when left out.',
    example: '-HR',
  }),
  bias: word(readBias, `easier, harder or a number from -${MOST_STEPS} to ${MOST_STEPS}`, {
    description: `easier, harder, or a number of steps from -${MOST_STEPS} (easiest) to ${MOST_STEPS}.`,
  }),
  pp: range('pp', 'Expected pp', '200-250'),
  stars: range('stars', 'Stars', '5-6'),
  ar: range('ar', 'Approach rate', '9-9.6'),
  bpm: range('bpm', 'Beats a minute', '170-200'),
  length: range('length', 'Length in seconds, or like 1:30 and 2m', '60-150'),
  farm: yesNo(
    'yes: rather maps that are played for their pp; no: rather not those. Estimated from plays, favourites and length.',
  ),
  loved: yesNo('yes: loved maps too, which give no pp.'),
  like: word(text => text, SET_FORMS, {
    description: 'Maps like this one: a difficulty’s number, a set’s number or any osu! link of them.',
  }),
  limit,
  seed: word(text => (text.length <= 64 ? text : undefined), 'at most 64 characters long', {
    description: 'Any text. The same seed gives the same answer for a while; without it every answer is another.',
  }),
});

const mods = z.array(z.string());
const valued = <K extends string>(kind: K, description: string) =>
  z.strictObject({ kind: z.literal(kind), value: z.number().meta({ description }) });

const reason = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('like'),
      beatmap: z.strictObject({ id: z.number(), version: z.string() }),
      beatmapset: z.strictObject({ id: z.number(), artist: z.string(), title: z.string() }),
      mods,
    }),
    valued('mods', 'Share of the player’s best plays with these mods, 0 to 1.'),
    valued('stars', 'With the mods, by estimate.'),
    valued('pp', 'What the player should be able to reach next.'),
    valued('accuracy', 'What pp is expected at, 0 to 1.'),
    valued('ar', 'With the mods.'),
    valued('od', 'With the mods.'),
    valued('cs', 'With the mods; the number of keys in mania.'),
    valued('bpm', 'With the mods.'),
    valued('length', 'In seconds, with the mods.'),
    valued('popular', 'Favourites of the set.'),
    z.strictObject({ kind: z.literal('farm') }),
    z.strictObject({ kind: z.literal('start') }),
  ])
  .meta({
    id: 'RecommendationReason',
    description:
      'like: a best play of the player, or the map that was asked for, that is like it. ar, od, cs, bpm, length: close to what the player plays best. farm: often played for its pp. start: a kind map for a new player.',
  });

export const recommendAnswer = z
  .strictObject({
    recommendations: z.array(
      z
        .strictObject({
          beatmap,
          beatmapset: coreSet.meta({ description: 'The set, without its difficulties.' }),
          mods: mods.meta({ description: 'To play it with. Empty for none.' }),
          pp: z.number().meta({ description: 'Expected at the player’s usual accuracy. An estimate.' }),
          gain: z
            .number()
            .nullable()
            .meta({ description: 'What the player’s total pp would grow by with that. Null without a player.' }),
          reasons: z.array(reason),
        })
        .meta({ id: 'Recommendation' }),
    ),
  })
  .meta({ description: 'Maps that suit, in no order of worth.' });
