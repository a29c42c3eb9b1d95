import type { MediaItem, Variant } from '../post.ts';
import { audioTracks, plainVideos, videoTracks } from './variant-choice.ts';

/** One way to have all of a video: a file that plays as it is, or a video track and an audio track to be put together. */
export interface WholeVideo {
  /** The file, or the video track. */
  readonly video: Variant;
  /** Undefined when `video` is all of it. */
  readonly audio: Variant | undefined;
}

/** Every way, those of one file first. Video tracks are paired with the best audio track. */
export function wholeVideos(item: MediaItem): readonly WholeVideo[] {
  const plain = plainVideos(item);
  const [audio] = audioTracks(item);
  const tracks = audio === undefined ? [] : videoTracks(item).filter(track => !plain.includes(track));
  return [...plain.map(video => ({ video, audio: undefined })), ...tracks.map(video => ({ video, audio }))];
}

/** Names what comes of two tracks, by the tracks' own keys. */
export function muxKey(videoKey: string, audioKey: string): string {
  return `mux-${videoKey}-${audioKey}`;
}
