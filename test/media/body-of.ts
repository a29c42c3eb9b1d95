import { Body } from '../../src/media/parse/body.ts';

/** The text as a site sends it. */
export function bodyOf(text: string): Body {
  return new Body(Buffer.from(text));
}
