import { type Handler, Parser } from 'htmlparser2';

const CHUNK_CHARS = 8 * 1024;
/** Deeper markup is not read on: the parser's time grows with the square of the depth. Their pages nest under 100. */
const MAX_DEPTH = 512;

export interface MarkupOptions {
  readonly xml: boolean;
  /** Entities are handed on as they stand, which is quicker: else every character is looked at. */
  readonly rawEntities?: boolean;
}

/** Feeds markup of unknown make to the handler in linear time. What lies behind absurd nesting is left out. Never throws. */
export function readMarkup(
  text: string,
  handler: Partial<Pick<Handler, 'onopentag' | 'ontext' | 'onclosetag'>>,
  { xml, rawEntities = false }: MarkupOptions,
): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes, isImplied) {
        depth += 1;
        handler.onopentag?.(name, attributes, isImplied);
      },
      ontext(data) {
        handler.ontext?.(data);
      },
      onclosetag(name, isImplied) {
        depth -= 1;
        handler.onclosetag?.(name, isImplied);
      },
    },
    { xmlMode: xml, decodeEntities: !rawEntities },
  );
  for (let start = 0; start < text.length && depth <= MAX_DEPTH; start += CHUNK_CHARS) {
    parser.write(text.slice(start, start + CHUNK_CHARS));
  }
  parser.end();
}
