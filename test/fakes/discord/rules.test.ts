import { PermissionFlagsBits } from 'discord.js';
import { FormData, fetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FakeDiscord } from '../discord.ts';
import { serveDiscord } from './bot.ts';
import type { GuildOptions } from './places.ts';

const V2 = 1 << 15;
const MIB = 1024 * 1024;
const answerSchema = z.looseObject({ id: z.string().optional(), code: z.number().optional() });

interface FileToSend {
  readonly name: string;
  readonly bytes: number;
  readonly field?: string;
}

async function send(fake: FakeDiscord, method: string, path: string, body: unknown, files: readonly FileToSend[] = []) {
  const headers = { authorization: `Bot ${fake.token}`, 'user-agent': 'DiscordBot (https://example.com, 1)' };
  const form = new FormData();
  form.set('payload_json', JSON.stringify(body));
  for (const [place, { name, bytes, field }] of files.entries()) {
    form.set(field ?? `files[${place}]`, new Blob([new Uint8Array(bytes)], { type: 'video/mp4' }), name);
  }
  const response = await fetch(
    `${fake.apiUrl}/v10${path}`,
    files.length > 0
      ? { method, headers, body: form }
      : { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const text = await response.text();
  const json = response.headers.get('content-type') === 'application/json' ? answerSchema.parse(JSON.parse(text)) : {};
  return { status: response.status, ...json };
}

async function post(body: Record<string, unknown>, files: readonly FileToSend[] = [], guild?: GuildOptions) {
  const served = await serveDiscord();
  const channelId = guild === undefined ? served.channelId : served.fake.addGuild(guild).channelId;
  const { fake } = served;
  const answer = await send(
    fake,
    'POST',
    `/channels/${channelId}/messages`,
    { allowed_mentions: { parse: [] }, ...body },
    files,
  );
  return { fake, channelId, answer, problems: fake.problems };
}

const text = (content: string) => ({ type: 10, content });
const gallery = (...urls: readonly string[]) => ({ type: 12, items: urls.map(url => ({ media: { url } })) });
const button = (rest: object) => ({
  type: 1,
  components: [{ type: 2, style: 5, label: 'Original', url: 'https://e.com', ...rest }],
});
const v2 = (...components: readonly unknown[]) => ({ flags: V2, components });
const container = (...components: readonly unknown[]) => v2({ type: 17, components });

describe('a message that keeps the rules', () => {
  it.each<[string, Record<string, unknown>, FileToSend[]?]>([
    ['plain text of 2000 characters', { content: 'x'.repeat(2000) }],
    ['a gallery of ten', container(gallery(...Array(10).fill('https://e.com/a.jpg')), text('caption'), button({}))],
    ['a file shown by a gallery', container(gallery('attachment://a.mp4')), [{ name: 'a.mp4', bytes: 10 }]],
    [
      'a section with a thumbnail',
      v2({ type: 9, components: [text('a')], accessory: { type: 11, media: { url: 'https://e.com/a.jpg' } } }),
    ],
    [
      'a file and separator',
      container({ type: 14, divider: true, spacing: 2 }, { type: 13, file: { url: 'attachment://a.osz' } }),
      [{ name: 'a.osz', bytes: 10 }],
    ],
    ['a private button', v2(button({ style: 2, url: undefined, custom_id: 'x'.repeat(100) }))],
    [
      'a select',
      {
        content: 'x',
        components: [{ type: 1, components: [{ type: 3, custom_id: 'a', options: [{ label: 'a', value: 'a' }] }] }],
      },
    ],
    ['an embed', { embeds: [{ title: 'x', description: 'y'.repeat(4096), fields: [{ name: 'a', value: 'b' }] }] }],
    ['a described file', { attachments: [{ id: '0', description: 'a clip' }] }, [{ name: 'a.mp4', bytes: 10 }]],
  ])('%s', async (_name, body, files) => {
    const { answer, problems } = await post(body, files);
    expect(problems).toEqual([]);
    expect(answer.status).toBe(200);
  });
});

describe('a message that breaks the rules', () => {
  const many = (count: number) => Array.from({ length: count }, () => text('x'));
  it.each<[RegExp, Record<string, unknown>, FileToSend[]?]>([
    [/content of 2001/, { content: 'x'.repeat(2001) }],
    [/nonce of 26/, { content: 'x', nonce: 'n'.repeat(26) }],
    [/content beside the flag/, { content: 'x', ...v2(text('y')) }],
    [/embeds beside the flag/, { embeds: [{ title: 'x' }], ...v2(text('y')) }],
    [/type 10 does not belong here/, { components: [text('no flag')] }],
    [/type 17 does not belong here/, container({ type: 17, components: [text('x')] })],
    [/41 components/, v2(...many(41))],
    [/4001 characters over all texts/, v2(text('x'.repeat(2000)), text('y'.repeat(2001)))],
    [/items: Too big/, v2(gallery(...Array(11).fill('https://e.com/a.jpg')))],
    [/items: Too small/, v2(gallery())],
    [/names no file/, v2(gallery('attachment://b.mp4'), gallery('attachment://a.mp4')), [{ name: 'a.mp4', bytes: 10 }]],
    [/"a.mp4" is shown by no component/, v2(text('x')), [{ name: 'a.mp4', bytes: 10 }]],
    [/not attachment/, v2({ type: 13, file: { url: 'https://e.com/a' } })],
    [/custom_id: Too big/, v2(button({ style: 2, url: undefined, custom_id: 'x'.repeat(101) }))],
    [/label: Too big/, v2(button({ label: 'x'.repeat(81) }))],
    [/url: Too big/, v2(button({ url: `https://e.com/${'x'.repeat(500)}` }))],
    [/not an address a button may open/, v2(button({ url: 'javascript:alert(1)' }))],
    [/url goes with style 5/, v2(button({ url: undefined }))],
    [/custom_id goes with styles/, v2(button({ custom_id: 'x' }))],
    [/neither label nor emoji/, v2(button({ label: undefined }))],
    [/custom_id "a" twice/, v2(...['a', 'a'].map(id => button({ style: 2, url: undefined, custom_id: id })))],
    [
      /a select beside others/,
      v2({
        type: 1,
        components: [
          { type: 3, custom_id: 'a', options: [{ label: 'a', value: 'a' }] },
          { type: 2, style: 1, label: 'b', custom_id: 'b' },
        ],
      }),
    ],
    [/11 embeds/, { embeds: Array(11).fill({ title: 'x' }) }],
    [
      /6001 characters over all embeds/,
      { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
    ],
    [/apps cannot set video/, { embeds: [{ title: 'x', video: { url: 'https://e.com/a.mp4' } }] }],
    [/not in files\[n\]/, { content: 'x' }, [{ name: 'a.mp4', bytes: 1, field: 'file' }]],
    [/neither a file nor a past/, { content: 'x', attachments: [{ id: '3' }] }],
    [/not among the attachments/, { content: 'x', attachments: [] }, [{ name: 'a.mp4', bytes: 1 }]],
    [/users both parsed and named/, { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } }],
    [/empty/, { content: '' }],
  ])('%s', async (problem, body, files) => {
    const { answer, problems } = await post(body, files);
    expect(problems).toContainEqual(expect.stringMatching(problem));
    // A file that nothing shows is taken by Discord, and lost.
    expect(answer.status).toBe(problem.source.includes('shown by no component') ? 200 : 400);
  });

  it.each<[string, unknown]>([
    ['no allowed_mentions', undefined],
    ['without parse', {}],
    ['not empty', { parse: ['everyone'] }],
    ['not empty', { parse: [], users: ['1'] }],
    ['not empty', { parse: [], replied_user: true }],
  ])('%s: could ping', async (problem, allowed_mentions) => {
    const { problems, answer } = await post({ content: '@everyone', allowed_mentions });
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(answer.status).toBe(200);
  });
});

describe('an upload', () => {
  it.each<[string, number, GuildOptions, number]>([
    ['10 MiB anywhere', 10 * MIB, {}, 200],
    ['more than 10 MiB where nobody boosts', 10 * MIB + 1, { premiumTier: 1 }, 413],
    ['20 MiB in the second tier', 20 * MIB, { premiumTier: 2 }, 200],
    ['20 MiB by the feature', 20 * MIB, { features: ['MAX_FILE_SIZE_50_MB'] }, 200],
  ])('%s', async (_name, bytes, guild, status) => {
    const { answer, fake } = await post({ content: 'x' }, [{ name: 'a.mp4', bytes }], guild);
    expect(answer.status).toBe(status);
    expect(answer.code).toBe(status === 413 ? 40005 : undefined);
    expect(fake.requests.at(-1)?.files).toMatchObject([{ name: 'a.mp4', bytes }]);
    expect(fake.problems).toEqual([]);
  });

  it('of more than 25 MiB in all is turned away before the API', async () => {
    const files = ['a', 'b', 'c'].map(name => ({ name, bytes: 9 * MIB }));
    const { answer, problems } = await post({ content: 'x' }, files);
    expect(answer).toEqual({ status: 413 });
    expect(problems).toEqual([]);
  });
});

describe('permissions', () => {
  const { ViewChannel, SendMessages, AttachFiles } = PermissionFlagsBits;
  it.each<[string, bigint, Record<string, unknown>, FileToSend[], number]>([
    ['to see', SendMessages, {}, [], 50001],
    ['to write', ViewChannel, {}, [], 50013],
    ['to attach', ViewChannel | SendMessages, {}, [{ name: 'a', bytes: 1 }], 50013],
    ['to reply', ViewChannel | SendMessages | AttachFiles, { message_reference: { message_id: '1' } }, [], 160002],
  ])('%s', async (_name, permissions, body, files, code) => {
    const { answer } = await post({ content: 'x', ...body }, files, { permissions });
    expect(answer).toMatchObject({ status: 403, code });
  });

  it('to suppress another’s embed, and never to say what he did not', async () => {
    const { fake } = await serveDiscord();
    const { channelId } = fake.addGuild({ permissions: ViewChannel | SendMessages });
    const path = `/channels/${channelId}/messages/${fake.message({ channelId, content: 'his' })}`;
    expect(await send(fake, 'PATCH', path, { flags: 4 })).toMatchObject({ code: 50013 });
    expect(await send(fake, 'PATCH', path, { content: 'mine' })).toMatchObject({ code: 50005 });
    expect(await send(fake, 'DELETE', path, undefined)).toMatchObject({ code: 50013 });
  });

  it('to reply to what is gone', async () => {
    const { fake, channelId } = await serveDiscord();
    const gone = fake.message({ channelId, content: 'x' });
    fake.remove(gone);
    const body = { content: 'x', allowed_mentions: { parse: [] } };
    const path = `/channels/${channelId}/messages`;
    const reply = (fail: boolean) =>
      send(fake, 'POST', path, { ...body, message_reference: { message_id: gone, fail_if_not_exists: fail } });
    expect(await reply(true)).toMatchObject({ code: 50035 });
    expect(await reply(false)).toMatchObject({ status: 200 });
  });

  it('asks for the other flags again', async () => {
    const { fake, channelId } = await serveDiscord();
    const id = fake.message({ channelId, content: 'x', flags: 1 << 5 });
    await send(fake, 'PATCH', `/channels/${channelId}/messages/${id}`, { flags: 4 });
    expect(fake.problems).toEqual([expect.stringContaining('other flags must be sent again')]);
  });
});

describe('commands', () => {
  const put = async (...commands: readonly unknown[]) => {
    const { fake } = await serveDiscord();
    const answer = await send(fake, 'PUT', `/applications/${fake.applicationId}/commands`, commands);
    return { fake, answer };
  };
  const slash = (rest: object = {}) => ({ name: 'download', description: 'Get a video', type: 1, ...rest });
  const option = (rest: object = {}) => ({ type: 3, name: 'link', description: 'A link', ...rest });

  it.each<[RegExp, unknown[]]>([
    [/not lower case/, [slash({ name: 'Download' })]],
    [/description: Too big/, [slash({ description: 'x'.repeat(101) })]],
    [/name_localizations.xx: Invalid key/, [slash({ name_localizations: { xx: 'unduh' } })]],
    [/required option after/, [slash({ options: [option(), option({ name: 'b', required: true })] })]],
    [
      /autocomplete and choices/,
      [slash({ options: [option({ autocomplete: true, choices: [{ name: 'a', value: 'a' }] })] })],
    ],
    [/two options of one name/, [slash({ options: [option(), option()] })]],
    [/options beside subcommands/, [slash({ options: [option(), { type: 1, name: 'b', description: 'c' }] })]],
    [/a menu command with a description/, [{ name: 'Get media', type: 3, description: 'x' }]],
    [/two commands of one name/, [slash(), slash()]],
    [/16 commands of type 3/, Array.from({ length: 16 }, (_, place) => ({ name: `Menu ${place}`, type: 3 }))],
    [
      /characters in all/,
      [
        slash({
          options: Array.from({ length: 25 }, (_, a) =>
            option({
              name: `o${a}`,
              choices: Array.from({ length: 4 }, (_, b) => ({ name: 'x'.repeat(99), value: `${b}` })),
            }),
          ),
        }),
      ],
    ],
  ])('%s', async (problem, commands) => {
    const { fake, answer } = await put(...commands);
    expect(answer.status).toBe(400);
    expect(fake.problems).toContainEqual(expect.stringMatching(problem));
    expect(fake.commands).toBeUndefined();
  });
});

describe('a request', () => {
  it('without the token is refused, with any is recorded', async () => {
    const { fake } = await serveDiscord();
    const response = await fetch(`${fake.apiUrl}/v10/users/@me?x=1`, {
      headers: { 'user-agent': 'DiscordBot (https://e.com, 1)' },
    });
    expect(response.status).toBe(401);
    expect(fake.requests).toMatchObject([
      { method: 'GET', path: '/users/@me', query: { x: '1' }, authorized: false, status: 401 },
    ]);
  });

  it('under another version or a browser’s name is complained of', async () => {
    const { fake } = await serveDiscord();
    await fetch(`${fake.apiUrl}/v9/gateway`);
    expect(fake.problems).toEqual([
      expect.stringContaining('not under /api/v10'),
      expect.stringContaining('User-Agent'),
    ]);
  });

  it.runIf(process.env.SPECS_DIR)('is held against Discord’s own description', async () => {
    const { problems } = await post({ content: 'x', embed: { title: 'x' }, ...v2({ type: 10, contents: 'x' }) });
    expect(problems).toContainEqual(expect.stringMatching(/MessageCreateRequest.*additional.*"embed"/));
  });

  it.runIf(process.env.SPECS_DIR)('names the misspelt key deep in a component', async () => {
    const { problems } = await post(container(button({ lable: 'x' })));
    expect(problems).toEqual([expect.stringMatching(/\/components\/0\/components\/0\/components\/0.*"lable"/)]);
  });
});
