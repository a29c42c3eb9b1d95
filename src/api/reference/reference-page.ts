import { escapeHtml } from '../../infra/server/html.ts';
import {
  fieldRows,
  type ReferenceOperation,
  type ReferenceSchema,
  referenceDocument,
  typeName,
} from './reference-model.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

interface Endpoint extends ReferenceOperation {
  readonly path: string;
  readonly anchor: string;
}

/**
 * The OpenAPI document as one page for people: no script, no file beside it. Everything that comes from the document or from
 * the request is escaped.
 * @param origin where the examples ask, e.g. `https://medley.example`
 */
export function renderReference(document: object, origin: string): string {
  const { info, paths, components } = referenceDocument.parse(document);
  const endpoints = Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined ? [] : [{ ...get, path, anchor: get.operationId ?? path.replace(/\W+/g, '-') }],
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(info.title)}</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<header>
<p class="home"><a href="/">Medley</a></p>
<h1>${escapeHtml(info.title)}</h1>
<p class="lead">${escapeHtml(info.description)}</p>
<nav aria-label="Endpoints"><ul>
${endpoints.map(renderLink).join('\n')}
<li><a href="#limits">Limits and keys</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul></nav>
</header>
<main>
${endpoints.map(endpoint => renderEndpoint(endpoint, origin)).join('\n')}
${renderLimits(components.headers, origin)}
${renderErrors(endpoints)}
</main>
</body>
</html>
`;
}

function renderLink({ anchor, path, tags }: Endpoint): string {
  return `<li><a href="#${escapeHtml(anchor)}"><code>${escapeHtml(path)}</code></a>${badge(tags)}</li>`;
}

/** The tag that says an endpoint is not finished. */
const DEVELOPING = 'Developing';

function badge(tags: readonly string[]): string {
  return tags.includes(DEVELOPING) ? ` <span class="badge">${DEVELOPING}</span>` : '';
}

function renderEndpoint(endpoint: Endpoint, origin: string): string {
  const { anchor, path, summary, description, tags, parameters, responses } = endpoint;
  const answer = responses['200']?.content['application/json'];
  const example = answer?.example ?? answer?.schema?.example;
  return `<section id="${escapeHtml(anchor)}" aria-labelledby="${escapeHtml(anchor)}-title">
<h2 id="${escapeHtml(anchor)}-title">${escapeHtml(summary)}${badge(tags)}</h2>
<p class="route"><span class="method">GET</span> <code>${escapeHtml(path)}</code></p>
<p>${escapeHtml(description)}</p>
<h3>Parameters</h3>
<dl>${parameters.map(renderParameter).join('')}</dl>
<h3>Try it</h3>
${renderCode(`curl '${origin}${path}${exampleQuery(endpoint)}'`, `Request to ${path}`)}
${example === undefined ? '' : `<h3>Answer</h3>\n${renderCode(JSON.stringify(example, null, 2), `Answer of ${path}`)}`}
${answer?.schema === undefined ? '' : renderFields(answer.schema)}
</section>`;
}

function renderParameter({ name, required, description, schema }: ReferenceOperation['parameters'][number]): string {
  const type = schema === undefined ? '' : typeName(schema);
  return `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}, ${required ? 'required' : 'optional'}</span></dt><dd>${escapeHtml(description)}</dd></div>`;
}

function exampleQuery({ parameters }: Endpoint): string {
  const query = parameters.flatMap(({ name, example, schema }) => {
    const value = example ?? schema?.example;
    return typeof value === 'string' || typeof value === 'number'
      ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
      : [];
  });
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

/** Deeper fields are no further indented than this. */
const MAX_DEPTH = 6;

function renderFields(schema: ReferenceSchema): string {
  const rows = fieldRows(schema).map(
    ({ name, depth, type, description }) =>
      `<div class="depth-${Math.min(depth, MAX_DEPTH)}"><dt><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span></dt><dd>${escapeHtml(description)}</dd></div>`,
  );
  return `<details><summary>Every field</summary><dl>${rows.join('')}</dl></details>`;
}

function renderLimits(headers: Readonly<Record<string, { description: string }>>, origin: string): string {
  const rows = Object.entries(headers).map(
    ([name, { description }]) =>
      `<div><dt><code>${escapeHtml(name)}</code></dt><dd>${escapeHtml(description)}</dd></div>`,
  );
  return `<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">Limits and keys</h2>
<p>Every answer below <code>/api</code> counts, errors and 304 too, and says in its headers where you stand. Browsers on any site may read all of them. A key raises the limit:</p>
${renderCode(`curl -H 'X-API-Key: YOUR_KEY' '${origin}/api/…'`, 'Request with a key')}
<dl>${rows.join('')}</dl>
</section>`;
}

function renderErrors(endpoints: readonly Endpoint[]): string {
  const statuses = new Map(endpoints.flatMap(({ responses }) => Object.entries(responses)));
  const rows = [...statuses]
    .filter(([status]) => Number(status) >= 400)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(
      ([status, { description }]) =>
        `<div><dt><code>${escapeHtml(status)}</code></dt><dd>${escapeHtml(description)}</dd></div>`,
    );
  const example = {
    status: 404,
    creator: 'Medley',
    error: { code: 'not_found', message: 'This post does not exist, or it was removed.' },
  };
  return `<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>A failure has the HTTP status it names, a code for programs and a sentence for people.</p>
${renderCode(JSON.stringify(example, null, 2), 'An error')}
<dl>${rows.join('')}</dl>
</section>`;
}

/** Reachable by keyboard, since it may scroll sideways. */
function renderCode(text: string, label: string): string {
  // One line is wrapped, several keep their shape.
  const kind = text.includes('\n') ? '' : ' class="line"';
  return `<pre${kind} tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text)}</code></pre>`;
}
