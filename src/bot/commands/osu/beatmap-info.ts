import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import { directLink } from '../../../beatmaps/model/link.ts';
import { areMods, checkMods, clockRateOf, inRuleset, parseMods, withMods } from '../../../beatmaps/model/mods.ts';
import type { Rating, RatingRequest } from '../../../beatmaps/rating/ratings.ts';
import type { DownloadAddress } from '../../../beatmaps/upstreams/mirror.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { strainPicture } from '../../cards/strain-graph.ts';
import { type CommandContext, defineCommand, type Option, TERMS } from '../../contract/command.ts';
import type { Action, Block, Text } from '../../contract/reply.ts';
import { headingBlock, joined, labelled, link, reply, stacked, textBlock } from '../../contract/reply-parts.ts';
import { ABOUT_BEATMAP, hardestOf, MAP_MODE_OPTION, MAP_OPTION, wishedMap } from '../../osu/asked.ts';
import { downloadToken, mapButtons, openMapToken } from '../../osu/buttons.ts';
import { MAX_LINES, renderBeatmapInfo } from '../../views/osu/beatmap-info.ts';
import { coverOf, lengthOfSet, originBlocks, setTitle, starsOfSet } from '../../views/osu/facts.ts';
import { beatmapSimulate } from './beatmap-simulate.ts';

/** The accuracies for which the card shows pp. */
const ACCURACIES = [95, 98, 99, 100];

const USUAL_MODS = ['HD', 'HR', 'DT', 'HDDT', 'HDHR', 'HDDTHR', 'FL', 'EZ', 'HT', 'NF'];

async function suggestMods(partial: string) {
  const typed = partial.replace(/^\+/, '').toUpperCase();
  return USUAL_MODS.filter(mods => mods.startsWith(typed)).map(mods => ({ label: `+${mods}`, value: mods }));
}

/**
 * Declares an option that describes a play, such as its accuracy. It can only be typed; if a person gives one, the
 * command answers with `beatmap simulate` instead of the map.
 */
const typedOnly = <O extends Option>(option: O) => ({ ...option, only: 'typed' }) as const;

/** Ratings of the shown difficulties, by id; difficulties of a ruleset without these mods have none. */
async function rate(
  { beatmaps }: Beatmapset,
  focus: RatingRequest | undefined,
  mods: readonly string[],
  { services, signal }: CommandContext,
): Promise<ReadonlyMap<number, Rating>> {
  const others = beatmaps.filter(({ id, mode }) => id !== focus?.beatmap.id && areMods(mods, mode)).slice(0, MAX_LINES);
  const requests = [...(focus ? [focus] : []), ...others.map(beatmap => ({ beatmap, mods }))];
  const rated = await services.ratings.ofMaps(requests, signal);
  return new Map(
    requests.flatMap(({ beatmap }, index) => {
      const rating = rated[index];
      return rating === undefined ? [] : [[beatmap.id, rating] as const];
    }),
  );
}

/** Shows a beatmapset, or one of its difficulties with mods. */
export const beatmapInfo = defineCommand({
  name: 'beatmap info',
  options: {
    map: MAP_OPTION,
    mods: { ...TERMS.mods, suggest: suggestMods },
    mode: MAP_MODE_OPTION,
    accuracy: typedOnly(TERMS.accuracy),
    combo: typedOnly(TERMS.combo),
    misses: typedOnly(TERMS.misses),
    n300: typedOnly(TERMS.n300),
    n100: typedOnly(TERMS.n100),
    n50: typedOnly(TERMS.n50),
    rate: typedOnly(TERMS.rate),
  },
  ...ABOUT_BEATMAP,
  accepts: 'beatmap-link',
  async run({ map, mods, mode, ...play }, context: CommandContext) {
    if (Object.values(play).some(value => value !== undefined)) {
      return beatmapSimulate.run({ map, mods, mode, ...play }, context);
    }
    const { caller, services, t } = context;
    const chosen = parseMods(mods ?? '');
    const { set, beatmap, ruleset, ...origin } = await wishedMap({ map, mode }, context);
    const convertedTo = beatmap?.mode === 'osu' && ruleset !== 'osu' ? ruleset : undefined;
    if (beatmap !== undefined) checkMods(chosen, convertedTo ?? beatmap.mode);
    const shown = beatmap ?? hardestOf(set, ruleset);
    const playedIn = shown?.mode === 'osu' ? (ruleset ?? 'osu') : shown?.mode;
    if (shown !== undefined && playedIn !== undefined) {
      await services.memory.maps.remember(caller, { id: shown.id, ruleset: playedIn });
    }
    const buttonsFor = { convertedTo: playedIn === shown?.mode ? undefined : playedIn, mods: chosen };
    const played = {
      ...set,
      bpm: set.bpm === null ? null : set.bpm * clockRateOf(chosen),
      beatmaps: set.beatmaps.map(each => {
        const own = inRuleset(each, each.id === beatmap?.id ? (convertedTo ?? each.mode) : each.mode);
        return areMods(chosen, own.mode) ? withMods(own, chosen) : own;
      }),
    };
    const focus = beatmap && {
      beatmap,
      mods: chosen,
      accuracies: ACCURACIES,
      strains: services.painter !== undefined,
      ...(convertedTo !== undefined && { ruleset: convertedTo }),
    };
    const ratings = await rate(set, focus, chosen, context);
    const rating = beatmap && ratings.get(beatmap.id);
    const view = {
      ...origin,
      set: played,
      beatmap: played.beatmaps.find(({ id }) => id === beatmap?.id),
      convertedTo,
      mods: chosen,
      ratings,
      picture:
        services.painter &&
        beatmap &&
        rating?.difficulty &&
        strainPicture(
          { set, beatmap, mods: chosen, stars: rating.stars, estimated: rating.difficulty },
          services.painter,
          t,
        ),
      downloadToken: downloadToken(services, set.id),
      openToken: (id: number) => openMapToken(services, { id, mods: chosen }),
      plays: shown
        ? mapButtons({ id: shown.id, ...buttonsFor }, ['leaderboard', 'compare', 'simulate'], services, t)
        : [],
    };
    return renderBeatmapInfo(view, t);
  },
});

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
    // The osu!direct address is shown as text, because buttons allow only web addresses; the web chat makes it a link.
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

/** The addresses with or without video, as the person wants; if no address fits, all of them. */
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

/** Buttons for the best download and, if that has the video, for the best download without the video. */
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
