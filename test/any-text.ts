/** Arbitrary texts, without the table of all of Unicode that fast-check fills for its own, which takes most of a second. */
import fc from 'fast-check';

const codePoint = fc
  .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(point => String.fromCodePoint(point));

/** Any text of whole characters, control characters too. */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ unit: codePoint, ...constraints });

const encoded = fc.string({ unit: codePoint, maxLength: 10 }).map(encodeURIComponent);

/** Any address of a web page, with or without a query and a fragment. */
export const anyAddress = () =>
  fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.array(encoded, { maxLength: 5 }),
      fc.option(encoded),
      fc.option(encoded),
    )
    .map(
      ([scheme, domain, path, query, fragment]) =>
        `${scheme}://${domain}${path.map(part => `/${part}`).join('')}${query === null ? '' : `?q=${query}`}${fragment === null ? '' : `#${fragment}`}`,
    );
