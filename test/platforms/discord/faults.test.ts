import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { KeyedCollectionOptions, RecordStore } from '../../../src/infra/store/records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { DISCORD_SESSIONS } from '../../../src/platforms/discord/incoming/sessions.ts';
import { samplePost } from '../../bot/sample.ts';
import { createTcpGate, type TcpGate } from '../../fakes/tcp-gate.ts';
import { embeddedRecords } from '../../records.ts';
import { all, LINK, link, openStage, ownMessages, type Stage, type StageOptions, textOf } from './stage.ts';

let stage: Stage | undefined;

async function open(options?: StageOptions): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
  expect(over?.held.size ?? 0).toBe(0);
});

/** What says or shows something. */
function answers({ fake }: Stage) {
  return ownMessages(fake).filter(({ body }) => all(body.components, 'content').length > 0);
}

function done(on: Stage) {
  return on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
}

/** A way to the API that can be shut; the gateway has its own. */
async function gateTo({ fake }: Stage): Promise<{ readonly gate: TcpGate; readonly apiUrl: string }> {
  const url = new URL(fake.apiUrl);
  const gate = await createTcpGate(Number(url.port));
  onTestFinished(() => gate.shut());
  url.port = `${gate.port}`;
  return { gate, apiUrl: url.href };
}

/** Remembers how far was heard as it was at first. */
function forgetful(): RecordStore {
  const records = embeddedRecords(openStore(':memory:'));
  return {
    ...records,
    collection<V>(options: KeyedCollectionOptions<V>) {
      const kept = records.collection(options);
      return {
        ...kept,
        async set(key: string, value: V) {
          const first = Array.isArray(value) ? value.map((each: object) => ({ ...each, sequence: 1 })) : value;
          await kept.set(key, options.schema.parse(first));
        },
      };
    },
  };
}

const MESSAGES = { method: 'POST', path: /messages$/ } as const;

describe('a process that is killed', () => {
  it('when its answer stands but nobody said so: the next one does not send it twice', async () => {
    const on = await open();
    on.fake.fault({ ...MESSAGES, hang: true, afterSend: true });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => ownMessages(on.fake)[0]);
    await on.platform.kill();
    expect(on.unfinished()).toHaveLength(1);
    await on.another().start();
    await done(on);
    expect(ownMessages(on.fake).map(({ files }) => files.length)).toEqual([1]);
  });

  it.each([
    ['not arrived', {}],
    ['arrived', { afterSend: true }],
  ])('between two messages of one answer: the second has %s, and stands there once', async (_, fault) => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    on.fake.fault({ ...MESSAGES, hang: true, ...fault });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() =>
      on.fake.requests.find(({ method, path }) => method === 'POST' && /messages$/.test(path)),
    );
    await on.platform.kill();
    await on.another().start();
    await done(on);
    expect(answers(on)).toHaveLength(1);
    expect(ownMessages(on.fake).map(({ files }) => files.length)).toEqual([10, 4]);
  });

  it('between two messages of one answer where Medley itself is not: the person is told', async () => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    on.fake.fault({ method: 'POST', path: /^\/webhooks\/\d+\/[^/]+$/, hang: true });
    const guest = { userId: '300', authorizingIntegrationOwners: { 1: '300' } };
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId, ...guest });
    await on.fake.waitFor(() =>
      on.fake.requests.find(({ method, path }) => method === 'POST' && /^\/webhooks/.test(path)),
    );
    await on.platform.kill();
    await on.another().start();
    await done(on);
    // Webhooks know no nonce: the second message may have arrived.
    expect(answers(on).map(({ files }) => files.length)).toEqual([10, 0]);
    expect(textOf(answers(on).at(-1) ?? { body: {} })).toContain('could not find out whether my answer arrived');
  });

  it('after it acknowledged an interaction: the next one answers it', async () => {
    const never = new Promise<never>(() => undefined);
    const on: Stage = await open({ answer: id => (on.asked.length === 1 ? never : samplePost({ id, url: link(id) })) });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => on.asked[0]);
    await on.platform.kill();
    await on.another().start();
    await done(on);
    expect(answers(on).map(({ files }) => files.length)).toEqual([1]);
  });

  it('goes on without an earlier session that is greeted with nothing that can be read', async () => {
    const on = await open({ idle: true });
    const other = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const left = new Promise<void>(resolve => {
      other.on('connection', socket => {
        socket.send(JSON.stringify({ op: 10, d: {} }));
        socket.on('close', () => resolve());
      });
    });
    const address = other.address();
    const resumeURL = `ws://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const session = { sessionId: 'earlier', resumeURL, sequence: 1, shardId: 0, shardCount: 1 };
    await on.records.collection(DISCORD_SESSIONS).set('auto', [session]);
    await on.platform.start();
    await left;
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => answers(on)[0]);
  });

  it('is followed by one that only works: it answers by REST alone', async () => {
    const on = await open({ idle: true });
    const gateway = on.another({ runtime: { works: false } });
    await gateway.start();
    on.fake.message({ guildId: on.guildId, content: LINK });
    const { token } = on.fake.interaction({ kind: 'command', name: 'help', guildId: on.guildId });
    await on.fake.waitFor(() => on.fake.requests.find(({ path }) => path.endsWith(`${token}/callback`)));
    await on.fake.waitFor(() => on.unfinished()[1]);
    await gateway.kill();
    const { identifies } = on.fake.gateway;
    await on.another({ runtime: { hears: () => false } }).start();
    await done(on);
    expect(
      answers(on)
        .map(({ files }) => files.length)
        .toSorted(),
    ).toEqual([0, 1]);
    expect(on.fake.gateway.identifies).toBe(identifies);
  });
});

const LONG = Array.from({ length: 14 }, () => samplePost().items).flat();

describe('a token that is refused once', () => {
  it('on a send: the answer comes all the same', async () => {
    const on = await open();
    on.fake.fault({ ...MESSAGES, status: 401, body: { code: 0, message: '401: Unauthorized' } });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => answers(on)[0]);
    await done(on);
    expect(answers(on).map(({ files }) => files.length)).toEqual([1]);
    on.fake.message({ guildId: on.guildId, content: link('After01') });
    await on.fake.waitFor(() => answers(on)[1]);
    expect((await on.platform.runtime().status()).platforms).toMatchObject([{ state: 'connected' }]);
  });

  it('on a sign of work: nobody notices', async () => {
    const answer = async (id: string) => {
      await on.fake.waitFor(() => on.fake.requests.find(({ path, status }) => path.endsWith('/typing') && status));
      return samplePost({ id, url: link(id) });
    };
    const on: Stage = await open({ answer });
    on.fake.fault({ path: /typing$/, status: 401, body: { code: 0, message: '401: Unauthorized' } });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => answers(on)[0]);
    expect(on.fake.requests.filter(({ path }) => path.endsWith('/typing'))).toMatchObject([{ status: 401 }]);
    expect(on.log.at()).toEqual([]);
  });

  it('on connecting: it connects a moment later', async () => {
    const on = await open({ idle: true });
    on.fake.fault({ path: /gateway\/bot/, status: 401, body: { code: 0, message: '401: Unauthorized' } });
    await on.platform.start();
    await on.fake.waitFor(() => (on.fake.gateway.identifies > 0 ? true : undefined));
  });
});

describe('an API that is away for five seconds', () => {
  async function ask(on: Stage): Promise<void> {
    on.fake.message({ guildId: on.guildId, content: LINK });
    on.fake.message({ guildId: on.guildId, content: [1, 2, 3, 4, 5, 6].map(n => link(`Many0${n}`)).join(' ') });
    on.fake.message({ content: link('Direct01') });
    await new Promise(resolve => setTimeout(resolve, 5_000));
  }

  function expectOnce(on: Stage): void {
    expect(
      answers(on)
        .map(({ files }) => files.length)
        .toSorted(),
    ).toEqual([1, 1, 1, 5]);
    expect(answers(on).map(textOf).join()).not.toMatch(/Discord|could not find out/);
  }

  it('refusing connections: everything comes, once', async () => {
    const on = await open({ idle: true });
    const { gate, apiUrl } = await gateTo(on);
    await on.another({ apiUrl }).start();
    await gate.shut();
    await ask(on);
    expect(answers(on)).toEqual([]);
    await gate.open();
    await done(on);
    expectOnce(on);
  });

  it.each<readonly [string, object]>([
    ['cutting them before anything is done', { cut: true }],
    ['cutting them when all is done', { cut: true, afterSend: true }],
    ['answering 503', { status: 503, body: '<html>upstream connect error</html>' }],
  ])('%s: everything comes, once', async (_, fault) => {
    const on = await open({ idle: true });
    await on.another().start();
    on.fake.fault({ ...MESSAGES, ...fault, times: Number.POSITIVE_INFINITY });
    await ask(on);
    on.fake.mend();
    await done(on);
    expectOnce(on);
  });
});

describe('a gateway that refuses connections', () => {
  const OUTAGE_MS = 3_000;

  async function away(on: Stage, during: () => void = () => undefined): Promise<void> {
    const { first, resume } = on.fake.gates;
    await Promise.all([first.shut(), resume.shut()]);
    during();
    await new Promise(resolve => setTimeout(resolve, OUTAGE_MS));
  }

  async function beginAnswered(on: Stage): Promise<void> {
    on.fake.message({ guildId: on.guildId, content: link('Before01') });
    await on.fake.waitFor(() => answers(on)[0]);
  }

  async function expectOnce(on: Stage): Promise<void> {
    await on.fake.waitFor(() => answers(on)[1]);
    on.fake.message({ guildId: on.guildId, content: link('After01') });
    await on.fake.waitFor(() => answers(on)[2]);
    await done(on);
    expect(on.asked).toEqual(['Before01', 'Missed01', 'After01'].map(link));
    expect(answers(on)).toHaveLength(3);
  }

  it('for a while: what was pasted meanwhile is answered once, in the same session', async () => {
    const on = await open();
    await beginAnswered(on);
    await away(on, () => on.fake.message({ guildId: on.guildId, content: link('Missed01') }));
    await Promise.all([on.fake.gates.first.open(), on.fake.gates.resume.open()]);
    await expectOnce(on);
    expect(on.fake.gateway.identifies).toBe(1);
  });

  it('where the session is to be taken up, and nowhere else: it is taken up where the gateway is', async () => {
    const on = await open();
    await beginAnswered(on);
    await on.fake.gates.resume.shut();
    on.fake.drop();
    on.fake.message({ guildId: on.guildId, content: link('Missed01') });
    await expectOnce(on);
    expect(on.fake.gateway.identifies).toBe(1);
  });

  it('until Discord has forgotten the session: it begins a new one', async () => {
    const on = await open();
    await beginAnswered(on);
    await away(on);
    on.fake.invalidSession(false);
    await Promise.all([on.fake.gates.first.open(), on.fake.gates.resume.open()]);
    await on.fake.waitFor(() => on.fake.isHeard || undefined);
    on.fake.message({ guildId: on.guildId, content: link('After01') });
    await on.fake.waitFor(() => answers(on)[1]);
    expect(on.fake.gateway.identifies).toBe(2);
  });

  it('while a process starts: what was pasted before is answered once', async () => {
    const on = await open();
    await beginAnswered(on);
    await on.platform.stop();
    on.fake.message({ guildId: on.guildId, content: link('Missed01') });
    const { first, resume } = on.fake.gates;
    await Promise.all([first.shut(), resume.shut()]);
    const starting = on.another().start();
    await new Promise(resolve => setTimeout(resolve, OUTAGE_MS));
    await Promise.all([first.open(), resume.open()]);
    await starting;
    await expectOnce(on);
    expect(on.fake.gateway.identifies).toBe(2);
  });
});

describe('what is said while Medley is not there', () => {
  it('is answered when it comes back, by what it may do there', async () => {
    const on = await open();
    const quiet = on.fake.addGuild({ permissions: 0n });
    on.fake.message({ guildId: on.guildId, content: link('Before01') });
    await on.fake.waitFor(() => answers(on)[0]);
    await on.platform.stop();
    on.fake.message({ guildId: on.guildId, content: link('Missed01') });
    on.fake.message({ content: link('Direct01') });
    on.fake.message({ guildId: quiet.id, content: link('Quiet01') });
    const options = { link: link('Slash01') };
    on.fake.interaction({ kind: 'command', name: 'download', options, guildId: on.guildId });
    await on.another().start();
    await on.fake.waitFor(() => answers(on)[3]);
    on.fake.message({ guildId: on.guildId, content: link('After01') });
    await on.fake.waitFor(() => answers(on)[4]);
    expect(on.asked.toSorted()).toEqual(['After01', 'Before01', 'Direct01', 'Missed01', 'Slash01'].map(link));
    expect(on.fake.gateway).toMatchObject({ identifies: 2, resumes: 1 });
    expect(on.log.at()).toEqual([]);
  });

  it('is not answered twice when it was heard, but not written down that it was', async () => {
    const on = await open({ platform: { records: forgetful() } });
    on.fake.message({ guildId: on.guildId, content: link('Before01') });
    await on.fake.waitFor(() => answers(on)[0]);
    await on.platform.stop();
    on.fake.message({ guildId: on.guildId, content: link('Missed01') });
    await on.another().start();
    await on.fake.waitFor(() => answers(on)[1]);
    await done(on);
    expect(answers(on)).toHaveLength(2);
    expect(on.asked).toEqual(['Before01', 'Missed01'].map(link));
    expect(on.fake.gateway.resumes).toBe(1);
  });

  it('is over when Discord no longer has the session; Medley starts all the same', async () => {
    const on = await open();
    await on.platform.stop();
    on.fake.invalidSession(false);
    await on.another().start();
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => answers(on)[0]);
    expect(on.fake.gateway).toMatchObject({ identifies: 2, resumes: 1 });
    expect(on.log.at()).toEqual([]);
  });
});
