/** `POST /beatmaps/{id}/attributes` in its shape of 2026-07. The stars are those of no library: each mod has a factor of its own. */
import { z } from 'zod';
import { type Answer, type Ask, json } from './answer.ts';
import type { SandboxMap } from './beatmap-world.ts';
import { MODE_NAMES } from './osu-shapes.ts';

const acronym = z.string().min(2).max(3);
const asked = z.object({
  mods: z
    .array(
      z.union([
        acronym.transform(name => ({ acronym: name, settings: undefined })),
        z.object({ acronym, settings: z.object({ speed_change: z.number().optional() }).optional() }),
      ]),
    )
    .default([]),
  ruleset: z.enum(MODE_NAMES).optional(),
});

const FACTORS: Readonly<Record<string, number>> = { DT: 1.473, NC: 1.473, HR: 1.113, EZ: 0.867, HT: 0.761, DC: 0.761 };
const READ: Readonly<Record<string, number>> = { HD: 1.037, FL: 1.241 };
const CONVERTED = 0.931;

/** What the sandbox's osu! rates a difficulty with mods. */
export function ratedBySandbox(
  map: SandboxMap,
  mods: readonly {
    readonly acronym: string;
    readonly settings?: { readonly speed_change?: number | undefined } | undefined;
  }[],
  mode: number = map.mode,
): number {
  const factor = mods.reduce((product, { acronym: name, settings }) => {
    const read = mode < 2 ? (READ[name] ?? 1) : 1;
    const own = settings?.speed_change;
    return product * read * (own === undefined ? (FACTORS[name] ?? 1) : own ** 0.955);
  }, 1);
  return map.stars * factor * (mode === map.mode ? 1 : CONVERTED);
}

export function answerAttributes({ body, method }: Ask, map: SandboxMap | undefined): Answer {
  if (method !== 'POST') return json({ error: null }, 405);
  if (map === undefined) return json({ error: null }, 404);
  const read = asked.safeParse(JSON.parse(body === '' ? '{}' : body));
  const { mods, ruleset } = read.data ?? { mods: [], ruleset: undefined };
  const mode = ruleset === undefined ? map.mode : MODE_NAMES.indexOf(ruleset);
  const isConvertible = mode === map.mode || map.mode === 0;
  if (!read.success || !isConvertible) return json({ error: 'invalid ruleset or mods' }, 422);
  const star_rating = ratedBySandbox(map, mods, mode);
  const shared = { star_rating, max_combo: map.circles + map.sliders * 2 };
  if (mode === 0) {
    return json({
      attributes: {
        ...shared,
        aim_difficulty: star_rating * 0.51,
        aim_difficult_slider_count: map.sliders * 0.4,
        speed_difficulty: star_rating * 0.44,
        speed_note_count: map.circles * 0.3,
        slider_factor: 0.98,
        aim_difficult_strain_count: 40.5,
        speed_difficult_strain_count: 31.25,
        reading_difficulty: star_rating * 0.2,
      },
    });
  }
  return json({ attributes: mode === 1 ? { ...shared, mono_stamina_factor: 0.12 } : shared });
}
