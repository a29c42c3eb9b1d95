import { directLink } from '../../../beatmaps/model/link.ts';
import type { DownloadAddress } from '../../../beatmaps/upstreams/mirror.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import type { Action, Block, Text } from '../../contract/reply.ts';
import { headingBlock, joined, labelled, link, reply, stacked, textBlock } from '../../contract/reply-parts.ts';
import { MAP_OPTION, wishedMap } from '../../osu/asked-map.ts';
import { coverOf, lengthOfSet, originBlocks, setTitle, starsOfSet } from '../../views/osu/beatmap.ts';
import { ABOUT_BEATMAP } from './osu-command.ts';

/** Shows the addresses from which a beatmapset can be downloaded. */
export const beatmapDownload = defineCommand({
  name: 'beatmap download',
  options: { map: MAP_OPTION, video: { type: 'boolean' } },
  ...ABOUT_BEATMAP,
  async run({ map, video }, context: CommandContext) {
    const { services, signal, t } = context;
    const { set } = await wishedMap({ map, mode: undefined }, context);
    const answer = await services.beatmaps.download(`https://osu.ppy.sh/s/${set.id}`, signal);
    const words = t.messages.osu;
    const cover = coverOf(answer.set, answer.set.card_url);
    const files = wanted(answer.addresses, video);
    const { available, reason } = answer;
    const refusal = textBlock([reason === null ? words.unavailable : words.unavailableBecause({ reason })]);
    const line = joined([
      words.mappedBy({ name: answer.set.creator }),
      starsOfSet(answer.set, t),
      lengthOfSet(answer.set, t),
    ]);
    // The osu!direct address is text, because buttons allow web addresses only; the web chat makes a link of it.
    const direct = labelled([words.direct], [{ kind: 'code', children: [directLink(set.id)] }], t);
    const page = answer.addresses.find(({ source }) => source === 'osu');
    return reply({
      tone: available ? 'neutral' : 'notice',
      blocks: [
        ...(cover ? [cover] : []),
        headingBlock(setTitle(answer.set)),
        textBlock(line),
        ...(available ? [...addressBlocks(files, t), textBlock(direct)] : [refusal]),
        ...originBlocks(answer, t),
      ],
      actions: [
        ...fileActions(files, t),
        ...(page === undefined ? [] : [{ kind: 'link', label: words.openAtOsu, url: page.url } as const]),
      ],
    });
  },
});

/** The addresses with or without video, as the person wants; all of them if none match. */
function wanted(addresses: readonly DownloadAddress[], video: boolean | undefined): readonly DownloadAddress[] {
  const files = addresses.filter(({ source }) => source !== 'osu');
  const fitting = video === undefined ? files : files.filter(address => address.video === video);
  return fitting.length === 0 ? files : fitting;
}

/** A line such as `catboy: with video · without video` for each mirror. */
function addressBlocks(files: readonly DownloadAddress[], t: Translator): readonly Block[] {
  const words = t.messages.osu;
  const isMixed = new Set(files.map(({ video }) => video)).size > 1;
  const sources = [...new Set(files.map(({ source }) => source))];
  const lines = sources.map((source): Text => {
    const own = files.filter(file => file.source === source);
    const [only] = own;
    if (only === undefined) return [];
    const state = t.messages.joining.aside({ words: '', aside: words.mirrorStates[only.state] });
    if (!isMixed) return [link(only.url, source), state];
    const ways = own.map(({ video, url }): Text => [link(url, video ? words.withVideo : words.withoutVideo)]);
    return labelled([`${source}${state}`], joined(ways), t);
  });
  return lines.length === 0 ? [] : [textBlock(stacked([[words.downloadHint], ...lines]))];
}

/** Buttons for the best download, and for the best one without video if the first has video. */
function fileActions(files: readonly DownloadAddress[], t: Translator): readonly Action[] {
  const words = t.messages.osu;
  const [best] = files;
  if (best === undefined) return [];
  const light = best.video ? files.find(({ video }) => !video) : undefined;
  return [
    { kind: 'link', label: words.download, url: best.url, style: 'primary' },
    ...(light === undefined ? [] : [{ kind: 'link', label: words.downloadLight, url: light.url } as const]),
  ];
}
