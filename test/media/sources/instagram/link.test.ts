import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instagramRefOf, matchInstagramLink } from '../../../../src/media/sources/instagram/link.ts';
import { anyAddress } from '../../../any-text.ts';

const CODE = 'DXf6wkTgABk';
const MEDIA_ID = '3882079828031045732';

function match(address: string) {
  return matchInstagramLink(new URL(address));
}

describe('links of a post', () => {
  it.each([
    `https://www.instagram.com/p/${CODE}/`,
    `https://www.instagram.com/p/${CODE}`,
    `http://instagram.com/p/${CODE}/`,
    `https://instagram.com/p/${CODE}/?igsh=MTc4&utm_source=ig_web#top`,
    `https://www.instagram.com/reel/${CODE}/`,
    `https://www.instagram.com/reels/${CODE}/`,
    `https://www.instagram.com/tv/${CODE}/`,
    `https://www.instagram.com/marla.quill/p/${CODE}/`,
    `https://www.instagram.com/marla.quill/reel/${CODE}/`,
    `https://www.instagram.com/marla.quill/reels/${CODE}/`,
    `https://www.instagram.com/marla.quill/tv/${CODE}/`,
    `https://www.instagram.com/p/${CODE}/embed/`,
    `https://www.instagram.com/p/${CODE}/embed/captioned/`,
    `https://www.instagram.com/reel/${CODE}/embed`,
    `https://www.instagram.com/p/${CODE}/c/18001234567890123/`,
    `https://www.instagram.com/p/${CODE}/c/18001234567890123/r/1800/`,
    `https://www.instagram.com/P/${CODE}/`,
    `https://m.instagram.com/p/${CODE}/`,
    `https://i.instagram.com/reel/${CODE}/`,
    `https://instagr.am/p/${CODE}/`,
    `https://www.instagr.am/reel/${CODE}`,
    `https://ig.me/p/${CODE}`,
    `https://ddinstagram.com/p/${CODE}/`,
    `https://www.ddinstagram.com/reel/${CODE}/`,
    `https://d.ddinstagram.com/reel/${CODE}/`,
    `https://g.ddinstagram.com/p/${CODE}/`,
    `https://kkinstagram.com/reel/${CODE}/`,
    `https://vxinstagram.com/p/${CODE}/`,
    `https://www.vxinstagram.com/marla.quill/reel/${CODE}`,
    `https://fxstagram.com/p/${CODE}/`,
    `https://uuinstagram.com/reels/${CODE}/`,
    `https://instagramez.com/p/${CODE}/`,
    `https://eeinstagram.com/p/${CODE}/`,
    `https://zzinstagram.com/tv/${CODE}/`,
    `instagram://media?id=${MEDIA_ID}`,
    `instagram://media?id=${MEDIA_ID}_52001177`,
    `instagram://media/?id=${MEDIA_ID}`,
  ])('%s', address => {
    expect(match(address)).toMatchObject({
      kind: 'post',
      ref: {
        source: 'instagram',
        id: CODE,
        url: `https://www.instagram.com/p/${CODE}/`,
        itemIndex: null,
        parts: { mediaId: MEDIA_ID },
      },
    });
  });

  it.each(['C', '-Cmh1cukG2', '9o6LshA7zy', 'aye83DjauH', 'BkfuX9UB-eK', 'XXXXXXXXXX', '___________'])(
    'takes the code %s whatever it begins with',
    code => {
      expect(match(`https://www.instagram.com/p/${code}/`)).toMatchObject({ kind: 'post', ref: { id: code } });
    },
  );

  it('takes the suffix off a private link and says so', () => {
    expect(match('https://www.instagram.com/p/C5_A1TQNPrYw4c2g9KAUTPUl8RVHqiAdAcOOSY0')).toMatchObject({
      kind: 'post',
      ref: { id: 'C5_A1TQNPrY', parts: { private: '1' } },
    });
    expect(match(`https://www.instagram.com/p/${CODE}/`)).not.toHaveProperty('ref.parts.private');
  });

  it.each([
    [`https://www.instagram.com/p/${CODE}/?img_index=2`, 1],
    [`https://www.instagram.com/marla/p/${CODE}/?img_index=10&igsh=x`, 9],
    [`https://www.instagram.com/p/${CODE}/2`, 1],
    [`https://www.instagram.com/p/${CODE}/2/?img_index=3`, 2],
    [`https://www.instagram.com/p/${CODE}/?img_index=1`, 0],
    [`https://www.instagram.com/p/${CODE}/?img_index=0`, null],
    [`https://www.instagram.com/p/${CODE}/?img_index=-1`, null],
    [`https://www.instagram.com/p/${CODE}/?img_index=999`, null],
    [`https://www.instagram.com/p/${CODE}/?img_index=two`, null],
  ])('%s points at item %s', (address, itemIndex) => {
    expect(match(address)).toMatchObject({ kind: 'post', ref: { id: CODE, itemIndex } });
  });
});

describe('links that lead on', () => {
  it.each([
    ['https://www.instagram.com/share/BACiMadeUp/', 'https://www.instagram.com/share/BACiMadeUp/'],
    ['https://instagram.com/share/p/_BAmade-Up?x=1', 'https://www.instagram.com/share/p/_BAmade-Up/'],
    ['https://www.instagram.com/share/reel/BARmadeUp', 'https://www.instagram.com/share/reel/BARmadeUp/'],
    ['https://www.instagram.com/share/reels/BARmadeUp', 'https://www.instagram.com/share/reels/BARmadeUp/'],
    ['https://www.ddinstagram.com/share/reel/BARmadeUp', 'https://www.instagram.com/share/reel/BARmadeUp/'],
    ['https://ig.me/2aMadeUp', 'https://ig.me/2aMadeUp'],
  ])('%s is short for what only the site knows', (address, url) => {
    expect(match(address)).toMatchObject({ kind: 'short', url });
  });

  it('gives each share link a key of its own', () => {
    expect(match('https://www.instagram.com/share/BACiMadeUp')).toMatchObject({ key: 'share/BACiMadeUp' });
    expect(match('https://www.instagram.com/share/reel/BACiMadeUp')).toMatchObject({ key: 'share/reel/BACiMadeUp' });
  });

  it('unwraps the link shim and the login page', () => {
    const target = `https://www.instagram.com/p/${CODE}/`;
    expect(match(`https://l.instagram.com/?u=${encodeURIComponent(target)}&e=AT0made`)).toEqual({
      kind: 'wrapper',
      target,
    });
    expect(match(`https://www.instagram.com/accounts/login/?next=/p/${CODE}/`)).toEqual({ kind: 'wrapper', target });
    expect(match(`https://l.instagram.com/?u=https%3A%2F%2Fevil.example%2F`)).toEqual({
      kind: 'wrapper',
      target: 'https://evil.example/',
    });
  });
});

describe('stories and highlights', () => {
  it.each([
    [
      'https://www.instagram.com/stories/Marla.Quill/3882079828031045732/',
      {
        id: 'story.marla.quill.3882079828031045732',
        url: 'https://www.instagram.com/stories/marla.quill/3882079828031045732/',
        parts: { username: 'marla.quill', mediaId: MEDIA_ID },
      },
    ],
    [
      'https://www.instagram.com/stories/marla.quill/',
      { id: 'stories.marla.quill', parts: { username: 'marla.quill' } },
    ],
    [
      'https://www.instagram.com/stories/highlights/17991234567890123/',
      { id: 'highlight.17991234567890123', parts: { highlightId: '17991234567890123' } },
    ],
    [
      `https://www.instagram.com/s/${Buffer.from('highlight:17991234567890123').toString('base64')}?story_media_id=${MEDIA_ID}_52001177`,
      {
        id: `highlight.17991234567890123.${MEDIA_ID}`,
        url: `https://www.instagram.com/stories/highlights/17991234567890123/?story_media_id=${MEDIA_ID}`,
        parts: { highlightId: '17991234567890123', mediaId: MEDIA_ID },
      },
    ],
  ])('%s', (address, ref) => {
    expect(match(address)).toMatchObject({ kind: 'story', ref: { source: 'instagram', form: 'story', ...ref } });
  });
});

describe('pages without a single post', () => {
  it.each([
    ['https://www.instagram.com/', 'page'],
    ['https://www.instagram.com/marla.quill/', 'profile'],
    ['https://www.instagram.com/marla.quill/reels/', 'profile'],
    ['https://www.instagram.com/marla.quill/tagged/', 'profile'],
    ['https://instagr.am/marla.quill', 'profile'],
    ['https://ddinstagram.com/marla.quill', 'profile'],
    ['instagram://user?username=marla.quill', 'profile'],
    ['https://www.instagram.com/explore/tags/kite/', 'tag'],
    ['https://www.instagram.com/explore/locations/213/dune/', 'place'],
    ['https://www.instagram.com/explore/search/keyword/?q=kite', 'search'],
    ['https://www.instagram.com/explore/', 'page'],
    ['https://www.instagram.com/reels/audio/1306404793971715/', 'audio'],
    ['https://www.instagram.com/reels/audio/', 'audio'],
    ['https://www.instagram.com/reels/', 'page'],
    ['https://www.instagram.com/p/', 'page'],
    ['https://www.instagram.com/marla.quill/live/', 'live'],
    ['https://www.instagram.com/direct/inbox/', 'page'],
    ['https://www.instagram.com/accounts/edit/', 'page'],
    ['https://www.instagram.com/share/', 'page'],
    ['https://www.instagram.com/share/p/', 'page'],
    ['https://www.instagram.com/stories/', 'page'],
    ['https://www.instagram.com/stories/highlights/', 'page'],
    ['https://www.instagram.com/stories/marla.quill/not-a-number/', 'page'],
    ['https://www.instagram.com/s/bm90LWEtaGlnaGxpZ2h0', 'page'],
    ['https://www.instagram.com/p/has%20space/', 'page'],
    [`https://www.instagram.com/p/${'A'.repeat(49)}/`, 'page'],
    [`https://www.instagram.com/${'u'.repeat(31)}/`, 'page'],
    ['https://ig.me/m/marla.quill', 'page'],
    ['https://help.instagram.com/477434105621119', 'page'],
    ['https://l.instagram.com/', 'page'],
    ['instagram://camera', 'page'],
    ['instagram://media?id=not-a-number', 'page'],
    [`instagram://media?id=${'9'.repeat(24)}`, 'page'],
  ])('%s is a %s', (address, what) => {
    expect(match(address)).toEqual({ kind: 'unsupported', what });
  });
});

describe('other hosts', () => {
  it.each([
    `https://instagram.com.evil.example/p/${CODE}/`,
    `https://evilinstagram.com/p/${CODE}/`,
    `https://www.instagram.co/p/${CODE}/`,
    `https://instagram.com./p/${CODE}/`,
    `https://xn--nstagram-0za.com/p/${CODE}/`,
    `https://x.ddinstagram.com/p/${CODE}/`,
    `https://www.facebook.com/reel/1/`,
    `ftp://www.instagram.com/p/${CODE}/`,
    'mailto:someone@instagram.com',
    'data:text/plain,instagram.com',
  ])('%s is not ours', address => {
    expect(match(address)).toBeUndefined();
  });
});

describe('ids', () => {
  it.each([
    CODE,
    'C',
    'stories.marla.quill',
    `story.marla.quill.${MEDIA_ID}`,
    'highlight.17',
    `highlight.17.${MEDIA_ID}`,
  ])('%s stands for its link', id => {
    expect(instagramRefOf(id)).toMatchObject({ source: 'instagram', id });
  });

  it.each(['', 'a b', 'A'.repeat(12), 'stories.', 'story.marla.x', 'highlight.x', '../p', 'stories.UPPER'])(
    '%j stands for none',
    id => {
      expect(instagramRefOf(id)).toBeUndefined();
    },
  );
});

const hosts = fc.constantFrom(
  'www.instagram.com',
  'instagr.am',
  'l.instagram.com',
  'ig.me',
  'd.ddinstagram.com',
  'x.instagram.com',
);
const words = fc.oneof(
  fc.constantFrom(
    'p',
    'reel',
    'reels',
    'tv',
    'share',
    'stories',
    'highlights',
    's',
    'explore',
    'accounts',
    'login',
    'audio',
    '%',
    '..',
  ),
  fc.string({ maxLength: 60 }),
);

describe('any address', () => {
  it('is matched without a throw, to nothing but checked parts on fixed hosts', () => {
    fc.assert(
      fc.property(hosts, fc.array(words, { maxLength: 6 }), fc.string({ maxLength: 40 }), (host, path, query) => {
        const text = `https://${host}/${path.map(encodeURIComponent).join('/')}?${query}`;
        if (!URL.canParse(text)) return;
        const result = matchInstagramLink(new URL(text));
        if (result !== undefined && 'ref' in result) {
          expect(result.ref.id).toMatch(/^[A-Za-z0-9._-]{1,80}$/);
          expect(result.ref.url).toMatch(/^https:\/\/www\.instagram\.com\/[A-Za-z0-9._/-]+$/);
          expect(instagramRefOf(result.ref.id)?.id).toBe(result.ref.id);
        }
        if (result?.kind === 'short') expect(result.url).toMatch(/^https:\/\/(?:www\.instagram\.com|ig\.me)\/[\w/-]+$/);
      }),
    );
  });

  it('is matched without a throw whatever its scheme', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyAddress(),
          fc.string().map(rest => `instagram://${rest}`),
        ),
        text => {
          if (URL.canParse(text)) expect(() => matchInstagramLink(new URL(text))).not.toThrow();
        },
      ),
    );
  });
});
