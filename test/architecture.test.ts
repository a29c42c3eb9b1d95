import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findViolations } from './architecture/rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function readSources() {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => ({ path: `src/${name.replaceAll(sep, '/')}`, source: readFileSync(join(root, 'src', name), 'utf8') }));
}

const check = (path: string, source: string) => findViolations([{ path, source }]);

describe('the project', () => {
  it('keeps its own rules', () => {
    const files = readSources();
    expect(files.length).toBeGreaterThan(50);
    expect(findViolations(files)).toEqual([]);
    // It reads every file, which is slow on a machine with other work to do.
  });
});

describe('the check of folders', () => {
  const parse = { path: 'src/media/sources/toy/parse/media.ts', source: `import { a } from '../failures.ts';` };
  const answer = { path: 'src/media/sources/toy/parse.ts', source: `import { b } from './parse/media.ts';` };

  it('refuses two that import each other, and no import of one kind alone', () => {
    expect(findViolations([parse, answer])).toEqual([
      'src/media/sources/toy/parse/media.ts: imports src/media/sources/toy, which imports src/media/sources/toy/parse',
    ]);
    expect(findViolations([parse])).toEqual([]);
    expect(findViolations([answer])).toEqual([]);
  });
});

describe('the check of layers', () => {
  it.each([
    ['src/media/post.ts', './files/cdn.ts'],
    ['src/media/files/cdn.ts', '../parse/body.ts'],
    ['src/media/extract/extractor.ts', '../sources/index.ts'],
    ['src/media/tunnel/tunnel.ts', '../delivery/delivery.ts'],
    ['src/media/elsewhere/file.ts', '../post.ts'],
    ['src/bot/contract/command.ts', '../stores/settings-store.ts'],
    ['src/bot/views/post.ts', '../commands/download.ts'],
    ['src/bot/runtime/runtime.ts', '../answer/answer.ts'],
  ])('%s may not import %s', (path, target) => {
    expect(check(path, `import { a } from '${target}';`)).toHaveLength(1);
    expect(check(path, `import type { A } from '${target}';`)).toHaveLength(1);
  });

  it.each([
    ['src/media/files/cdn.ts', './clip.ts'],
    ['src/media/sources/toy/source.ts', '../../extract/source.ts'],
    ['src/media/delivery/delivery.ts', '../post.ts'],
    ['src/bot/commands/help.ts', '../views/notice.ts'],
  ])('%s may import %s', (path, target) => {
    expect(check(path, `import { a } from '${target}';`)).toEqual([]);
  });
});

describe('the check of imports', () => {
  it.each([
    ['src/errors.ts', '../src/config.ts'],
    ['src/errors.ts', './infra/log.ts'],
    ['src/config.ts', './errors.ts'],
    ['src/i18n/translate.ts', '../errors.ts'],
    ['src/i18n/translate.ts', '../bot/reply.ts'],
    ['src/infra/http.ts', '../media/post.ts'],
    ['src/infra/http.ts', '../beatmaps/beatmapset.ts'],
    ['src/infra/http.ts', '../bot/reply.ts'],
    ['src/infra/http.ts', '../api/api.ts'],
    ['src/infra/http.ts', '../platforms/platform.ts'],
    ['src/infra/http.ts', '../config.ts'],
    ['src/infra/http.ts', '../config-values.ts'],
    ['src/media/extractor.ts', '../beatmaps/beatmapset.ts'],
    ['src/media/extractor.ts', '../bot/reply.ts'],
    ['src/media/extractor.ts', '../i18n/translate.ts'],
    ['src/media/extractor.ts', '../config.ts'],
    ['src/probe/canary.ts', '../doctor/program.ts'],
    ['src/probe/canary.ts', '../beatmaps/beatmapset.ts'],
    ['src/probe/canary.ts', '../bot/reply.ts'],
    ['src/probe/canary.ts', '../config.ts'],
    ['src/media/extractor.ts', '../probe/canary.ts'],
    ['src/bot/dispatcher.ts', '../probe/canary.ts'],
    ['src/beatmaps/query.ts', '../media/post.ts'],
    ['src/bot/dispatcher.ts', '../platforms/platform.ts'],
    ['src/bot/dispatcher.ts', '../api/api.ts'],
    ['src/bot/dispatcher.ts', '../infra/store.ts'],
    ['src/platforms/web/platform.ts', '../discord/send.ts'],
    ['src/platforms/web/platform.ts', '../../media/extractor.ts'],
    ['src/platforms/web/platform.ts', '../../media/sources/index.ts'],
    ['src/platforms/web/platform.ts', '../../beatmaps/beatmapset.ts'],
    ['src/platforms/web/platform.ts', '../../api/api.ts'],
    ['src/platforms/web/page/main.ts', '../protocol/limits.ts'],
    ['src/platforms/web/page/main.ts', '../../../errors.ts'],
    ['src/platforms/web/page/main.ts', '../../../i18n/translate.ts'],
    ['src/platforms/web/page/main.ts', '../../../i18n/en/errors.json'],
    ['src/platforms/web/page/main.ts', 'zod'],
    ['src/api/api.ts', '../bot/reply.ts'],
    ['src/api/api.ts', '../platforms/platform.ts'],
    ['src/api/api.ts', '../main.ts'],
    ['src/doctor.ts', './main.ts'],
    ['src/main.ts', '../test/fakes/clock.ts'],
    ['src/main.ts', './errors.js'],
    ['src/main.ts', './errors'],
    ['src/bot/dispatcher.ts', 'discord.js'],
    ['src/platforms/telegram/send.ts', 'discord.js'],
    ['src/platforms/discord/outgoing/send.ts', 'telegraf'],
    ['src/media/extractor.ts', 'undici'],
    ['src/media/tunnel.ts', 'node:tls'],
    ['src/bot/settings.ts', 'libsql'],
    ['src/api/api.ts', 'pino'],
    ['src/bot/dispatcher.ts', 'fastify'],
    ['src/infra/cache.ts', 'ioredis'],
  ])('refuses in %s the import of %s, however it is written', (path, target) => {
    for (const written of [
      `import { thing } from '${target}';`,
      `import '${target}';`,
      `import thing, { type Other } from "${target}";`,
      `import * as thing from '${target}';`,
      `import {\n  a,\n  b,\n} from '${target}';`,
      `const thing = await import('${target}');`,
      `const thing = require('${target}');`,
      `export { thing } from '${target}';`,
    ]) {
      expect(check(path, written), written).not.toEqual([]);
    }
  });

  it.each([
    ['src/main.ts', './platforms/web/platform.ts'],
    ['src/main.ts', './config.ts'],
    ['src/main.ts', 'fastify'],
    ['src/doctor.ts', './config.ts'],
    ['src/config.ts', './config-values.ts'],
    ['src/config.ts', 'zod'],
    ['src/i18n/languages.ts', './id/index.ts'],
    ['src/i18n/texts.ts', './id/errors.json'],
    ['src/infra/log.ts', '../errors.ts'],
    ['src/infra/log.ts', 'pino'],
    ['src/infra/redis/redis.ts', 'ioredis'],
    ['src/media/sources/facebook/source.ts', '../../../infra/http.ts'],
    ['src/probe/canary.ts', '../media/extract/source.ts'],
    ['src/probe/canary.ts', '../infra/log.ts'],
    ['src/doctor/recording.ts', '../probe/ask-sites.ts'],
    ['src/beatmaps/mirrors.ts', '../infra/http.ts'],
    ['src/bot/views/post.ts', '../../media/post.ts'],
    ['src/bot/views/post.ts', '../../i18n/translate.ts'],
    ['src/platforms/web/platform.ts', './protocol/limits.ts'],
    ['src/platforms/web/platform.ts', './page/base/protocol.ts'],
    ['src/platforms/web/platform.ts', '../platform.ts'],
    ['src/platforms/web/platform.ts', '../../media/tunnel/tunnel.ts'],
    ['src/platforms/web/platform.ts', '../../infra/log.ts'],
    ['src/platforms/discord/outgoing/send.ts', 'discord.js'],
    ['src/platforms/web/page/main.ts', './base/protocol.ts'],
    ['src/platforms/web/page/base/texts.ts', '../../../../i18n/en/web.json'],
    ['src/api/api.ts', '../media/extractor.ts'],
  ])('allows in %s the import of %s', (path, target) => {
    expect(check(path, `import { thing } from '${target}';`)).toEqual([]);
  });

  it('distinguishes types from values', () => {
    expect(check('src/bot/dispatcher.ts', "import type { RateLimiter } from '../infra/rate-limit.ts';")).toEqual([]);
    expect(check('src/bot/dispatcher.ts', "import { type A, type B } from '../infra/rate-limit.ts';")).toEqual([]);
    expect(check('src/bot/dispatcher.ts', "import { type A, b } from '../infra/rate-limit.ts';")).toEqual([
      'src/bot/dispatcher.ts: bot may not import values of src/infra/rate-limit.ts',
    ]);
    expect(check('src/i18n/translate.ts', "import type { ErrorCode } from '../errors.ts';")).toEqual([]);
    expect(check('src/i18n/translate.ts', "import type { AppError } from '../errors.ts';")).toHaveLength(1);
    expect(check('src/media/post.ts', "import type { Reply } from '../bot/reply.ts';")).toHaveLength(1);
    expect(check('src/media/post.ts', "let a: import('../bot/reply.ts').Reply;")).toHaveLength(1);
    expect(check('src/api/keys.ts', "import type { IncomingHttpHeaders } from 'node:http';")).toEqual([]);
    expect(check('src/bot/contract/reply.ts', "import type { Message } from 'discord.js';")).toHaveLength(1);
  });

  it('distinguishes asking from serving', () => {
    for (const clause of ['{ request }', '{ Agent as Pool }', 'http', '* as http', '{ createServer, get }']) {
      expect(check('src/media/tunnel.ts', `import ${clause} from 'node:https';`), clause).toHaveLength(1);
    }
    expect(check('src/platforms/web/incoming/chat-socket.ts', "import { createServer } from 'node:http';")).toEqual([]);
  });

  it('refuses what it cannot read', () => {
    expect(check('src/main.ts', 'const name = "x"; await import(name);')).toHaveLength(1);
    expect(check('src/stray.ts', '')).toEqual(['src/stray.ts: belongs to no module']);
  });

  it('does not mind comments and strings', () => {
    const source = `// import { a } from '../bot/reply.ts'; process.env; fetch('x')\nexport const text = "import '../bot/reply.ts'";`;
    expect(check('src/media/post.ts', source)).toEqual([]);
  });
});

describe('the check of names and content', () => {
  it.each([
    'src/infra/utils.ts',
    'src/bot/helpers/text.ts',
    'src/media/post-helper.ts',
    'src/bot/common.ts',
    'src/api/misc.ts',
    'src/bot/job-manager.ts',
    'src/bot/JobQueue.ts',
    'src/bot/job_queue.ts',
    'src/bot/jobQueue.ts',
    'src/bot/Views/post.ts',
  ])('refuses the name %s', path => {
    expect(check(path, 'export const a = 1;')).not.toEqual([]);
  });

  it.each(['src/media/sources/yt-dlp.ts', 'src/i18n/id/errors.ts', 'src/bot/utility-bill.ts'])(
    'allows the name %s',
    path => {
      expect(check(path, 'export const a = 1;')).toEqual([]);
    },
  );

  it.each([
    ['export default 1;', 'default export'],
    ['export default function a() {}', 'default export'],
    ['const a = 1; export { a as default };', 'default export'],
    ["export * from './reply.ts';", 're-exports'],
    ["export type { Reply } from './reply.ts';", 're-exports'],
    ['export const a = process.env.PATH;', 'process.env'],
    ["export const a = process['env'];", 'process.env'],
    ['const { env } = process; export const a = env;', 'process.env'],
    ['export const a = globalThis.process.env;', 'process.env'],
    ["import { env } from 'node:process';", 'process.env'],
    ["await fetch('https://a.example');", 'global fetch'],
    ['export const a = globalThis.fetch;', 'global fetch'],
    ['export const a = (get = fetch) => get;', 'global fetch'],
    ['export const a = { get: fetch };', 'global fetch'],
  ])('refuses %s', (source, complaint) => {
    expect(check('src/beatmaps/model/job.ts', source)).toEqual([expect.stringContaining(complaint)]);
  });

  it.each([
    'export interface Source { fetch(): void } export const run = (source: Source) => source.fetch();',
    'export const a = { fetch() {}, env: 1 };',
    'function fetch() {} fetch();',
    'export const a = (config: { env: string }) => config.env;',
  ])('allows %s', source => {
    expect(check('src/beatmaps/model/job.ts', source)).toEqual([]);
  });

  it('lets config read process.env and the page fetch', () => {
    expect(check('src/config.ts', 'export const a = process.env;')).toEqual([]);
    expect(check('src/platforms/web/page/main.ts', "await fetch('/x');")).toEqual([]);
  });

  it('wants an index.ts to be one list', () => {
    const path = 'src/bot/commands/index.ts';
    const list = "import { help } from './help.ts'; export const commands = [help];";
    expect(check(path, list)).toEqual([]);
    expect(check(path, `${list} export interface Options { a: 1 }`)).toEqual([]);
    expect(check(path, `${list} export const other = 1;`)).toHaveLength(1);
    expect(check(path, "export { help } from './help.ts';")).not.toEqual([]);
    expect(check(path, "import { help } from './help.ts'; export { help }; export const a = [help];")).toHaveLength(1);
  });
});
