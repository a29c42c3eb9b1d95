import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../loopback.ts';
import { ALI, botOf, FILM, FORUM, GROUP, PHOTO, refusal, SHA, start, VIDEO } from './rehearsal.ts';

describe('files', () => {
  it('get an id when they are uploaded, which is taken back', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const about = { width: 720, height: 1280, duration: 3, supports_streaming: true, thumbnail: PHOTO };
    const sent = await telegram.sendVideo(ALI.id, FILM, { ...about, caption: 'A film' });
    expect(sent.video).toMatchObject({ width: 720, height: 1280, duration: 3, file_size: VIDEO.length });
    expect(fake.files.get(sent.video.file_id)).toMatchObject({ kind: 'video', sha256: SHA, name: 'film.mp4' });
    const again = await telegram.sendVideo(ALI.id, sent.video.file_id);
    expect(again.video.file_id).toBe(sent.video.file_id);
    expect(fake.requests[0]).toMatchObject({
      method: 'sendVideo',
      params: { chat_id: ALI.id, width: 720, supports_streaming: true, caption: 'A film' },
      multipart: true,
    });
    expect(fake.requests[0]?.files.find(({ field }) => field === 'video')).toMatchObject({
      bytes: VIDEO.length,
      sha256: SHA,
    });
    expect(fake.problems).toEqual([]);
  });

  it('are known by id only for what they are', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const id = fake.addFile({ kind: 'animation', bytes: 10 });
    expect(await refusal(telegram.sendVideo(ALI.id, 'BAACAgnever'))).toBe(
      '400 Bad Request: wrong file identifier/HTTP URL specified',
    );
    expect(fake.problems).toEqual([]);
    expect(await refusal(telegram.sendVideo(ALI.id, id))).toContain("can't use file of type Animation as Video");
    expect(fake.problems).toHaveLength(1);
    fake.forgetFiles();
    expect(await refusal(telegram.sendAnimation(ALI.id, id))).toContain('wrong file identifier');
  });

  it('without sound become animations, save in albums', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const silent = { source: VIDEO, filename: 'silent.mp4' };
    const sent = await telegram.sendVideo(ALI.id, silent);
    expect(sent).toHaveProperty('animation');
    expect(sent).not.toHaveProperty('video');
    const album = await telegram.sendMediaGroup(ALI.id, [
      { type: 'video', media: silent },
      { type: 'photo', media: PHOTO },
    ]);
    expect(album[0]).toHaveProperty('video');
  });

  it('are fetched by address, with the size and the kind looked at', async () => {
    const cdn = await serveHttp((request, response) => {
      if (request.headers.host !== 'cdn.example') response.writeHead(421).end();
      else if (request.url === '/moved') response.writeHead(302, { location: '/film.mp4?a=1' }).end();
      else if (request.url === '/gone') response.writeHead(403).end();
      else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      else if (request.url === '/big') response.writeHead(200, { 'content-type': 'video/mp4' }).end(Buffer.alloc(2000));
      else response.writeHead(200, { 'content-type': 'video/mp4' }).end(VIDEO);
    });
    const fake = await start({
      resolve: url => (new URL(url).host === 'cdn.example' ? cdn.origin : undefined),
      limits: { address: 1000 },
    });
    const { telegram } = botOf(fake);
    const { video } = await telegram.sendVideo(ALI.id, 'https://cdn.example/moved');
    expect(fake.files.get(video.file_id)).toMatchObject({ sha256: SHA, address: 'https://cdn.example/moved' });
    const failures = ['gone', 'big', 'page'].map(path =>
      refusal(telegram.sendVideo(ALI.id, `https://cdn.example/${path}`)),
    );
    expect(await Promise.all(failures)).toEqual([
      '400 Bad Request: failed to get HTTP URL content',
      '400 Bad Request: failed to get HTTP URL content',
      '400 Bad Request: wrong type of the web page content',
    ]);
    expect(await refusal(telegram.sendVideo(ALI.id, 'https://nowhere.example/film.mp4'))).toContain(
      'wrong file identifier',
    );
    expect(fake.problems).toEqual([]);
  });

  it('are refused with 413 over the limits', async () => {
    const fake = await start({ limits: { upload: 100, photoUpload: 50 } });
    const { telegram } = botOf(fake);
    expect(await refusal(telegram.sendVideo(ALI.id, { source: Buffer.alloc(101), filename: 'a.mp4' }))).toBe(
      '413 Request Entity Too Large',
    );
    expect(await refusal(telegram.sendPhoto(ALI.id, { source: Buffer.alloc(51) }))).toBe(
      '413 Request Entity Too Large',
    );
    await telegram.sendVideo(ALI.id, { source: Buffer.alloc(51), filename: 'a.mp4' });
    expect(fake.problems).toHaveLength(2);
  });
});

describe('albums', () => {
  it('mix photos and videos, uploaded and remembered', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const remembered = fake.addFile({ kind: 'video', bytes: 99 });
    const album = await telegram.sendMediaGroup(ALI.id, [
      { type: 'video', media: FILM, width: 10, caption: 'Both', thumbnail: PHOTO },
      { type: 'photo', media: PHOTO },
      { type: 'video', media: remembered },
    ]);
    expect(new Set(album.map(message => message.media_group_id)).size).toBe(1);
    const held = album.map(({ message_id: id }) => fake.messages.get(`${ALI.id}:${id}`)?.file?.sha256);
    expect(held[0]).toBe(SHA);
    expect(fake.problems).toEqual([]);
  });

  it('hold two to ten of what goes together', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const video = { type: 'video' as const, media: fake.addFile({ kind: 'video', bytes: 9 }) };
    expect(await refusal(telegram.sendMediaGroup(ALI.id, [video]))).toContain('too few');
    expect(await refusal(telegram.sendMediaGroup(ALI.id, Array(11).fill(video)))).toContain('too many');
    const document = { type: 'document' as const, media: fake.addFile({ kind: 'document', bytes: 9 }) };
    // @ts-expect-error telegraf's types already refuse the mix
    expect(await refusal(telegram.sendMediaGroup(ALI.id, [video, document]))).toContain('specified type in the album');
    expect(fake.problems).toHaveLength(3);
  });
});

describe('places', () => {
  it('are replied to, with reply_parameters as text in forms', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const source = fake.message({ chat: { id: GROUP, type: 'supergroup' }, text: 'hello' });
    const reply = { message_id: source };
    const asText: object = { reply_parameters: JSON.stringify(reply) };
    const sent = await telegram.sendVideo(GROUP, FILM, asText);
    expect(fake.messages.get(`${GROUP}:${sent.message_id}`)?.replyTo).toBe(source);
    expect(fake.requests.at(-1)?.params.reply_parameters).toEqual(reply);
    const lost = await telegram.sendVideo(GROUP, FILM, { reply_parameters: reply });
    expect(fake.messages.get(`${GROUP}:${lost.message_id}`)?.replyTo).toBeUndefined();
    fake.erase(GROUP, source);
    expect(await refusal(telegram.sendMessage(GROUP, 'late', { reply_parameters: reply }))).toBe(
      '400 Bad Request: message to be replied not found',
    );
    const anyway = { ...reply, allow_sending_without_reply: true };
    await telegram.sendMessage(GROUP, 'late', { reply_parameters: anyway });
    expect(fake.problems).toEqual([]);
  });

  it('have topics with ids, save the General one', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.addTopic(FORUM, 40);
    const sent = await telegram.sendMessage(FORUM, 'here', { message_thread_id: 40 });
    expect(sent).toMatchObject({ message_thread_id: 40, is_topic_message: true });
    expect(await refusal(telegram.sendMessage(FORUM, 'here', { message_thread_id: 41 }))).toContain('thread not found');
    expect(await refusal(telegram.sendMessage(GROUP, 'here', { message_thread_id: 40 }))).toContain('thread not found');
    expect(fake.problems).toEqual([]);
    expect(await refusal(telegram.sendMessage(FORUM, 'here', { message_thread_id: 1 }))).toContain('thread not found');
    expect(fake.problems).toHaveLength(1);
  });

  it('move, with their members, to a supergroup', async () => {
    const fake = await start();
    fake.message({ chat: { id: -77, type: 'group', title: 'Old' }, from: ALI, text: 'hello' });
    fake.migrate(-77, GROUP - 5);
    const { telegram } = botOf(fake);
    const error = await telegram.sendMessage(-77, 'hello').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ response: { error_code: 400, parameters: { migrate_to_chat_id: GROUP - 5 } } });
    await telegram.sendMessage(GROUP - 5, 'hello');
    expect(await telegram.getChatMember(GROUP - 5, ALI.id)).toMatchObject({ status: 'member', user: { id: ALI.id } });
    const updates = await telegram.getUpdates(0, 100, 0, undefined);
    expect(updates.slice(1)).toMatchObject([
      { message: { chat: { id: -77 }, migrate_to_chat_id: GROUP - 5 } },
      { message: { chat: { id: GROUP - 5 }, migrate_from_chat_id: -77 } },
    ]);
  });

  it('may be unknown, or closed to the bot', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    expect(await refusal(telegram.sendMessage(99, 'hello'))).toBe('400 Bad Request: chat not found');
    fake.myChatMember({ chat: { id: ALI.id, type: 'private' }, from: ALI, status: 'kicked' });
    expect(await refusal(telegram.sendMessage(ALI.id, 'hello'))).toBe('403 Forbidden: bot was blocked by the user');
    expect(fake.problems).toEqual([]);
  });

  it('may forbid kinds of messages', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.addChat({ id: GROUP, type: 'supergroup', permissions: { can_send_videos: false } });
    await telegram.sendMessage(GROUP, 'hello');
    expect(await refusal(telegram.sendVideo(GROUP, FILM))).toContain('not enough rights to send videos');
    expect(await telegram.getChat(GROUP)).toMatchObject({ permissions: { can_send_videos: false } });
    fake.setMember(GROUP, fake.botId, 'administrator');
    await telegram.sendVideo(GROUP, FILM);
    fake.setMember(GROUP, fake.botId, 'restricted', { can_send_messages: false });
    expect(await refusal(telegram.sendMessage(GROUP, 'hello'))).toContain('not enough rights to send text messages');
    expect(fake.problems).toEqual([]);
  });

  it('have members with rights', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.setMember(GROUP, ALI, 'creator');
    fake.setMember(GROUP, 8, 'member');
    expect(await telegram.getChatAdministrators(GROUP)).toMatchObject([{ status: 'creator', user: { id: ALI.id } }]);
    const theirs = fake.message({ chat: { id: GROUP, type: 'supergroup' }, from: { id: 8 }, text: 'hello' });
    expect(await refusal(telegram.deleteMessage(GROUP, theirs))).toContain("message can't be deleted");
    fake.setMember(GROUP, fake.botId, 'administrator', { can_delete_messages: true });
    expect(await telegram.getChatMember(GROUP, fake.botId)).toMatchObject({
      can_delete_messages: true,
      can_pin_messages: false,
    });
    await telegram.deleteMessage(GROUP, theirs);
    expect(fake.messages.get(`${GROUP}:${theirs}`)?.deleted).toBe(true);
  });
});
