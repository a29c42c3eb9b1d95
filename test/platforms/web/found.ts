import { Resvg } from '@resvg/resvg-js';
import type { Dispatcher } from '../../../src/bot/answer/answer.ts';
import type { Picture } from '../../../src/bot/contract/picture.ts';
import type { Block, Card, Colour, Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { onlyReply } from '../../../src/bot/contract/request.ts';
import { errorNotice } from '../../../src/bot/views/notice.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { reel } from './posts.ts';

/** Made-up finds: what a search, a page of it, one of its sets and a drawn picture look like. */

const COLOURS: readonly Colour[] = ['#4ebfff', '#4fffd5', '#7cff4f', '#f6f05c', '#ff8068', '#ff3c71'];
const SONGS = [
  ['Marble Lanterns', 'Paper Comet', 'quietmallet', 'photo-dusk-480.jpg'],
  ['Yukari Amane', 'Hoshi no Tegami', 'quietmallet', 'photo-fern-480.jpg'],
  ['The Tin Orchard', 'Slow Tram', 'drumkeeper', 'photo-tram-480.jpg'],
  [
    'A Band With Quite a Long Name',
    'And a Song That Has an Even Longer One (Extended Festival Version)',
    'Old Ferry',
    'missing.jpg',
  ],
  ['Sable Kites', 'Northbound', 'Old Ferry', 'photo-lights-480.jpg'],
] as const;

function cardOf(place: number): Card {
  const [artist, title, mapper, cover] = SONGS[place % SONGS.length] ?? SONGS[0];
  const stars = COLOURS.map((colour, index) => [{ kind: 'swatch', colour, symbol: '●' } as const, ` ${index + 1}.4  `]);
  return {
    kind: 'card',
    title: [{ kind: 'link', url: `https://osu.ppy.sh/beatmapsets/${place}`, children: [`${artist} - ${title}`] }],
    lines: [[`mapped by ${mapper} · ranked`], stars.slice(0, 2 + (place % 4)).flat(), ['3:12 · 180 bpm']],
    image: { kind: 'image', url: `https://cdn.test/${cover}`, alt: `Cover of ${title}` },
    colour: COLOURS[place % COLOURS.length] ?? '#4ebfff',
    sound: {
      url: `https://cdn.test/${place === 4 ? 'missing' : `tune-${place % 3}`}.mp3`,
      label: `Preview of ${title}`,
    },
    action: { kind: 'button', label: 'Open', token: `open ${place}`, style: 'secondary' },
  };
}

function foundPage(page: number): Reply {
  const places = [0, 1, 2, 3, 4].map(place => place + page);
  return reply({
    blocks: [{ kind: 'heading', text: [`Beatmaps like “lantern”, page ${page + 1}`] }, ...places.map(cardOf)],
    actions: [
      ...(page > 0 ? [{ kind: 'button', label: 'Newer', token: `page ${page - 1}`, style: 'secondary' } as const] : []),
      { kind: 'button', label: 'Older', token: `page ${page + 1}`, style: 'secondary' },
      { kind: 'button', label: 'Broken', token: 'fail', style: 'secondary' },
      { kind: 'button', label: 'Film', token: 'film', style: 'secondary' },
      { kind: 'link', label: 'On osu!', url: 'https://osu.ppy.sh/beatmapsets' },
    ],
  });
}

function pictureOf(key: string, draw: Picture['draw']): Block {
  return { kind: 'picture', alt: `The strain of ${key}`, picture: { key, width: 640, height: 200, draw } };
}

const GRAPH =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="200"><rect width="640" height="200" fill="#16211e"/><path d="M0 200 L90 80 L200 120 L330 30 L480 90 L640 60 V200z" fill="#63d3bd"/></svg>';

function opened(place: number): Reply {
  const { title, colour } = cardOf(place);
  return reply({
    blocks: [
      { kind: 'heading', text: title },
      { kind: 'image', url: 'https://cdn.test/tram-cover.jpg', alt: 'Cover', ratio: 3.6 },
      { kind: 'sound', url: 'https://cdn.test/tune-1.mp3', label: 'Preview' },
      {
        kind: 'fields',
        fields: [{ label: 'Stars', value: [{ kind: 'swatch', colour: colour ?? '#4ebfff', symbol: '●' }, ' 5.21'] }],
      },
      pictureOf('drawn', async () => new Resvg(GRAPH).render().asPng()),
      pictureOf('undrawn', () => Promise.reject(new Error('no glyphs'))),
    ],
    actions: [
      {
        kind: 'menu',
        label: 'Difficulties',
        choices: ['Easy', 'Normal', 'Hard', 'Insane', 'Expert'].map((label, index) => ({
          label,
          detail: `${index + 1}.4 stars`,
          token: `page ${index}`,
        })),
      },
      { kind: 'button', label: 'Back', token: 'page 0', style: 'secondary' },
    ],
  });
}

/** Answers `found`, the buttons of what it finds, and everything else like the bot. */
export function findingDispatcher(whole: Pick<Dispatcher, 'read' | 'answer'>): Pick<Dispatcher, 'read' | 'answer'> {
  return {
    async read(message) {
      return message.text === 'found' ? { kind: 'button', what: { token: 'page 0' } } : whole.read(message);
    },
    async answer(body, context) {
      const [, word, place] = (body.kind === 'button' && /^(page|open|fail|film) ?(\d*)$/.exec(body.what.token)) || [];
      if (word === undefined) return whole.answer(body, context);
      return onlyReply(Promise.resolve(pressed(word, Number(place))));
    },
  };
}

function pressed(word: string, place: number): Reply {
  switch (word) {
    case 'fail':
      return errorNotice(new AppError('timeout', 'slow'), createTranslator(['en']), { visibility: 'caller' });
    case 'film':
      return reply({ gallery: [{ kind: 'media', post: reel, index: 0, form: 'original', spoiler: false }] });
    case 'page':
      return foundPage(place);
    default:
      return opened(place);
  }
}
