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

/** Writes a time such as `0:05` or `1:02:03`, with tenths of a second if there are any. */
export function momentText(ms: number): string {
  const tenths = Math.round(ms / 100);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = tenths % 600;
  const seconds = `${Math.floor(rest / 10)}`.padStart(2, '0') + (rest % 10 === 0 ? '' : `.${rest % 10}`);
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${`${minutes}`.padStart(2, '0')}:${seconds}`;
}
