/** A part of a video, in milliseconds from its beginning. */
export interface Clip {
  readonly startMs: number;
  readonly endMs: number;
}

/** The longest clip. A longer one would keep a machine busy for minutes. */
export const MAX_CLIP_MS = 5 * 60_000;

const MOMENT = /^(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,5}(?:\.\d{1,3})?)$/;

/** A time such as `5`, `0:05` or `1:02:03.5` in milliseconds; undefined for other text. */
export function parseMoment(text: string): number | undefined {
  const [, hours = '0', minutes, seconds] = MOMENT.exec(text) ?? [];
  // When minutes are given, seconds must be below 60; when hours are given, minutes must be.
  if (seconds === undefined || (minutes !== undefined && Number(seconds) >= 60)) return undefined;
  if (hours !== '0' && Number(minutes) >= 60) return undefined;
  return Math.round((Number(hours) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds)) * 1_000);
}
