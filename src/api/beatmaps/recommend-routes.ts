import { createHash, randomInt } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import type { Recommend } from '../../beatmaps/recommend/recommend.ts';
import type { Reason, Recommendation } from '../../beatmaps/recommend/recommendation.ts';
import { registerEndpoint } from './beatmap-endpoint.ts';
import { toBeatmap, toCoreSet } from './beatmap-shapes.ts';
import { RECOMMEND_EXAMPLE, type RecommendAnswer, recommendAnswer, recommendQuery } from './recommend-schema.ts';

export interface RecommendRoutesOptions {
  readonly recommend: Recommend;
}

type RecommendationAnswer = RecommendAnswer['recommendations'][number];

/** Plays change, and so does what is best next. */
const SEEDED_FRESH_S = 300;
const SEEDS = 2 ** 31;

/** `/recommend`, to be registered under `/api`. Nothing is kept about who asks here. */
export function recommendRoutes({ recommend }: RecommendRoutesOptions): FastifyPluginAsync {
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
      async find({ mode, seed, ...filters }, signal) {
        const request = { ...filters, ruleset: mode, seed: seedOf(seed), signal };
        const { recommendations, source, stale } = await recommend(request);
        const body: RecommendAnswer = { recommendations: recommendations.map(toRecommendation) };
        return { body, source, stale, freshS: seed === undefined ? 0 : SEEDED_FRESH_S, isPrivate: true };
      },
    });
  };
}

function seedOf(text: string | undefined): number {
  return text === undefined ? randomInt(SEEDS) : createHash('sha1').update(text).digest().readInt32BE(0);
}

function toRecommendation({ beatmap, beatmapset, mods, pp, gain, reasons }: Recommendation): RecommendationAnswer {
  return {
    beatmap: toBeatmap(beatmap),
    beatmapset: toCoreSet(beatmapset),
    mods: [...mods],
    pp: round(pp),
    gain: gain === null ? null : round(gain),
    reasons: reasons.map(toReason),
  };
}

function toReason(reason: Reason): RecommendationAnswer['reasons'][number] {
  if (reason.kind === 'like') return { ...reason, mods: [...reason.mods] };
  return 'value' in reason ? { ...reason, value: round(reason.value) } : reason;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
