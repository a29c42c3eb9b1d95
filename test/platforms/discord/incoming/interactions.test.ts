import { PermissionFlagsBits } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../src/i18n/languages.ts';
import { photo, samplePost } from '../../../bot/sample.ts';
import { settle } from '../../../settle.ts';
import { all, LINK, link, openStage, ownMessages, type Stage, type StageOptions, sha256Of, textOf } from '../stage.ts';

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

const EPHEMERAL = 64;
const LOADING = 128;

/** The answers that say something already. */
function answers({ fake }: Stage) {
  return ownMessages(fake).filter(message => all(message.body.components, 'content').length > 0);
}

function answer(on: Stage, place = 0) {
  return on.fake.waitFor(() => answers(on)[place]);
}

function callbacks({ fake }: Stage) {
  return fake.requests.filter(({ path }) => path.endsWith('/callback'));
}

function buttons(message: { readonly body: Readonly<Record<string, unknown>> }): string[] {
  return all(message.body.components, 'custom_id').map(String);
}

const LONG = Array.from({ length: 14 }, () => photo());

function withFiles({ fake }: Stage) {
  return ownMessages(fake).filter(({ files }) => files.length > 0);
}

function fiveCarousels({ guildId }: Stage) {
  const content = [1, 2, 3, 4, 5].map(each => `<${link(`Post0${each}`)}>`).join(' ');
  const targetMessage = { content, guildId };
  return { kind: 'message-command' as const, name: 'Get media', targetMessage, guildId, userId: '300' };
}

describe('/download', () => {
  it.each([
    ['in a server', (on: Stage) => ({ guildId: on.guildId })],
    ['in a private chat', () => ({ userId: '300' })],
  ])('brings the file %s', async (_, where) => {
    const on = await open();
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, ...where(on) });
    const message = await answer(on);
    expect(message.files).toMatchObject([{ sha256: sha256Of('SeaLight01'), contentType: 'video/mp4' }]);
    expect(message.flags & EPHEMERAL).toBe(0);
    expect(callbacks(on)).toMatchObject([{ body: { type: 5 } }]);
    expect(on.log.at()).toEqual([]);
  });

  it('is answered on a machine whose clock is an hour ahead of Discord’s', async () => {
    const on = await open({ platform: { now: () => Date.now() + 3_600_000 } });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    expect((await answer(on)).files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
  });

  it('is acknowledged where its event lacks the fields that Discord has added since 2021', async () => {
    const on = await open();
    const user = { id: '300', username: 'Sari', discriminator: '8423', avatar: null };
    const member = { user, roles: [], permissions: '8', joined_at: '2017-07-25T08:09:41.111000+00:00' };
    const event = {
      id: '817819131540668417',
      type: 2,
      token: 'old',
      version: 1,
      application_id: on.fake.applicationId,
    };
    const where = { guild_id: on.guildId, channel_id: on.channelId, member };
    const data = { id: '5', name: 'download', options: [{ type: 3, name: 'link', value: LINK }] };
    on.fake.dispatch('INTERACTION_CREATE', { ...event, ...where, data });
    const { path, body } = await on.fake.waitFor(() => callbacks(on)[0]);
    expect(path).toContain('/817819131540668417/old/');
    expect(body).toMatchObject({ type: 5 });
    expect(on.log.at()).toEqual([]);
  });

  it('belongs to its channel where its event states neither that nor the permissions there', async () => {
    const on = await open({ answer: () => new Promise(() => {}) });
    const lacks = ['channel', 'app_permissions', 'entitlements', 'authorizing_integration_owners', 'context', 'guild'];
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId, lacks });
    const request = () => JSON.parse(on.unfinished()[0] ?? '{}').request;
    await expect.poll(request).toMatchObject({
      chat: { id: on.channelId, kind: 'group', groupId: on.guildId },
      replyTo: { rights: { send: true, attach: true, reply: true } },
    });
  });

  it('is acknowledged before any work', async () => {
    const on = await open({ answer: () => new Promise(() => {}) });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => callbacks(on)[0]);
    expect(ownMessages(on.fake)[0]?.flags).toBe(LOADING);
  });

  it('takes as much as the interaction allows', async () => {
    const MIB = 1024 * 1024;
    const on = await open({ sizes: () => [12 * MIB, 40_000] });
    const asked = { kind: 'command' as const, name: 'download', options: { link: LINK }, guildId: on.guildId };
    on.fake.interaction({ ...asked, attachmentSizeLimit: 50 * MIB });
    expect((await answer(on)).files).toMatchObject([{ bytes: 12 * MIB }]);
    on.fake.interaction(asked);
    expect((await answer(on, 1)).files).toMatchObject([{ bytes: 40_000 }]);
  });

  it('sends a smaller file when Discord refuses one', async () => {
    const on = await open({ sizes: () => [90_000, 30_000] });
    const body = { code: 40005, message: 'Request entity too large' };
    on.fake.fault({ method: 'PATCH', path: /@original/, status: 400, body });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    expect((await answer(on)).files).toMatchObject([{ bytes: 30_000 }]);
  });

  it('gives only the sound when that is wanted, as a file', async () => {
    const on = await open();
    const options = { link: LINK, audio: true };
    on.fake.interaction({ kind: 'command', name: 'download', options, guildId: on.guildId });
    const message = await answer(on);
    expect(message.files).toMatchObject([{ contentType: 'audio/mp4' }]);
    expect(all(message.body.components, 'file')).toHaveLength(1);
  });

  it.each([
    ['in a spoiler', `||${LINK}||`, ['SeaLight01'], true],
    ['among words', `look: ${LINK}!`, ['SeaLight01'], false],
    ['beside another', `${LINK} ${link('Second02')}`, ['SeaLight01', 'Second02'], false],
  ])('reads a link %s as in a message', async (_, text, ids, isHidden) => {
    const on = await open();
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: text }, guildId: on.guildId });
    const message = await answer(on);
    expect(message.files.map(({ sha256 }) => sha256)).toEqual(ids.map(id => sha256Of(id)));
    expect(JSON.stringify(message.body.components).includes('"spoiler":true')).toBe(isHidden);
  });

  it('shows what is wrong to the caller alone', async () => {
    const on = await open();
    const options = { link: 'nonsense' };
    on.fake.interaction({ kind: 'command', name: 'download', options, guildId: on.guildId, locale: 'id' });
    const message = await answer(on);
    expect(message.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(message)).toContain('tautan');
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('says that it cannot go on when Discord fails in the middle', async () => {
    const on = await open();
    on.fake.fault({
      method: 'PATCH',
      path: /@original/,
      status: 400,
      times: 2,
      body: { code: 50035, message: 'Invalid Form Body' },
    });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    expect(textOf(await answer(on))).toBe('Something went wrong on my side. Please try again.');
  });

  it('that comes again is answered once', async () => {
    const on = await open();
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await answer(on);
    on.fake.replay();
    await settle();
    expect(callbacks(on)).toHaveLength(1);
    expect(on.asked).toHaveLength(1);
  });

  it.each([
    ['a command', (on: Stage) => on.fake.interaction({ kind: 'command', name: 'help', guildId: on.guildId })],
    [
      'a message command',
      (on: Stage) => {
        const targetMessage = { content: LINK, bot: true };
        return on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage });
      },
    ],
  ])('as %s that comes again is answered once', async (_, ask) => {
    const on = await open();
    // The menus are registered by then, so that no request for them comes later.
    await on.fake.waitFor(() => on.fake.commands);
    ask(on);
    await answer(on);
    const before = on.fake.requests.length;
    on.fake.replay();
    await settle();
    expect(on.fake.requests.slice(before)).toEqual([]);
  });

  it('that cannot be acknowledged any more is let go', async () => {
    const on = await open();
    const body = { code: 10062, message: 'Unknown interaction' };
    on.fake.fault({ method: 'POST', path: /callback/, status: 404, body });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => on.log.at('info').find(({ message }) => message.includes('acknowledged')));
    expect(on.asked).toEqual([]);
  });

  it.each([
    ['was lost on the way', false],
    ['arrived, though nobody said so', true],
  ])('is answered when its first acknowledgement %s', async (_, afterSend) => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /callback/, status: 502, body: '<html>bad gateway</html>', afterSend });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    expect((await answer(on)).files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
    expect(callbacks(on)).toHaveLength(2);
  });

  it('that another process has taken is let go', async () => {
    const on = await open();
    const body = { code: 40060, message: 'Interaction has already been acknowledged.' };
    on.fake.fault({ method: 'POST', path: /callback/, status: 400, body });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => on.log.at('info').find(({ message }) => message.includes('acknowledged')));
    expect(on.asked).toEqual([]);
  });

  it('is finished after a restart while the token lives', async () => {
    const on: Stage = await open({
      answer: (id, { signal }) =>
        on.asked.length === 1
          ? new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
          : samplePost({ id, url: link(id) }),
    });
    const options = { link: LINK, audio: true };
    on.fake.interaction({ kind: 'command', name: 'download', options, guildId: on.guildId });
    await on.fake.waitFor(() => on.asked[0]);
    await on.platform.stop();
    expect(answers(on)).toEqual([]);
    await on.another().start();
    expect((await answer(on)).files).toMatchObject([{ contentType: 'audio/mp4' }]);
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
  });

  it.each([
    [10_015, 404],
    [10_062, 404],
    [50_027, 401],
  ])('whose token is refused with %s is answered in the channel, once', async (code, status) => {
    const on = await open();
    on.fake.fault({ path: /@original$/, method: 'PATCH', status, body: { code, message: 'no' }, times: 9 });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    expect(await answer(on)).toMatchObject({ channelId: on.channelId, files: [{ sha256: sha256Of('SeaLight01') }] });
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(answers(on)).toHaveLength(1);
    expect(on.platform.outcomes).toEqual(['answered']);
  });

  it.each([
    ['in the channel', (on: Stage) => ({ guildId: on.guildId })],
    ['in a private chat', () => ({ userId: '300' })],
  ])('whose token died meanwhile is answered %s after a restart, once', async (_, where) => {
    const on: Stage = await open({
      answer: (id, { signal }) =>
        on.asked.length === 1
          ? new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
          : samplePost({ id, url: link(id) }),
    });
    const options = { link: LINK };
    const { token } = on.fake.interaction({ kind: 'command', name: 'download', options, ...where(on) });
    await on.fake.waitFor(() => on.asked[0]);
    await on.platform.stop();
    on.fake.expireInteraction(token);
    await on.another({ now: () => Date.now() + 20 * 60_000 }).start();
    expect((await answer(on)).files).toHaveLength(1);
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(answers(on)).toHaveLength(1);
  });

  it.each([
    ['where Medley may not write', { appPermissions: 0n }, {}],
    ['where only the person has installed it', { authorizingIntegrationOwners: { 1: '300' } }, {}],
    ['for one pair of eyes', {}, { private: true }],
  ])('whose token is dead is not answered %s', async (_, where, more) => {
    const on = await open();
    const dead = { status: 404, body: { code: 10_015, message: 'Unknown Webhook' } };
    on.fake.fault({ path: /@original$|^\/webhooks\/\d+\/[^/]+$/, ...dead, times: 99 });
    const options = { link: LINK, ...more };
    on.fake.interaction({ kind: 'command', name: 'download', options, guildId: on.guildId, userId: '300', ...where });
    await on.fake.waitFor(() => on.platform.outcomes[0]);
    expect(on.platform.outcomes).toEqual(['gone']);
    expect(answers(on)).toEqual([]);
  });

  it('is given up after a restart when the token is long dead', async () => {
    const never = (_: string, { signal }: { signal?: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const on = await open({ answer: never });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => on.asked[0]);
    await on.platform.stop();
    await on.another({ now: () => Date.now() + 70 * 60_000 }).start();
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(on.asked).toHaveLength(1);
  });
});

describe('Get media', () => {
  it.each([
    ['shown', LINK],
    ['in brackets', `<${LINK}>`],
    ['quoted', `> ${LINK}`],
    ['forwarded', '', { forwards: LINK }],
    ['forwarded in an embed', '', { forwards: { embeds: [{ type: 'rich', url: LINK }] } }],
    ['in a button', '', { components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Open', url: LINK }] }] }],
  ])('brings the media of a link that is %s', async (_, content, others: object = {}) => {
    const on = await open();
    const targetMessage = { content, guildId: on.guildId, ...others };
    on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage, guildId: on.guildId });
    const found = await on.fake.waitFor(() => answers(on).find(({ files }) => files.length > 0));
    expect(found.files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
  });

  it('works where only the person has installed Medley, with few follow-ups', async () => {
    const items = [1, 2, 3, 4].map(() => photo());
    const on = await open({ answer: id => samplePost({ id, url: link(id), items }) });
    const content = [1, 2, 3, 4, 5].map(each => `<${link(`Post0${each}`)}>`).join(' ');
    on.fake.interaction({
      kind: 'message-command',
      name: 'Get media',
      targetMessage: { content, guildId: on.guildId },
      guildId: on.guildId,
      userId: '300',
      authorizingIntegrationOwners: { 1: '300' },
    });
    await answer(on, 2);
    expect(answers(on).map(({ files }) => files.length)).toEqual([8, 8, 4]);
    const silence = 4096;
    expect(answers(on).map(({ flags }) => flags & silence)).toEqual([0, silence, silence]);
  });

  it('brings five long carousels there as far as the follow-ups go, and says where files are left out', async () => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    on.fake.interaction({
      ...fiveCarousels(on),
      authorizingIntegrationOwners: { 1: '300' },
    });
    await on.fake.waitFor(() => withFiles(on)[5]);
    await settle();
    expect(withFiles(on).map(({ files }) => files.length)).toEqual([10, 4, 10, 10, 10, 10]);
    expect(withFiles(on).map(message => textOf(message).includes('10 of 14'))).toEqual([
      ...[false, false],
      ...[true, true, true, true],
    ]);
    expect(on.log.at()).toEqual([]);
  });

  it.each([
    ['there', (on: Stage) => ({ guildId: on.guildId }), ['answered']],
    // The fake writes a message without a server to Medley itself, which answers it too.
    ['in a chat between people', () => ({ context: 2 }), ['answered', 'answered']],
  ])('brings twenty links %s, although few follow-ups are allowed', async (_, where, outcomes) => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    const ids = Array.from({ length: 20 }, (_, index) => `Post${String(index).padStart(2, '0')}`);
    const targetMessage = { content: ids.map(id => `<${link(id)}>`).join(' '), ...where(on) };
    const who = { userId: '300', authorizingIntegrationOwners: { 1: '300' } };
    on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage, ...where(on), ...who });
    await on.fake.waitFor(() => on.asked[0]);
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    const said = JSON.stringify(answers(on).map(({ body }) => body.components));
    expect(ids.filter(id => !said.includes(link(id)))).toEqual([]);
    expect(on.platform.outcomes).toEqual(outcomes);
    expect(answers(on).length).toBeLessThanOrEqual(5 + outcomes.length);
  });

  it('brings all of them where Medley is at home', async () => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    on.fake.interaction(fiveCarousels(on));
    await on.fake.waitFor(() => withFiles(on)[9]);
    await settle();
    expect(withFiles(on).map(({ files }) => files.length)).toEqual([10, 4, 10, 4, 10, 4, 10, 4, 10, 4]);
    expect(on.log.at()).toEqual([]);
  });

  it('says that there is nothing to bring', async () => {
    const on = await open();
    const targetMessage = { content: 'good morning', guildId: on.guildId };
    on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage, guildId: on.guildId });
    const message = await answer(on);
    expect(message.flags & EPHEMERAL).toBe(EPHEMERAL);
  });
});

describe('a follow-up', () => {
  const REFUSED = { status: 400, body: { code: 50035, message: 'Invalid Form Body' } };

  async function carousel(fault: object, who: object = {}): Promise<Stage> {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: LONG }) });
    on.fake.fault({ method: 'POST', path: /(?:messages|^\/webhooks\/\d+\/[^/]+)$/, ...fault });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId, ...who });
    return on;
  }

  it.each<readonly [string, object]>([
    ['was refused', REFUSED],
    ['met a server that failed', { status: 500 }],
    ['met one that failed after it had arrived', { status: 502, afterSend: true }],
    ['was cut off', { cut: true }],
    ['was cut off after it had arrived', { cut: true, afterSend: true }],
  ])('that %s comes all the same, once', async (_, fault) => {
    const on = await carousel(fault);
    await on.fake.waitFor(() => on.platform.outcomes[0]);
    const sent = ownMessages(on.fake).flatMap(({ files }) => files.map(({ sha256 }) => sha256));
    expect(sent).toEqual(LONG.map((__, index) => sha256Of('SeaLight01', index)));
    expect(on.platform.outcomes).toEqual(['answered']);
    expect(answers(on)).toHaveLength(1);
  });

  const guest = { userId: '300', authorizingIntegrationOwners: { 1: '300' } };

  it('that is refused where Medley itself is not becomes links to the files, with the reason', async () => {
    const on = await carousel(REFUSED, guest);
    const word = textOf(await answer(on, 1));
    expect(word).toContain('does not let me send this file');
    for (const place of [11, 12, 13, 14]) expect(word).toContain(`[${place} of 14](${LINK})`);
  });

  it('that was cut off after it had arrived, where Medley itself is not, is told about', async () => {
    const on = await carousel({ status: 502, afterSend: true }, guest);
    const word = await answer(on, 1);
    expect(textOf(word)).toContain('could not find out whether my answer arrived');
    expect(word.flags & EPHEMERAL).toBe(EPHEMERAL);
    await settle();
    const standing = ownMessages(on.fake).map(({ files }) => files.length);
    expect(standing).toEqual([10, 4, 0]);
  });
});

describe('the delete button', () => {
  const SUPPRESSED = 4;
  const embeds = [{ type: 'video', url: LINK, title: 'A reel' }];

  async function posted(on: Stage) {
    const source = on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300', embeds });
    const message = await answer(on);
    const [customId = ''] = buttons(message).filter(id => id.startsWith('delete:'));
    return { id: message.id, customId, source };
  }

  function flagsOf(on: Stage, id: string): number {
    return (on.fake.messages.get(id)?.flags ?? 0) & SUPPRESSED;
  }

  it('works for the person who asked, and the embed of their message comes back', async () => {
    const on = await open();
    const { id, customId, source } = await posted(on);
    await on.fake.waitFor(() => flagsOf(on, source) || undefined);
    on.fake.interaction({ kind: 'button', customId, userId: '300' });
    await on.fake.waitFor(() => on.fake.messages.get(id)?.deleted || undefined);
    await on.fake.waitFor(() => (flagsOf(on, source) === 0 ? true : undefined));
    on.fake.update(source, { embeds });
    await settle();
    expect(flagsOf(on, source)).toBe(0);
  });

  it('leaves embeds as they are that were hidden before', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300', embeds, flags: SUPPRESSED });
    const message = await answer(on);
    const [customId = ''] = buttons(message);
    on.fake.interaction({ kind: 'button', customId, userId: '300' });
    await on.fake.waitFor(() => on.fake.messages.get(message.id)?.deleted || undefined);
    await settle();
    expect(flagsOf(on, source)).toBe(SUPPRESSED);
  });

  it('works under a message that does not name its answer', async () => {
    const on = await open();
    const components = [{ type: 1, components: [{ type: 2, style: 2, label: 'Delete', custom_id: 'delete:300' }] }];
    const authorId = on.fake.botUserId;
    const id = on.fake.message({ guildId: on.guildId, authorId, components });
    on.fake.interaction({ kind: 'button', customId: 'delete:300', userId: '300', messageId: id });
    await on.fake.waitFor(() => on.fake.messages.get(id)?.deleted || undefined);
  });

  const MANY = Array.from({ length: 24 }, () => photo());

  it.each<readonly [string, (on: Stage) => unknown]>([
    ['a message', on => on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300' })],
    [
      'a command',
      on => {
        const asked = { options: { link: LINK }, guildId: on.guildId, userId: '300' };
        return on.fake.interaction({ kind: 'command', name: 'download', ...asked });
      },
    ],
  ])('removes every message of the answer to %s, whichever it stands under', async (_, ask) => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: MANY }) });
    ask(on);
    await on.fake.waitFor(() => on.platform.outcomes[0]);
    const parts = ownMessages(on.fake);
    expect(parts.map(({ files }) => files.length)).toEqual([10, 10, 4]);
    const second = parts[1];
    if (second === undefined) throw new Error('no second message');
    await on.platform.stop();
    await on.another().start();
    const [customId = ''] = buttons(second);
    on.fake.interaction({ kind: 'button', customId, userId: '300', messageId: second.id });
    await on.fake.waitFor(() => (ownMessages(on.fake).length === 0 ? true : undefined));
  });

  it('ends an answer that is still under way', async () => {
    const on = await open({ answer: id => samplePost({ id, url: link(id), items: MANY }) });
    let proceed = () => {};
    const until = new Promise<void>(resolve => {
      proceed = resolve;
    });
    on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300' });
    on.fake.fault({ method: 'POST', path: /messages$/, delayMs: 0 });
    on.fake.fault({ method: 'POST', path: /messages$/, until });
    const first = await answer(on);
    const posts = () => on.fake.requests.filter(({ method, path }) => method === 'POST' && /messages$/.test(path));
    await on.fake.waitFor(() => posts()[1]);
    const [customId = ''] = buttons(first);
    on.fake.interaction({ kind: 'button', customId, userId: '300', messageId: first.id });
    await on.fake.waitFor(() => on.platform.outcomes[0]);
    proceed();
    await on.fake.waitFor(() => on.fake.messages.get(first.id)?.deleted || undefined);
    await settle();
    expect(on.platform.outcomes).toEqual(['cancelled']);
    expect(posts()).toHaveLength(2);
    expect(on.unfinished()).toEqual([]);
  });

  it('is refused to anyone else', async () => {
    const on = await open();
    const { id, customId } = await posted(on);
    on.fake.interaction({ kind: 'button', customId, userId: '400' });
    const refusal = await answer(on, 1);
    expect(refusal.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(refusal)).toContain('someone else');
    expect(on.fake.messages.get(id)?.deleted).toBe(false);
  });
});

describe('buttons', () => {
  async function settings(on: Stage, userId = '300') {
    on.fake.interaction({ kind: 'command', name: 'settings', guildId: on.guildId, userId });
    return answer(on);
  }

  it('change what they stand under, after a restart too', async () => {
    const on = await open();
    const shown = await settings(on);
    expect(shown.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(shown)).toContain('Your settings');
    await on.platform.stop();
    await on.another().start();
    const [menu = ''] = buttons(shown);
    // Behind the one for no language.
    const indonesian = all(shown.body.components, 'value').map(String)[
      1 + LANGUAGES.findIndex(({ tag }) => tag === 'id')
    ];
    if (indonesian === undefined) throw new Error('no choice');
    on.fake.interaction({ kind: 'select', customId: menu, values: [indonesian], userId: '300' });
    const read = () => textOf(on.fake.messages.get(shown.id) ?? shown);
    await on.fake.waitFor(() => read().includes('Pengaturan') || undefined);
    expect((await on.services.settings.user('discord:300')).language).toBe('id');
    expect(answers(on)).toHaveLength(1);
  });

  it('of another person are refused without touching the message', async () => {
    const on = await open();
    const shown = await settings(on);
    const [customId] = buttons(shown);
    const [choice] = all(shown.body.components, 'value').map(String);
    if (customId === undefined || choice === undefined) throw new Error('no choice');
    on.fake.interaction({ kind: 'select', customId, values: [choice], userId: '400', messageId: shown.id });
    const refusal = await answer(on, 1);
    expect(refusal.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(refusal)).toContain('someone else');
    expect(textOf(on.fake.messages.get(shown.id) ?? shown)).toContain('Your settings');
  });

  it('that were made up are refused calmly', async () => {
    const on = await open();
    const shown = await settings(on);
    on.fake.interaction({
      kind: 'select',
      customId: 'menu:x',
      values: ['made-up'],
      userId: '300',
      messageId: shown.id,
    });
    expect(textOf(await answer(on, 1))).toContain('no longer works');
  });
});

describe('an interaction whose file is still fetched when the process ends', () => {
  it('counts as not answered', async () => {
    const on = await open({ idle: true });
    let fetches = 0;
    const deliver = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        fetches += 1;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const first = on.another({ delivery: { deliver } });
    await first.start();
    on.fake.interaction({ kind: 'command', name: 'download', guildId: on.guildId, options: { link: LINK } });
    await on.fake.waitFor(() => fetches || undefined);
    await first.stop();
    expect(on.unfinished()).toEqual([expect.not.stringContaining('"sending"')]);
  });
});

describe('/settings', () => {
  const ask = { kind: 'command' as const, name: 'settings', userId: '300' };

  it('tells an admin which permission is missing', async () => {
    const on = await open();
    const appPermissions = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
    const memberPermissions = PermissionFlagsBits.ManageGuild;
    on.fake.interaction({ ...ask, guildId: on.guildId, memberPermissions, appPermissions });
    const page = await answer(on);
    expect(textOf(page)).toMatch(/Manage Messages/);
    expect(textOf(page)).toMatch(/Hide embeds: on/);
    expect(all(page.body.components, 'label').map(String)).toEqual(expect.arrayContaining(['Links', 'Answers']));
  });

  it('tells an admin that Connect is missing in a voice channel, and not that writing is', async () => {
    const on = await open();
    const permissions = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
    const voice = on.fake.addGuild({ channels: [{ type: 2, permissions }] });
    const memberPermissions = PermissionFlagsBits.ManageGuild;
    on.fake.interaction({ ...ask, guildId: voice.id, channelId: voice.channelId, memberPermissions });
    const page = textOf(await answer(on));
    expect(page).toMatch(/✗ Connect to this voice channel\W+Give me the permission Connect/);
    expect(page).not.toContain('Write here');
  });

  it('lets only admins change a server', async () => {
    const on = await open();
    const options = { embeds: false };
    on.fake.interaction({ ...ask, guildId: on.guildId, options });
    await answer(on);
    expect((await on.services.settings.chat(`discord:${on.guildId}`)).suppressEmbeds).toBe(true);
    on.fake.interaction({ ...ask, guildId: on.guildId, options, memberPermissions: PermissionFlagsBits.ManageGuild });
    await answer(on, 1);
    expect((await on.services.settings.chat(`discord:${on.guildId}`)).suppressEmbeds).toBe(false);
  });
});

describe('suggestions', () => {
  it('come at once, at most 25, without deferring', async () => {
    const on = await open();
    on.fake.interaction({ kind: 'autocomplete', name: 'help', options: { command: 'do' }, guildId: on.guildId });
    const callback = await on.fake.waitFor(() => callbacks(on)[0]);
    expect(callback.body).toMatchObject({ type: 8, data: { choices: [{ value: 'download' }] } });
    expect(callbacks(on)).toHaveLength(1);
  });
});
