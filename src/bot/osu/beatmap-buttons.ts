import type { Services } from '../command.ts';

/** Of a button that opens a set; anybody may press it. The short address fits into a token. */
export function openSetToken({ actions }: Pick<Services, 'actions'>, id: number): string {
  return actions.encode({ command: 'beatmap info', values: { map: `osu.ppy.sh/s/${id}` } });
}

/** The same for a difficulty. */
export function openMapToken({ actions }: Pick<Services, 'actions'>, id: number): string {
  return actions.encode({ command: 'beatmap info', values: { map: `osu.ppy.sh/b/${id}` } });
}

export function downloadToken({ actions }: Pick<Services, 'actions'>, id: number): string {
  return actions.encode({ command: 'beatmap download', values: { map: `osu.ppy.sh/s/${id}` } });
}
