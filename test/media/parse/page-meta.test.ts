import { describe, expect, it } from 'vitest';
import { readMeta, readSrcset } from '../../../src/media/parse/markup.ts';
import { cpuMsOf } from '../../cpu-time.ts';
import { bodyOf } from '../body-of.ts';

describe('readMeta', () => {
  it('reads the canonical address and the first of each property', () => {
    const { canonical, og } = readMeta(
      bodyOf(`<head><title>x</title>
      <link rel="stylesheet" href="a.css"><link rel="canonical" href="https://example.org/?a=1&amp;b=2">
      <link rel="canonical" href="https://example.org/other">
      <meta charset="utf-8"><META property="og:title" content="Clay &amp; glaze &#xb7; &gt;1">
      <meta property="og:title" content="Second"><meta name="twitter:card" content="player">
      <meta name="description" content="not of these"></head><body><meta property="og:image" content="late"></body>`)
        .head,
    );
    expect(canonical).toBe('https://example.org/?a=1&b=2');
    expect([...og]).toEqual([
      ['og:title', 'Clay & glaze · >1'],
      ['twitter:card', 'player'],
    ]);
  });

  it('reads a page without head and body', () => {
    expect(readMeta('<meta property="og:url" content="https://example.org/">').og.get('og:url')).toBe(
      'https://example.org/',
    );
  });

  it.each(['<meta property="og:', '<meta ', '<link rel="', '<meta a="b">', '<meta x'.padEnd(9_000, 'y')])(
    'takes a second at most for a megabyte of %.20s',
    piece => {
      const tookMs = cpuMsOf(() => {
        expect(readMeta(piece.repeat(Math.ceil(1_000_000 / piece.length))).og.size).toBe(0);
      });
      expect(tookMs).toBeLessThan(1_000);
    },
  );
});

it.each([
  'https://a.example/1,2.jpg 640w, https://a.example/b.jpg 1080w',
  'https://a.example/1,2.jpg 640w,https://a.example/b.jpg 1080w',
  '\n https://a.example/1,2.jpg 640w,\n https://a.example/b.jpg 1080w \n',
])('reads the sizes of an image, widest first: %j', text => {
  expect(readSrcset(text)).toEqual([
    { url: 'https://a.example/b.jpg', width: 1080 },
    { url: 'https://a.example/1,2.jpg', width: 640 },
  ]);
});
