import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaAddress } from '../../../src/media/parse/json.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { META_MEDIA_HOSTS } from '../../../src/media/sources/kit/cdn-address.ts';

const SITES = sourceDescriptors.map(({ id, cdnHosts }) => ({ id, hosts: cdnHosts }));
const HOSTS = SITES.flatMap(({ id, hosts }) => hosts.map(host => ({ id, hosts, host })));

describe.each(HOSTS)('mediaAddress on $host of $id', ({ hosts, host }) => {
  it.each([
    `https://${host}/a.mp4`,
    `https://${host}/v/t51/a.jpg?oh=1&e=2`,
    `https://a.${host}/a.jpg`,
    `https://instagram.fqls1-1.fna.${host}/o1/v/a.mp4`,
  ])('accepts %s', url => {
    expect(mediaAddress(url, hosts)).toBe(url);
  });

  it.each([
    ['plain http', `http://${host}/a.jpg`],
    ['a look-alike suffix', `https://evil${host}/a.jpg`],
    ['a suffix that goes on', `https://${host}.evil.example/a.jpg`],
    ['the host as a path', `https://evil.example/${host}/a.jpg`],
    ['the host as a user name', `https://${host}@evil.example/a.jpg`],
    ['the host behind a backslash', `https://evil.example\\.${host}/a.jpg`],
    ['the host in a fragment', `https://evil.example#.${host}/a.jpg`],
    ['a user name', `https://me@${host}/a.jpg`],
    ['a password', `https://:pw@${host}/a.jpg`],
    ['a port', `https://${host}:8443/a.jpg`],
    ['a trailing dot', `https://${host}./a.jpg`],
    ['another host', 'https://lookaside.fbsbx.com/a.jpg'],
    ['an address in numbers', 'https://127.0.0.1/a.jpg'],
    ['an address in IPv6', 'https://[::1]/a.jpg'],
    ['a name of this machine', 'https://localhost/a.jpg'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data'],
    ['a script', 'javascript:alert(1)'],
    ['no address', `${host}/a.jpg`],
    ['nothing', ''],
    ['a number', 7],
    ['null', null],
    ['an object', { href: `https://${host}/a.jpg` }],
  ])('refuses %s', (_, url) => {
    expect(mediaAddress(url, hosts)).toBeNull();
  });
});

it.each(SITES)('no file of $id may be on a host of another site', ({ hosts }) => {
  const others = HOSTS.filter(({ host }) => !hosts.includes(host));
  expect(others.length).toBeGreaterThan(0);
  for (const { host } of others) expect(mediaAddress(`https://${host}/a.jpg`, hosts), host).toBeNull();
});

describe('mediaAddress', () => {
  it('gives every address as a parser of addresses would write it', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '.',
        '..',
        '%2e',
        '%2E',
        '?',
        '&',
        '=',
        '#',
        "'",
        '"',
        ' ',
        '|',
        '\\',
        'é',
        '@',
        ':',
        'xn--',
        'A',
      ),
      fc.string({ maxLength: 3 }),
    );
    const host = fc.constantFrom(
      'a.fbcdn.net',
      'fbcdn.net',
      'A.FBCDN.net',
      'a..fbcdn.net',
      'xn--a.fbcdn.net',
      'fbcdn.net.',
    );
    fc.assert(
      fc.property(host, fc.array(piece, { maxLength: 8 }), (name, pieces) => {
        const url = `https://${name}/${pieces.join('')}`;
        const given = mediaAddress(url, META_MEDIA_HOSTS);
        if (given === null) return;
        const expected = new URL(url);
        expected.hash = '';
        expect(given).toBe(expected.href);
      }),
      { numRuns: 2_000 },
    );
  });

  it('drops a fragment and refuses endless addresses', () => {
    expect(mediaAddress('https://a.fbcdn.net/x#y', META_MEDIA_HOSTS)).toBe('https://a.fbcdn.net/x');
    expect(mediaAddress(`https://a.fbcdn.net/${'x'.repeat(9_000)}`, META_MEDIA_HOSTS)).toBeNull();
  });
});
