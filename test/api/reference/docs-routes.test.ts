import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { decodeHTML } from 'entities';
import { fastify } from 'fastify';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ERROR_STATUS } from '../../../src/api/errors.ts';
import { createPostExample } from '../../../src/api/media/media-routes.ts';
import examples from '../../../src/api/media/post-examples.json' with { type: 'json' };
import { fbDownloadAnswer, igDownloadAnswer } from '../../../src/api/media/post-schema.ts';
import { docsRoutes } from '../../../src/api/reference/docs-routes.ts';
import { renderReference } from '../../../src/api/reference/reference-page.ts';
import { REFERENCE_SCRIPT } from '../../../src/api/reference/reference-script.ts';
import { ERROR_CODES } from '../../../src/errors.ts';
import { postSchemaOf } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { createApiServer } from '../../fakes/api-server.ts';

const execute = promisify(execFile);

const fieldsSchema = z.object({
  properties: z.record(z.string(), z.object({ description: z.string().optional() })).optional(),
});
const documentSchema = z.object({
  components: z.object({
    schemas: z.record(
      z.string(),
      fieldsSchema.extend({ description: z.string().optional(), oneOf: z.array(fieldsSchema).optional() }),
    ),
  }),
});

const ENDPOINTS = ['/api/igdownload', '/api/fbdownload', '/api/post'];

describe('GET /openapi.json', () => {
  it('describes every endpoint with its parameter, answers, errors and headers', async () => {
    const { app } = await createApiServer({ publicUrl: 'https://medley.example' });
    const response = await app.inject('/openapi.json');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['access-control-allow-origin']).toBe('*');
    const document = response.json();
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://medley.example' }]);
    expect(document.paths['/api/igdownload'].get.responses['200'].content['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/InstagramAnswer' },
      example: examples.instagram,
    });
    expect(document.components.schemas.InstagramAnswer).not.toHaveProperty('example');
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(ENDPOINTS));
    for (const path of ENDPOINTS) {
      const { parameters, responses } = document.paths[path].get;
      expect(parameters).toMatchObject([{ name: 'url', in: 'query', required: true }]);
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['200', '304', '400', '403', '404', '413', '429', '451', '500', '502', '503', '504']),
      );
      for (const answer of Object.values(responses)) {
        expect(answer).toHaveProperty(
          ['headers', 'X-RateLimit-Limit', '$ref'],
          '#/components/headers/X-RateLimit-Limit',
        );
      }
      expect(responses['429'].headers).toHaveProperty('Retry-After');
      expect(responses['404'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' });
    }
    expect(document.components.schemas.Error.properties).toHaveProperty('error');
    expect(document.paths['/api/fbdownload'].get.tags).toContain('Developing');
  });

  it('knows nothing of a site that is not offered', async () => {
    const only = { id: 'facebook', name: 'Facebook', example: 'https://www.facebook.com/reel/1' };
    const { app } = await createApiServer({ sources: [only] });
    const document = (await app.inject('/openapi.json')).body;
    expect(document).toContain('/api/fbdownload');
    expect(document).not.toContain('igdownload');
    expect((await app.inject('/docs')).body).not.toContain('igdownload');
    expect((await app.inject('/api/igdownload?url=x')).statusCode).toBe(404);
  });

  it('refers to nothing that is not there', async () => {
    const { app } = await createApiServer();
    const text = (await app.inject('/openapi.json')).body;
    const document = JSON.parse(text);
    const references = [...text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty(name);
  });

  it('has examples that its own schemas accept', () => {
    expect(igDownloadAnswer.parse(examples.instagram)).toEqual(examples.instagram);
    expect(fbDownloadAnswer.parse(examples.facebook)).toEqual(examples.facebook);
    for (const source of sourceDescriptors) {
      const example = createPostExample(source);
      expect(postSchemaOf([source.id]).parse(example)).toEqual(example);
      expect(example.id).not.toBe('');
    }
  });

  it('has example links that are taken', async () => {
    const { app } = await createApiServer();
    const document = (await app.inject('/openapi.json')).json();
    for (const path of ENDPOINTS) {
      const [{ schema, example }] = document.paths[path].get.parameters;
      const link = encodeURIComponent(example ?? schema.example);
      expect((await app.inject(`${path}?url=${link}`)).statusCode).not.toBe(400);
    }
  });

  it('answers 304 to its own tag', async () => {
    const { app } = await createApiServer();
    const { etag } = (await app.inject('/openapi.json')).headers;
    const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
    expect(again.statusCode).toBe(304);
  });
});

describe('GET /docs', () => {
  it('shows every endpoint with a curl line, and marks the unfinished one', async () => {
    const { app } = await createApiServer({ publicUrl: 'https://medley.example' });
    const page = await app.inject('/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const path of ENDPOINTS) {
      expect(page.body).toContain(`curl &#39;https://medley.example${path}?url=https%3A%2F%2F`);
    }
    const section = page.body.split('<section ').find(text => text.startsWith('id="fbdownload"'));
    expect(section).toContain('Developing');
    expect(page.body.split('<section ').find(text => text.startsWith('id="igdownload"'))).not.toContain('Developing');
  });

  it('is found with a slash behind it, too', async () => {
    const { app } = await createApiServer();
    const { statusCode, headers } = await app.inject('/docs/');
    expect([statusCode, headers.location]).toEqual([308, '/docs']);
  });

  it('runs its own script alone, loads nothing from elsewhere, and its policy holds it to that', async () => {
    const { app } = await createApiServer();
    const { body, headers } = await app.inject('/docs');
    const [before = '', script = '', after = '', ...more] = body.split(/<\/?script>/);
    expect(more).toEqual([]);
    expect(before + after).not.toMatch(
      /<script|<link(?! rel="icon" href="\/)|<img|<iframe|\sstyle=|\son\w+=|url\((?!\/assets\/)|@import/i,
    );
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hashOf(style)}'`);
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hashOf(script)}'`);
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });

  it('has examples that run on the server that shows them, in three languages', async () => {
    const { listen } = await createApiServer();
    const { origin } = await listen({ host: '127.0.0.1', port: 0 });
    const { body } = await request(`${origin}/docs`);
    const section = (await body.text()).split('<section ').find(text => text.startsWith('id="igdownload"')) ?? '';
    const sampleIn = (language: string) => {
      const [, code = ''] = new RegExp(`aria-label="Request in ${language}"><code>([^<]*)</code>`).exec(section) ?? [];
      return decodeHTML(code);
    };
    const shown = await execute(process.execPath, ['--input-type=module', '-e', sampleIn('JavaScript')]);
    expect(shown.stdout).toContain("creator: 'Tester'");
    expect(sampleIn('Shell')).toBe(`curl '${/'(http[^']+)'/.exec(sampleIn('JavaScript'))?.[1]}'`);
    const python = await execute('python3', ['-c', sampleIn('Python')]).catch((error: NodeJS.ErrnoException) => error);
    // Not every machine has it.
    if ('stdout' in python) expect(python.stdout).toContain("'creator': 'Tester'");
    else expect(python.code).toBe('ENOENT');
  });

  it('says when each code comes', async () => {
    const { app } = await createApiServer();
    const { body } = await app.inject('/docs');
    for (const code of ERROR_CODES) {
      expect(body).toContain(`<code>${code}</code> <span class="type">${ERROR_STATUS[code]}</span>`);
    }
  });

  it('says of every field of every answer what it means', async () => {
    const recommend = () => Promise.reject(new Error('nothing is asked'));
    const { app } = await createApiServer({ recommend });
    const { components } = documentSchema.parse((await app.inject('/openapi.json')).json());
    const page = decodeHTML((await app.inject('/docs')).body);
    // A failure is shown by an example.
    const { Error: _, ...answers } = components.schemas;
    const objects = Object.values(answers).flatMap(schema => [schema, ...(schema.oneOf ?? [])]);
    const meanings = objects
      .flatMap(({ properties = {} }) => Object.values(properties))
      .map(field => field.description);
    expect(meanings).toContain('Favourites of the set.');
    for (const meaning of meanings) expect(page).toContain(meaning ?? '');
    // A field may be one of a named list of words, or a list of objects of which their schema alone says what they are.
    expect(page).toContain('<code>mode</code> <span class="type">"osu" | "taiko" | "fruits" | "mania"</span>');
    expect(page).toContain(answers.RecommendationReason?.description);
  });

  it('comes compressed to who takes that', async () => {
    const { app } = await createApiServer();
    for (const url of ['/docs', '/openapi.json']) {
      const plain = await app.inject(url);
      const packed = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
      expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    }
  });

  it('is not written anew for everyone who asks at one address', async () => {
    let asked = 0;
    const app = fastify();
    const document = () => {
      asked += 1;
      return { info: { title: `Title ${asked}` }, paths: {} };
    };
    await app.register(
      docsRoutes({ document, publicUrl: undefined, thumbnails: async () => [], countRequest: async () => {} }),
    );
    const page = async (host: string) => (await app.inject({ url: '/docs', headers: { host } })).body;
    expect(await page('one.example')).toBe(await page('one.example'));
    expect(asked).toBe(1);
    expect(await page('other.example')).toContain('http://other.example');
  });

  it('previews a post that was tried, as a request that counts', async () => {
    const asked: string[] = [];
    const { app } = await createApiServer({
      async thumbnails(link) {
        asked.push(link);
        return [{ kind: 'image', address: '/media/token', alt: null }];
      },
    });
    const url = `/docs/preview?url=${encodeURIComponent('https://www.instagram.com/p/DXtramshed1/')}`;
    const { headers, ...answer } = await app.inject(url);
    expect(answer.json()).toEqual({ items: [{ kind: 'image', address: '/media/token', alt: null }] });
    expect(headers['x-ratelimit-remaining']).toBe('999');
    expect(asked).toEqual(['https://www.instagram.com/p/DXtramshed1/']);
    expect((await app.inject('/docs/preview')).statusCode).toBe(400);
  });

  it('shows the address that was asked, unless it is none', async () => {
    const { app } = await createApiServer();
    const page = async (host: string) => (await app.inject({ url: '/docs', headers: { host } })).body;
    expect(await page('api.example:8080')).toContain('http://api.example:8080/api/post');
    expect(await page("x'$(id)<b>")).not.toContain('$(id)');
  });
});

describe.skipIf(browserMissing)(`the reference in a browser${browserNote}`, () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('shows what the last link that was tried leads to, with its previews or without', {
    timeout: 30_000,
  }, async () => {
    let release = () => {};
    const late = new Promise<void>(resolve => {
      release = resolve;
    });
    const { listen } = await createApiServer({
      async thumbnails(link) {
        if (link.endsWith('/first/')) await late;
        return [{ kind: `image of ${link}`, address: '/media/token', alt: null }];
      },
    });
    const { origin } = await listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage();
    await page.goto(`${origin}/docs`);
    const form = page.locator('#igdownload form');
    const answer = page.locator('#igdownload .answer');
    const send = async (name: string) => {
      await form.locator('[name=url]').fill(`https://www.instagram.com/p/${name}/`);
      await form.locator('button').click();
    };
    const asked = page.waitForRequest(/preview.*first/);
    await send('first');
    await asked;
    await send('second');
    await answer.locator('.previews').waitFor();
    const over = page.waitForResponse(/preview.*first/);
    release();
    await (await over).finished();
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await answer.locator('.previews').allTextContents()).toEqual([
      'image of https://www.instagram.com/p/second/',
    ]);
    await page.route(/preview/, route => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await send('third');
    await failed;
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await answer.locator('pre').count()).toBe(1);
    await page.close();
  });
});

describe.skipIf(browserMissing)(`reading the reference${browserNote}`, () => {
  it('says of a file that was tried its type and size, and has examples that take it as a file', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const document = () => ({
      info: { title: 'Files' },
      paths: { '/clip': { get: { operationId: 'clip', responses: { 200: { content: { 'video/mp4': {} } } } } } },
    });
    await app.register(
      docsRoutes({ document, publicUrl: undefined, thumbnails: async () => [], countRequest: async () => {} }),
    );
    app.get('/clip', (_request, reply) =>
      reply.type('video/mp4').header('content-disposition', 'attachment; filename="a.mp4"').send(Buffer.from('\0film')),
    );
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${origin}/docs`);
    await page.locator('#clip form button').click();
    await page.locator('#clip .answer pre', { hasText: 'video/mp4, 5 bytes' }).waitFor();
    const code = await page.getByLabel('Request in JavaScript').textContent();
    expect((await execute(process.execPath, ['--input-type=module', '-e', code ?? ''])).stdout).toBe('video/mp4 5\n');
  });

  it('has the theme that was chosen in the web chat, else the one of the system', async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { listen } = await createApiServer();
    const { origin } = await listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage({ colorScheme: 'dark' });
    const ground = async () => {
      await page.goto(`${origin}/docs`);
      return page.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    expect(await ground()).toBe('rgb(14, 22, 20)');
    await page.evaluate(`localStorage.setItem('medley.theme', 'light')`);
    expect(await ground()).toBe('rgb(244, 246, 243)');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(`localStorage.setItem('medley.theme', 'dark')`);
    expect(await ground()).toBe('rgb(14, 22, 20)');
  });

  it('copies an example, keeps the language that was chosen, and marks the section that is read', async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { listen } = await createApiServer();
    const { origin } = await listen({ host: '127.0.0.1', port: 0 });
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${origin}/docs`);
    await page.locator('#igdownload .samples label', { hasText: 'Python' }).click();
    for (const id of ['igdownload', 'post']) {
      expect(await page.locator(`#${id} .samples pre:visible`).getAttribute('aria-label')).toBe('Request in Python');
    }
    await page.locator('#post .samples .copy:visible').click();
    await page.locator('#post .copy', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/api/post?url=');
    await page.locator('nav a[href="#errors"]').click();
    await page.locator('nav a[href="#errors"][aria-current]').waitFor();
    await page.reload();
    expect(await page.locator('#post .samples input:checked').getAttribute('value')).toBe('Python');
  });
});

describe('renderReference', () => {
  it('escapes everything it is given', () => {
    const evil = '<script>alert("1")</script>&\'';
    const document = {
      info: { title: evil, description: evil },
      paths: {
        [evil]: {
          get: {
            operationId: evil,
            summary: evil,
            description: evil,
            parameters: [{ name: evil, description: evil, example: evil, schema: { type: evil } }],
            responses: {
              200: {
                content: {
                  'application/json': { schema: { example: evil, properties: { [evil]: { description: evil } } } },
                },
              },
              400: { description: evil },
            },
          },
        },
      },
      components: { headers: { [evil]: { description: evil } } },
    };
    const page = renderReference(document, evil).replace(`<script>${REFERENCE_SCRIPT}</script>`, '');
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/="[^"]*<\/?script/);
    expect(page).toContain('&lt;script&gt;');
  });
});
