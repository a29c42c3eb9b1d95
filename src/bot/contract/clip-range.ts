import { type Clip, MAX_CLIP_MS, parseMoment } from '../../media/files/clip.ts';
import { usageError } from './command.ts';

/** Matches a range such as `0:05-0:20`, `5-20` or `1:02:03.5-1:02:10`. */
const RANGE = /^([\d:.]{1,12})\s*(?:-|\u2013|\u2014|\.\.)\s*([\d:.]{1,12})$/;

/** Reads a range of time. @throws AppError `invalid_request` with a hint that says what is wrong */
export function parseClip(text: string): Clip {
  const [, from = '', to = ''] = RANGE.exec(text.trim()) ?? [];
  const startMs = parseMoment(from);
  const endMs = parseMoment(to);
  if (startMs === undefined || endMs === undefined) throw usageError('clipForm');
  if (endMs <= startMs) throw usageError('clipOrder');
  if (endMs - startMs > MAX_CLIP_MS) throw usageError('clipLong', { minutes: MAX_CLIP_MS / 60_000 });
  return { startMs, endMs };
}

/** Writes a time such as `0:05` or `1:02:03`, with tenths of a second if there are any. */
export function momentText(ms: number): string {
  const tenths = Math.round(ms / 100);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = tenths % 600;
  const seconds = `${Math.floor(rest / 10)}`.padStart(2, '0') + (rest % 10 === 0 ? '' : `.${rest % 10}`);
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${`${minutes}`.padStart(2, '0')}:${seconds}`;
}
