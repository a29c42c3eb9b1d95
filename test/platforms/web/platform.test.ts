import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { fakeExtractor, link } from '../../bot/sample.ts';
import { settle } from '../../settle.ts';
import { connect, type PageClient } from './page-client.ts';
import { carousel, reel } from './posts.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const WAITS = 'https://www.instagram.com/reel/Waits/';

const stages: Stage[] = [];
const clients: PageClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await Promise.all(stages.splice(0).map(stage => stage.close()));
});

async function open(options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({ ...options, limits: { drainMs: 200, closeMs: 200, ...options.limits } });
  stages.push(stage);
  return stage;
}

async function join(stage: Stage, options: Parameters<typeof connect>[1] = {}): Promise<PageClient> {
  const client = await connect(stage.origin, options);
  clients.push(client);
  return client;
}

function said(text: string) {
  return reply({ blocks: [{ kind: 'text', text: [text] }] });
}

function numberedLinks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `https://www.instagram.com/reel/Numbered_${index}/`);
}

it('shows a quoted post as a card of its own, below the one that quotes it', async () => {
  const quoted = { ...carousel, quoted: null };
  const post = { ...reel, quoted };
  const extractor = {
    ...fakeExtractor().services,
    extract: async () => ({ post, itemIndex: null, from: 'load' as const }),
  };
  const page = await join(await open({ services: { extractor } }));
  page.send({ type: 'message', id: 'a', text: link('Quoting') });
  await page.hear('done');
  const shown = page.heard.flatMap(frame => (frame.type === 'reply' ? [frame] : []));
  expect(shown.map(({ index, reply: { gallery } }) => [index, gallery.length])).toEqual([
    [0, reel.items.length],
    [1, carousel.items.length],
  ]);
  expect(shown.map(({ reply: { blocks } }) => JSON.stringify(blocks[0]))).toEqual([
    expect.stringContaining('Mira Holm'),
    expect.stringContaining('Studio Lumen'),
  ]);
});

it('answers a new site, and covers the files of a sensitive post', async () => {
  const page = await join(await open({ services: { sites: [{ id: 'instagram', name: 'Newcomer' }] } }));
  page.send({ type: 'message', id: 'a', text: 'https://www.instagram.com/p/Sensitive/' });
  const { reply } = await page.hear('reply');
  expect(reply.gallery.map(({ spoiler }) => spoiler)).toEqual([true, true]);
});

describe('twenty links at once', () => {
  const limit = { units: 20, windowMs: 1_500 };

  it('all come from one message, in order; that the rest waits is said once', async () => {
    const page = await join(await open(limit));
    page.send({ type: 'message', id: 'a', text: numberedLinks(20).join('\n') });
    await page.hear('notice');
    expect(page.heard.filter(({ type }) => type === 'reply')).toHaveLength(10);
    await page.hear('done');
    const replies = page.heard.flatMap(frame => (frame.type === 'reply' ? [frame] : []));
    expect(replies.map(({ index }) => index)).toEqual(numberedLinks(20).map((_, index) => index));
    expect(replies.map(({ reply: { actions } }) => actions.find(({ kind }) => kind === 'link'))).toEqual(
      numberedLinks(20).map(link => expect.objectContaining({ url: link.replace('/reel/', '/p/') })),
    );
    const waits = /^That was a lot at once\. 10 links wait and follow by themselves, the first in [12] seconds?\.$/;
    const said = page.heard.flatMap(frame => (frame.type === 'notice' ? [frame.text] : []));
    expect(said).toEqual([expect.stringMatching(waits)]);
    await page.hear('progress', ({ text }) => text === said[0]);
  });

  it('all come from twenty messages as well, and commands do not wait for them', async () => {
    const page = await join(await open(limit));
    for (const [index, link] of numberedLinks(20).entries())
      page.send({ type: 'message', id: `n${index}`, text: link });
    await page.hear('notice');
    page.send({ type: 'message', id: 'help', text: '/help' });
    await page.hear('done', ({ id }) => id === 'help');
    expect(page.heard.filter(({ type }) => type === 'done').length).toBeLessThan(20);
    for (const [index] of numberedLinks(20).entries()) {
      await page.hear('done', ({ id }) => id === `n${index}`);
      const { reply: card } = await page.hear('reply', ({ id }) => id === `n${index}`);
      expect(card.gallery).toHaveLength(1);
    }
    expect(page.heard.filter(({ type }) => type === 'notice')).toHaveLength(1);
  });

  it('are not waited for when they are cancelled, nor by a server that stops', async () => {
    const stage = await open({ units: 2 });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: numberedLinks(3).join(' ') });
    await page.hear('notice');
    page.send({ type: 'message', id: 'b', text: numberedLinks(1).join(' ') });
    await page.hear('progress', ({ id, text }) => id === 'b' && text.includes('waits'));
    page.send({ type: 'cancel', id: 'a' });
    await page.hear('done', ({ id }) => id === 'a');
    const stopping = performance.now();
    await stage.stop();
    expect(performance.now() - stopping).toBeLessThan(30_000);
    expect(page.heard.some(frame => frame.type === 'done' && frame.id === 'b')).toBe(false);
  });
});

describe('a conversation', () => {
  it('begins with the texts and commands of the reader’s language', async () => {
    const page = await join(await open(), { locales: ['id-ID', 'en'] });
    const welcome = await page.hear('welcome');
    expect(welcome.locale).toBe('id');
    expect(welcome.texts.send).toBe('Kirim');
    expect(welcome.commands.map(command => command.name)).toContain('download');
    expect(welcome.commands[0]?.usage).toMatch(/^\/download /);
  });

  it('answers a link with progress, the card, and its end', async () => {
    const page = await join(await open());
    page.send({ type: 'message', id: 'a', text: REEL });
    await page.hear('done');
    const types = page.heard.filter(frame => 'id' in frame && frame.id === 'a').map(frame => frame.type);
    expect(types[0]).toBe('accepted');
    expect(types).toContain('progress');
    expect(types.slice(-2)).toEqual(['reply', 'done']);
    const { reply: card } = await page.hear('reply');
    expect(card.gallery[0]).toMatchObject({ kind: 'video', src: '/media/sea-360.mp4', width: 360, height: 640 });
    expect(card.actions.map(action => action.kind)).toEqual(['link']);
  });

  it('answers several links in one message in their order', async () => {
    const page = await join(await open());
    page.send({ type: 'message', id: 'a', text: `${REEL} and https://www.instagram.com/p/FiveThings/` });
    await page.hear('done');
    const replies = page.heard.flatMap(frame => (frame.type === 'reply' ? [frame] : []));
    expect(replies.map(frame => [frame.index, frame.reply.gallery.length])).toEqual([
      [0, 1],
      [1, 5],
    ]);
  });

  it('tells the page its new language when a setting changes it', async () => {
    const page = await join(await open());
    page.send({ type: 'message', id: 'a', text: '/settings' });
    const { reply: card } = await page.hear('reply');
    const menu = card.actions.find(action => action.kind === 'menu');
    const press = menu?.kind === 'menu' ? menu.choices.find(({ label }) => label.includes('Indonesia')) : undefined;
    if (press === undefined) throw new Error('there is no way to Indonesian');
    page.send({ type: 'action', id: 'b', token: press.token });
    const welcome = await page.hear('welcome', frame => frame.locale === 'id');
    expect(welcome.texts.placeholder).toContain('tautan');
  });

  it('suggests how a line goes on', async () => {
    const page = await join(await open());
    page.send({ type: 'suggest', id: 's1', text: '/set' });
    const { items } = await page.hear('suggestions', frame => frame.id === 's1');
    expect(items[0]).toMatchObject({ text: '/settings ' });
  });

  it('cancels: the work is told, nothing more is said but the end', async () => {
    const aborted: boolean[] = [];
    const stage = await open({
      dispatcher: scripted(
        (_, signal) =>
          new Promise(resolve => {
            signal.addEventListener('abort', () => {
              aborted.push(true);
              resolve([said('too late')]);
            });
          }),
      ),
    });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: REEL });
    await page.hear('accepted');
    page.send({ type: 'cancel', id: 'a' });
    await page.hear('done');
    await expect.poll(() => aborted).toEqual([true]);
    expect(page.heard.some(frame => frame.type === 'reply')).toBe(false);
  });

  it('has calm words when the bot itself fails, and goes on', async () => {
    let calls = 0;
    const stage = await open({
      dispatcher: scripted(() => {
        calls += 1;
        if (calls === 1) throw new TypeError('secret detail');
        return [said('fine')];
      }),
    });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: 'one' });
    const { reply: card } = await page.hear('reply', frame => frame.id === 'a');
    expect(card.tone).toBe('error');
    expect(JSON.stringify(card)).not.toContain('secret');
    page.send({ type: 'message', id: 'b', text: 'two' });
    expect((await page.hear('reply', frame => frame.id === 'b')).reply.blocks).toHaveLength(1);
    expect(stage.logged).toEqual(['an answer failed']);
  });

  it('takes a link of 8 KB among words of any script', async () => {
    const stage = await open();
    const page = await join(stage);
    const link = 'https://www.instagram.com/reel/SeaLight_01/?igsh='.padEnd(8_192, 'a%2F');
    page.send({ type: 'message', id: 'a', text: `${'\u5b57'.repeat(1_800)} ${link}` });
    await page.hear('done', frame => frame.id === 'a');
    expect(stage.asked).toEqual([link]);
  });

  it('refuses what is too long, and what is too much at once, in words', async () => {
    const stage = await open({ limits: { running: 1, queued: 1 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'long', text: 'x'.repeat(10_001) });
    const long = await page.hear('reply', frame => frame.id === 'long');
    expect(JSON.stringify(long.reply.blocks)).toContain('10000');
    for (const id of ['a', 'b', 'c']) page.send({ type: 'message', id, text: WAITS });
    const refused = await page.hear('reply', frame => frame.id === 'c');
    expect(refused.reply.tone).toBe('error');
    expect(stage.asked).toEqual([WAITS]);
    stage.release();
    await page.hear('done', frame => frame.id === 'a');
    await page.hear('accepted', frame => frame.id === 'b');
  });

  it('gives an address no room for more than all its connections could ask, however many sessions it leaves', async () => {
    const stage = await open({ limits: { running: 1, queued: 0, connectionsPerAddress: 2 } });
    for (let left = 0; left < 2; left += 1) {
      const page = await join(stage);
      page.send({ type: 'message', id: 'a', text: WAITS });
      await page.hear('accepted');
      page.socket.terminate();
      await page.closed;
    }
    const again = await join(stage);
    again.send({ type: 'message', id: 'a', text: WAITS });
    expect((await again.hear('reply')).reply.tone).toBe('error');
    const other = await join(stage, { localAddress: '127.0.0.2' });
    other.send({ type: 'message', id: 'a', text: WAITS });
    await other.hear('accepted');
  });
});

describe('visitors over their limit', () => {
  const OVER = /Too many requests\. Please try again in \d+ seconds\./;
  const ask = async (page: PageClient, id: string): Promise<string> => {
    page.send({ type: 'message', id, text: `/download ${REEL}` });
    await page.hear('done', frame => frame.id === id);
    const replies = page.heard.filter(frame => frame.type === 'reply' && frame.id === id);
    expect(replies).toHaveLength(1);
    return JSON.stringify(replies);
  };

  it('are told so for every command, with the time to wait', async () => {
    const page = await join(await open({ units: 2 }));
    expect(await ask(page, 'a')).not.toMatch(OVER);
    for (const id of ['b', 'c', 'd', 'e']) expect(await ask(page, id)).toMatch(OVER);
  });

  it('do not use up what others at the same address have', async () => {
    const stage = await open({ units: 2 });
    const [sari, budi] = [await join(stage), await join(stage)];
    expect(await ask(sari, 'a')).not.toMatch(OVER);
    expect(await ask(sari, 'b')).toMatch(OVER);
    expect(await ask(budi, 'a')).not.toMatch(OVER);
    expect(await ask(budi, 'b')).toMatch(OVER);
  });

  it('have no more by beginning again as another visitor for ever', async () => {
    const stage = await open({ units: 2 });
    const answers: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const page = await join(stage);
      answers.push(await ask(page, 'a'));
      page.socket.close();
      await page.closed;
    }
    expect(answers.filter(each => !OVER.test(each))).toHaveLength(10);
    expect(answers.slice(10).every(each => OVER.test(each))).toBe(true);
  });
});

describe('a connection that breaks', () => {
  it('keeps the work for its page, which asks again and is answered once', async () => {
    const stage = await open();
    const before = await join(stage);
    before.send({ type: 'message', id: 'a', text: WAITS });
    await before.hear('progress', frame => frame.id === 'a');
    before.socket.terminate();
    await before.closed;
    const after = await join(stage, { session: before.session });
    after.send({ type: 'message', id: 'a', text: WAITS });
    await after.hear('accepted');
    stage.release();
    await after.hear('done');
    after.send({ type: 'message', id: 'a', text: WAITS });
    await expect.poll(() => after.heard.filter(frame => frame.type === 'done')).toHaveLength(2);
    const replies = after.heard.flatMap(frame => (frame.type === 'reply' ? [frame.index] : []));
    expect(replies).toEqual([0, 0]);
    expect(stage.asked).toEqual([WAITS]);
  });

  it('does not give one session’s answer to another', async () => {
    const stage = await open();
    const mine = await join(stage);
    mine.send({ type: 'message', id: 'a', text: REEL });
    await mine.hear('done');
    const other = await join(stage);
    other.send({ type: 'message', id: 'a', text: '/help' });
    const { reply: card } = await other.hear('reply');
    expect(card.gallery).toEqual([]);
  });

  it('drops work that no visitor comes back for', async () => {
    const stage = await open({ limits: { orphanMs: 20 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: WAITS });
    await page.hear('progress');
    page.socket.terminate();
    await page.closed;
    await settle(300);
    const again = await join(stage, { session: page.session });
    again.send({ type: 'message', id: 'a', text: WAITS });
    await again.hear('progress');
    expect(stage.asked).toEqual([WAITS, WAITS]);
  });

  it('is ended when its pings stay unanswered', async () => {
    const stage = await open({ limits: { pingMs: 500 } });
    const page = await join(stage);
    page.socket.pong = () => undefined;
    await expect(page.closed).resolves.toBe(1006);
  });
});

describe('what comes late', () => {
  /** Answers each question with its own words, and with the rest of it when the test wants that. */
  function slowly() {
    const bring = new Map<string, () => void>();
    const dispatcher = scripted(asked => {
      const words = 'text' in asked ? asked.text.split(' ') : [];
      return words.map(each => {
        const come = new Promise<void>(resolve => bring.set(each, resolve));
        return { ...said(each), later: come.then(() => said(`${each}, better`)) };
      });
    });
    return { dispatcher, bring: (words: string) => bring.get(words)?.() };
  }

  it('does not keep an answer from being done, nor the next from its turn', async () => {
    const { dispatcher, bring } = slowly();
    const stage = await open({ dispatcher, limits: { running: 1, queued: 0 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: 'one two' });
    await page.hear('done', frame => frame.id === 'a');
    page.send({ type: 'message', id: 'b', text: 'three' });
    await page.hear('done', frame => frame.id === 'b');
    bring('two');
    const better = await page.hear('better');
    expect(better).toMatchObject({ id: 'a', index: 1, reply: { blocks: [{ text: ['two, better'] }] } });
    expect(page.heard.filter(frame => frame.type === 'reply').map(({ id, index }) => `${id}${index}`)).toEqual([
      'a0',
      'a1',
      'b0',
    ]);
  });

  it('reaches the page that comes back, and no other session', async () => {
    const { dispatcher, bring } = slowly();
    const stage = await open({ dispatcher });
    const before = await join(stage);
    before.send({ type: 'message', id: 'a', text: 'one' });
    await before.hear('done');
    before.socket.terminate();
    await before.closed;
    bring('one');
    const other = await join(stage);
    const after = await join(stage, { session: before.session });
    await after.hear('better', frame => frame.id === 'a');
    other.send({ type: 'message', id: 'a', text: 'two' });
    await other.hear('done');
    expect(other.heard.some(frame => frame.type === 'better')).toBe(false);
    // What is asked again is answered with all of it.
    after.send({ type: 'message', id: 'a', text: 'one' });
    await after.hear('done');
    expect(after.heard.filter(frame => 'id' in frame).map(({ type }) => type)).toEqual([
      'better',
      'reply',
      'done',
      'better',
    ]);
    expect(stage.logged).toEqual([]);
  });

  it('does not keep a server from stopping', async () => {
    const { dispatcher, bring } = slowly();
    const stage = await open({ dispatcher, limits: { drainMs: 60_000 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: 'one' });
    await page.hear('done');
    await stage.stop();
    bring('one');
    await expect(page.closed).resolves.toBe(1001);
    expect(page.heard.some(frame => frame.type === 'better')).toBe(false);
    expect(stage.logged).toEqual([]);
  });
});

describe('who may connect', () => {
  it('only pages of this server, or of its public address', async () => {
    const stage = await open({ publicUrl: 'https://medley.example' });
    await expect(join(stage, { origin: 'https://evil.example' })).rejects.toThrow('HTTP 403');
    await expect(join(stage, { origin: 'null' })).rejects.toThrow('HTTP 403');
    await expect(join(stage, { origin: `http://127.0.0.1:${stage.port + 1}` })).rejects.toThrow('HTTP 403');
    await expect(join(stage, { origin: stage.origin })).resolves.toBeDefined();
    await expect(join(stage, { origin: 'https://medley.example' })).resolves.toBeDefined();
  });

  it('so many from one address, and so many in all', async () => {
    const few = await open({ limits: { connectionsPerAddress: 1 } });
    const first = await join(few);
    await expect(join(few)).rejects.toThrow('HTTP 429');
    first.socket.close();
    await first.closed;
    await expect.poll(() => join(few).then(() => 'open', String)).toBe('open');
    const none = await open({ limits: { connections: 0 } });
    await expect(join(none)).rejects.toThrow('HTTP 503');
  });

  it('only who says hello in time', async () => {
    const page = await join(await open({ limits: { helloMs: 30 } }), { hello: false });
    await expect(page.closed).resolves.toBe(1008);
  });
});

describe('frames that are no frames', () => {
  it('get one calm notice, and in the end the door', async () => {
    const page = await join(await open());
    for (const text of ['{', '{"type":"message"}', '"hello"']) page.sendText(text);
    await expect(page.closed).resolves.toBe(1008);
    expect(page.heard.filter(frame => frame.type === 'notice')).toHaveLength(1);
  });

  it('are forgiven when few: the conversation goes on', async () => {
    const page = await join(await open());
    page.sendText('[]');
    await page.hear('notice');
    page.send({ type: 'message', id: 'a', text: '/help' });
    await page.hear('done');
  });

  it('are refused by size and by number', async () => {
    const stage = await open({ limits: { framesAtOnce: 5, framesPerSecond: 0 } });
    const big = await join(stage);
    big.sendText('x'.repeat(65 * 1024));
    await expect(big.closed).resolves.toBe(1009);
    const many = await join(stage);
    for (let i = 0; i < 6; i += 1) many.send({ type: 'suggest', id: `s${i}`, text: '/' });
    await expect(many.closed).resolves.toBe(1008);
  });

  it('are taken after the clock was set back', async () => {
    const now = vi.spyOn(Date, 'now');
    onTestFinished(() => now.mockRestore());
    const page = await join(await open());
    const earlier = Date.now() - 3_600_000;
    now.mockReturnValue(earlier);
    page.send({ type: 'message', id: 'a', text: '/help' });
    await page.hear('done');
  });
});

describe('a page that does not read', () => {
  it('is let go before its answers fill the memory', async () => {
    const long = said('x'.repeat(9_000));
    const stage = await open({
      limits: { bufferedBytes: 256 * 1024 },
      dispatcher: scripted(() => Array.from({ length: 3_000 }, () => long)),
    });
    const page = await join(stage);
    page.socket.pause();
    page.send({ type: 'message', id: 'a', text: 'everything' });
    await settle(3_000);
    page.socket.resume();
    await expect(page.closed).resolves.toBe(1006);
    expect(page.heard.some(frame => frame.type === 'done')).toBe(false);
  });
});

describe('stopping', () => {
  it('tells the pages, lets running answers end, and closes with 1001', async () => {
    const stage = await open({ limits: { drainMs: 30_000 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: WAITS });
    await page.hear('progress');
    const stopped = stage.stop();
    await page.hear('closing');
    page.send({ type: 'message', id: 'b', text: REEL });
    await expect(join(stage)).rejects.toThrow('HTTP 503');
    stage.release();
    await page.hear('done');
    await expect(page.closed).resolves.toBe(1001);
    await stopped;
    expect(page.heard.some(frame => 'id' in frame && frame.id === 'b')).toBe(false);
    await stage.stop();
  });

  it('does not wait for ever for an answer, and does not call it done', async () => {
    const stage = await open({ limits: { drainMs: 30 } });
    const page = await join(stage);
    page.send({ type: 'message', id: 'a', text: WAITS });
    await page.hear('progress');
    await stage.stop();
    await expect(page.closed).resolves.toBe(1001);
    expect(page.heard.some(frame => frame.type === 'done')).toBe(false);
  });
});

describe('a proxy that passes no WebSockets on', () => {
  it('is named in the log, once', async () => {
    const stage = await open();
    const headers = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    for (const _ of ['first', 'again']) {
      const { status } = await fetch(`${stage.origin}/chat`, { headers });
      expect(status).toBe(400);
    }
    expect(stage.logged.map(String)).toEqual([expect.stringContaining('does not pass WebSockets on')]);
    await expect(fetch(`${stage.origin}/chat`).then(({ status }) => status)).resolves.toBe(404);
  });
});

describe('other requests that ask for an upgrade', () => {
  it('are answered as what they are, on a connection that then closes', async () => {
    const stage = await open();
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connectTcp(stage.port, '127.0.0.1');
      let heard = '';
      socket.setEncoding('utf8').on('data', chunk => {
        heard += chunk;
      });
      socket.on('end', () => resolve(heard)).on('error', reject);
      const lines = ['GET /api/ping HTTP/1.1', 'Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('{"ok":true}');
  });
});
