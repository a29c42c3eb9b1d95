import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMarkdownLinks } from '../../../../src/platforms/discord/incoming/messages.ts';
import { cpuMsOf } from '../../../cpu-time.ts';

const URL = 'https://www.instagram.com/reel/SeaLight_01/';
const OTHER = 'https://www.facebook.com/watch/?v=1234567890';

const urls = (text: string) => findMarkdownLinks(text).map(({ url }) => url);
const spoilers = (text: string) => findMarkdownLinks(text).map(({ spoiler }) => spoiler);

describe('findMarkdownLinks', () => {
  it.each([
    ['alone', URL],
    ['in a sentence', `look at ${URL}, please`],
    ['at its end', `it is ${URL}.`],
    ['in brackets', `(see ${URL})`],
    ['masked', `[a reel](${URL})`],
    ['bold', `**${URL}**`],
    ['in a heading', `# ${URL}`],
    ['in a list', `- ${URL}`],
    ['on the line after a quote', `> she said\n${URL}`],
    ['after an arrow without a blank', `>${URL}`],
    ['after an unclosed backtick', `it\` ${URL}`],
    ['after an escaped backtick', `\\\`${URL} \\\``],
  ])('finds a link %s', (_, text) => {
    expect(urls(text)).toEqual([URL]);
  });

  it.each([
    ['with the port it means anyway', 'www.instagram.com:443/reel/a/'],
    ['of several kilobytes', `${URL}?igsh=${'a'.repeat(5_900)}`],
  ])('finds a link %s', (_, link) => {
    expect(urls(`look: ${link} ok`)).toEqual([link]);
  });

  it('finds an address of the game that is a word of its own', () => {
    expect(urls('play osu://b/34+HD or OSU://dl/12.')).toEqual(['osu://b/34', 'OSU://dl/12']);
    expect(urls('`osu://b/34` myosu://b/34 osu://edit/00:01')).toEqual([]);
  });

  const ENDING = 'https://www.instagram.com/p/SeaLight_';

  it.each([
    ['alone', ENDING, ENDING],
    ['bold', `**${ENDING}**`, ENDING],
    ['masked', `[a reel](${ENDING})`, ENDING],
    ['in a word of its own', `sea_light: ${ENDING}`, ENDING],
    ['in italics', `_${ENDING}_`, ENDING.slice(0, -1)],
    ['at the end of italics', `by the _sea: ${ENDING}`, ENDING.slice(0, -1)],
  ])('keeps an underscore at the end that is no markup, %s', (_, text, link) => {
    expect(urls(text)).toEqual([link]);
  });

  it.each([
    ['without a preview', `<${URL}>`],
    ['masked without a preview', `[a](<${URL}>)`],
    ['in code', `\`${URL}\``],
    ['in code with two backticks', `\`\`a \` ${URL}\`\``],
    ['in a code block', `\`\`\`\n${URL}\n\`\`\``],
    ['in a code block with a language', `\`\`\`txt\n> ${URL}\`\`\``],
    ['in a quote', `> ${URL}`],
    ['in a quote of everything', `>>> a\n\nb ${URL}`],
    ['without a path or a scheme', 'instagram.com is down'],
  ])('passes over a link %s', (_, text) => {
    expect(urls(text)).toEqual([]);
  });

  it('knows what is hidden', () => {
    expect(spoilers(`||${URL}||`)).toEqual([true]);
    expect(spoilers(`|| the end: ${URL} ||`)).toEqual([true]);
    expect(spoilers(`||a\n${URL}\nb||`)).toEqual([true]);
    expect(spoilers(`||a|| ${URL} ||b||`)).toEqual([false]);
    expect(spoilers(`||${URL}`)).toEqual([false]);
    expect(spoilers(`\\||${URL}||`)).toEqual([false]);
    expect(spoilers(`\`||\` ${URL} ||`)).toEqual([false]);
    expect(spoilers(`${URL} ||${URL}||`)).toEqual([true]);
  });

  it('keeps the order, without repeats', () => {
    expect(urls(`${OTHER} ${URL} ${OTHER}`)).toEqual([OTHER, URL]);
    expect(urls(`${URL},${OTHER}`)).toEqual([URL, OTHER]);
  });

  it('takes addresses that were typed without a scheme', () => {
    expect(urls('instagram.com/reel/abc/ now')).toEqual(['instagram.com/reel/abc/']);
  });

  it('never throws, and is quick with hostile texts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('||', '`', '```', '> ', '>>> ', '<', '>', '\n', '\\', URL, 'a.b/'), { maxLength: 80 }),
        parts => {
          findMarkdownLinks(parts.join(''));
        },
      ),
    );
    for (const part of ['`', '||', '<https://', '> ', 'https://', 'a.', '(', '\\`']) {
      const tookMs = cpuMsOf(() => {
        findMarkdownLinks(part.repeat(200_000));
      });
      expect(tookMs).toBeLessThan(2_000);
    }
  });
});
