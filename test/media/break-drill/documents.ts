/** An answer of a site as the JSON documents in it, which can be changed and put back. */

export interface Documents {
  readonly values: readonly unknown[];
  /** The answer with other documents in the places of its own. */
  render(values: readonly unknown[]): string;
}

const SCRIPT = /(<script type="application\/json"[^>]*>)([\s\S]*?)(<\/script>)/g;
const CONTEXT = /("contextJSON": )("(?:[^"\\]|\\.)*")/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function scriptDocuments(html: string): Documents {
  const texts = [...html.matchAll(SCRIPT)].map(match => match[2] ?? '');
  const readable = texts.map(parse);
  return {
    values: readable.filter(value => value !== undefined),
    render(values) {
      const next = [...values];
      let at = 0;
      return html.replace(SCRIPT, (whole: string, open: string, _text: string, close: string) => {
        const isReadable = readable[at] !== undefined;
        at += 1;
        return isReadable ? `${open}${JSON.stringify(next.shift())}${close}` : whole;
      });
    },
  };
}

function contextDocument(html: string): Documents {
  const inner = parse(CONTEXT.exec(html)?.[2] ?? '');
  return {
    values: [parse(String(inner))],
    render: ([value]) => html.replace(CONTEXT, (_, name: string) => `${name}${JSON.stringify(JSON.stringify(value))}`),
  };
}

/** The documents of a JSON answer, of a page's JSON scripts, or of an embed's context. */
export function documentsOf(body: string): Documents {
  if (body.startsWith('{')) return { values: [JSON.parse(body)], render: ([value]) => JSON.stringify(value) };
  return CONTEXT.test(body) ? contextDocument(body) : scriptDocuments(body);
}
