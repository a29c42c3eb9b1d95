import type { DownloadAnswer } from '../../beatmaps/beatmaps.ts';
import type { DownloadAddress } from '../../beatmaps/download.ts';
import type { Translator } from '../../i18n/translate.ts';
import { type Action, type Block, type Reply, reply } from '../reply.ts';
import { coverOf, joined, lengthOfSet, originBlocks, setTitle, starsOfSet } from './beatmap.ts';

export interface BeatmapDownloadView extends DownloadAnswer {
  /** With the set's video or without; undefined offers both. */
  readonly wantsVideo: boolean | undefined;
}

/** Buttons to the files, best first, or why there are none. */
export function renderBeatmapDownload(view: BeatmapDownloadView, t: Translator): Reply {
  const { set, available, reason, addresses, wantsVideo } = view;
  const words = t.messages.osu;
  const cover = coverOf(set, set.card_url);
  const refusal: Block = {
    kind: 'text',
    text: [reason === null ? words.unavailable : words.unavailableBecause(reason)],
  };
  return reply({
    tone: available ? 'neutral' : 'notice',
    blocks: [
      ...(cover ? [cover] : []),
      { kind: 'heading', text: setTitle(set) },
      { kind: 'text', text: joined([words.mappedBy(set.creator), starsOfSet(set, t), lengthOfSet(set, t)]) },
      ...(available ? [{ kind: 'text', text: [words.downloadHint] } as const] : [refusal]),
      ...originBlocks(view, t),
    ],
    actions: wanted(addresses, wantsVideo).map(address => addressAction(address, set.video, t)),
  });
}

/** Those of the wish; all when none are of it. */
function wanted(addresses: readonly DownloadAddress[], video: boolean | undefined): readonly DownloadAddress[] {
  const files = addresses.filter(({ source }) => source !== 'osu');
  const fitting = video === undefined ? files : files.filter(address => address.video === video);
  return [...(fitting.length === 0 ? files : fitting), ...addresses.filter(({ source }) => source === 'osu')];
}

function addressAction({ source, video, url }: DownloadAddress, hasVideo: boolean, t: Translator): Action {
  const words = t.messages.osu;
  if (source === 'osu') return { kind: 'link', label: words.openAtOsu, url };
  const label = !hasVideo ? words.from(source) : video ? words.fromWithVideo(source) : words.fromWithoutVideo(source);
  return { kind: 'link', label, url };
}
