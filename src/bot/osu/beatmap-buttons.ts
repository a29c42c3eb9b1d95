import type { Services } from '../contract/services.ts';

/** Of a button that opens a set; anybody may press it. The short address fits into a token. */
export function openSetToken({ actions }: Pick<Services, 'actions'>, id: number): string {
  return actions.encode({ command: 'beatmap info', values: { map: `osu.ppy.sh/s/${id}` } });
}

/** The same for a difficulty, with mods. */
export function openMapToken({ actions }: Pick<Services, 'actions'>, id: number, mods: readonly string[] = []): string {
  const played = mods.length === 0 ? {} : { mods: mods.join('') };
  return actions.encode({ command: 'beatmap info', values: { map: `osu.ppy.sh/b/${id}`, ...played } });
}

export function downloadToken({ actions }: Pick<Services, 'actions'>, id: number): string {
  return actions.encode({ command: 'beatmap download', values: { map: `osu.ppy.sh/s/${id}` } });
}
