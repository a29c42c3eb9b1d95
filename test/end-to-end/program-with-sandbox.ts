import { onTestFinished } from 'vitest';
import { createMemoryCache } from '../../src/infra/cache/cache.ts';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../src/infra/http/http-client.ts';
import { createExtractor, type Extractor } from '../../src/media/extract/extractor.ts';
import type { Post } from '../../src/media/post.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';

export interface ProgramWithSandbox {
  readonly sandbox: Sandbox;
  readonly extractor: Extractor;
}

/** The real client, sources and extractor in this process, over the sandbox alone; nothing is remembered between links. */
export async function createProgramWithSandbox(
  options: SandboxOptions & { readonly deadlineMs?: number } = {},
): Promise<ProgramWithSandbox> {
  const { deadlineMs, ...sandboxOptions } = options;
  const sandbox = await createSandbox(sandboxOptions);
  const overrides = sandbox.overrides.split(',').map(entry => {
    const [host = '', origin = ''] = entry.split('=');
    return { host, origin };
  });
  const http = createHttpClient({ overrides: createOverrides(overrides) });
  onTestFinished(async () => {
    await http.close();
    await sandbox.close();
  });
  const log = createRecordingLog();
  const bounds = deadlineMs === undefined ? {} : { deadlineMs };
  const extractor = createExtractor({
    sources: sourceDescriptors.map(source => source.create({ http, log, ...bounds })),
    cache: createMemoryCache<Post>({ maxEntries: 1 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 1 }),
    log,
  });
  return { sandbox, extractor };
}
