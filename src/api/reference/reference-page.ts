import { AppError, ERROR_CODES } from '../../errors.ts';
import { escapeHtml } from '../../infra/server/html.ts';
import { createErrorRenderer, ERROR_REASONS, ERROR_STATUS } from '../errors.ts';
import {
  fieldRows,
  type NamedSchemas,
  type ReferenceOperation,
  type ReferenceSchema,
  referenceDocument,
  resolveSchema,
} from './reference-model.ts';
import { REFERENCE_SCRIPT } from './reference-script.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

interface Endpoint extends ReferenceOperation {
  readonly path: string;
  readonly anchor: string;
}

/**
 * The OpenAPI document as one HTML page that needs no other files. It can be read and its forms work without its
 * script. Everything from the document or the request is escaped.
 * @param origin the server in the examples, e.g. `https://medley.example`
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
<link rel="icon" href="/assets/static/mark.svg" type="image/svg+xml">
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
${endpoints.map(endpoint => renderEndpoint(endpoint, components.schemas, origin)).join('\n')}
${renderLimits(components.headers, origin)}
${renderErrors()}
</main>
<script>${REFERENCE_SCRIPT}</script>
</body>
</html>
`;
}

function renderLink({ anchor, path, tags }: Endpoint): string {
  return `<li><a href="#${escapeHtml(anchor)}"><code>${escapeHtml(path)}</code></a>${badge(tags)}</li>`;
}

/** The tag of an endpoint that is not finished. */
const DEVELOPING = 'Developing';

/** The tag of endpoints whose answers contain files that can be shown. */
const MEDIA_TAG = 'Media';

function badge(tags: readonly string[]): string {
  return tags.includes(DEVELOPING) ? ` <span class="badge">${DEVELOPING}</span>` : '';
}

function renderEndpoint(endpoint: Endpoint, schemas: NamedSchemas, origin: string): string {
  const { anchor, path, summary, description, tags, parameters, responses } = endpoint;
  const content = responses['200']?.content ?? {};
  const answer = content['application/json'];
  const isFile = answer === undefined && Object.keys(content).length > 0;
  const shape = answer?.schema === undefined ? undefined : resolveSchema(answer.schema, schemas);
  const example = answer?.example ?? shape?.example;
  return `<section id="${escapeHtml(anchor)}" aria-labelledby="${escapeHtml(anchor)}-title">
<h2 id="${escapeHtml(anchor)}-title">${escapeHtml(summary)}${badge(tags)}</h2>
<p class="route"><span class="method">GET</span> <code>${escapeHtml(path)}</code></p>
<p>${escapeHtml(description)}</p>
<h3>Parameters</h3>
<dl>${parameters.map(renderParameter).join('')}</dl>
<h3>Try it</h3>
${renderForm(endpoint, schemas)}
${renderSamples((isFile ? fileSamples : jsonSamples)(`${origin}${path}${exampleQuery(endpoint)}`), anchor)}
${example === undefined ? '' : `<h3>Answer</h3>\n${renderCode(JSON.stringify(example, null, 2), `Answer of ${path}`)}`}
${shape === undefined ? '' : renderFields(shape, schemas)}
</section>`;
}

type Parameter = ReferenceOperation['parameters'][number];

function renderParameter({ name, required, description, schema }: Parameter): string {
  const type = [schema?.type ?? ''].flat().join(' | ');
  return renderRow(name, description, `${type}, ${required ? 'required' : 'optional'}`);
}

/** One row: a name with its type, and its meaning. */
function renderRow(name: string, meaning: string, type?: string | number, attributes = ''): string {
  const beside = type === undefined ? '' : ` <span class="type">${escapeHtml(String(type))}</span>`;
  return `<div${attributes}><dt><code>${escapeHtml(name)}</code>${beside}</dt><dd>${escapeHtml(meaning)}</dd></div>`;
}

/** A parameter's value in the example request; '' when the example leaves it out. */
function exampleOf({ example, schema }: Parameter): string {
  const value = example ?? schema?.example;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function exampleQuery({ parameters }: Endpoint): string {
  const query = parameters
    .filter(parameter => exampleOf(parameter) !== '')
    .map(parameter => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(exampleOf(parameter))}`)
    // The samples put the address between single quotes, so single quotes in the address are escaped.
    .map(pair => pair.replaceAll("'", '%27'));
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

/** The form of an endpoint. Parameters of the example request come first; the others are folded away. */
function renderForm({ anchor, path, parameters, tags }: Endpoint, schemas: NamedSchemas): string {
  const isShown = (parameter: Parameter) => parameter.required || exampleOf(parameter) !== '';
  const fields = (shown: boolean) =>
    parameters
      .filter(parameter => isShown(parameter) === shown)
      .map(parameter => renderField(parameter, anchor, schemas));
  const more = fields(false);
  const shows = tags.includes(MEDIA_TAG) ? ' data-shows="media"' : '';
  return `<form class="try" method="get" action="${escapeHtml(path)}" aria-label="Try ${escapeHtml(path)}"${shows}>
<div class="fields">${fields(true).join('')}</div>
${more.length === 0 ? '' : `<details><summary>More parameters</summary><div class="fields">${more.join('')}</div></details>`}
<button type="submit">Send</button>
</form>
<div class="answer" aria-live="polite"></div>`;
}

function renderField(parameter: Parameter, anchor: string, schemas: NamedSchemas): string {
  const { name, required, schema } = parameter;
  const id = escapeHtml(`${anchor}-${name}`);
  const words = (schema === undefined ? undefined : resolveSchema(schema, schemas).enum) ?? [];
  const list = words.length === 0 ? '' : ` list="${id}-words"`;
  const options = words.map(word => `<option value="${escapeHtml(String(word))}"></option>`).join('');
  return `<div><label for="${id}">${escapeHtml(name)}</label><input id="${id}" name="${escapeHtml(name)}" value="${escapeHtml(exampleOf(parameter))}"${required ? ' required' : ''}${list} autocomplete="off" spellcheck="false">${options === '' ? '' : `<datalist id="${id}-words">${options}</datalist>`}</div>`;
}

/** Fields below this level are not indented any further, so that their text keeps enough width. */
const MAX_DEPTH = 6;

function renderFields(schema: ReferenceSchema, schemas: NamedSchemas): string {
  const rows = fieldRows(schema, schemas).map(({ name, depth, type, description }) =>
    renderRow(name, description, type, ` class="depth-${Math.min(depth, MAX_DEPTH)}"`),
  );
  return `<details><summary>Every field</summary><dl>${rows.join('')}</dl></details>`;
}

function renderLimits(headers: Readonly<Record<string, { description: string }>>, origin: string): string {
  const rows = Object.entries(headers).map(([name, { description }]) => renderRow(name, description));
  return `<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">Limits and keys</h2>
<p>Every answer below <code>/api</code> counts, errors and 304 too, and says in its headers where you stand. Browsers on any site may read all of them. A key raises the limit:</p>
${renderCode(`curl -H 'X-API-Key: YOUR_KEY' '${origin}/api/…'`, 'Request with a key')}
<dl>${rows.join('')}</dl>
</section>`;
}

function renderErrors(): string {
  const codes = ERROR_CODES.toSorted((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);
  const rows = codes.map(code => renderRow(code, ERROR_REASONS[code], ERROR_STATUS[code]));
  const example = createErrorRenderer('Medley')(new AppError('not_found', 'an example')).body;
  return `<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>A failure has the HTTP status it names, a code for programs and a sentence for people.</p>
${renderCode(JSON.stringify(example, null, 2), 'An error')}
<h3>Codes, their status, and when each comes</h3>
<dl>${rows.join('')}</dl>
</section>`;
}

/** The example request in each language, for an answer in JSON. */
function jsonSamples(address: string) {
  return {
    Shell: `curl '${address}'`,
    JavaScript: `const response = await fetch('${address}');
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.message);
console.log(answer);`,
    Python: `import json, urllib.request
with urllib.request.urlopen('${address}') as response:
    print(json.load(response))`,
  };
}

/**
 * The example request in each language, for an answer that is a file. Shell and Python save it under the name that the
 * server states.
 */
function fileSamples(address: string) {
  return {
    Shell: `curl -fOJ '${address}'`,
    JavaScript: `const response = await fetch('${address}');
if (!response.ok) throw new Error((await response.json()).error.message);
const file = await response.blob();
console.log(file.type, file.size);`,
    Python: `import urllib.request
with urllib.request.urlopen('${address}') as response:
    with open(response.headers.get_filename(), 'wb') as file:
        file.write(response.read())`,
  };
}

/** The example request in several languages. One of these is shown; a reader can choose another without the script. */
function renderSamples(samples: ReturnType<typeof jsonSamples>, anchor: string): string {
  const parts = Object.entries(samples).map(([language, code], index) => {
    const id = escapeHtml(`${anchor}-in-${language}`);
    return `<input type="radio" name="${escapeHtml(anchor)}-language" id="${id}" value="${language}"${index === 0 ? ' checked' : ''}><label for="${id}">${language}</label>${renderCode(code, `Request in ${language}`)}`;
  });
  return `<div class="samples" role="group" aria-label="The request in a language">${parts.join('')}</div>`;
}

/** Code that can be focused by keyboard, because it may have to be scrolled sideways. */
function renderCode(text: string, label: string): string {
  // A single line is wrapped. Several lines are code whose line breaks matter, so they are not wrapped.
  const kind = text.includes('\n') ? '' : ' class="line"';
  return `<pre${kind} tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text)}</code></pre>`;
}
