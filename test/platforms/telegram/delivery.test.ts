import { describe, expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import {
  answersIn,
  BUDI,
  CAROUSEL,
  FORUM,
  filesIn,
  GROUP,
  ORIGINAL,
  openStage,
  PHOTO,
  PRIVATE,
  REEL,
  SARI,
  SILENT,
  sha256Of,
  WORDY,
} from './stage.ts';

describe('a link, pasted', () => {
  it('brings the post into a private chat: the bytes of its best film, once, in a valid request', async () => {
    const { fake, calls } = await openStage();
    const asked = fake.message({ from: SARI, text: `look ${REEL} !` });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(answer.replyTo).toBe(asked);
    expect(answer.about).toMatchObject({ width: 720, height: 1280, duration: 8, supports_streaming: true });
    expect(answer.caption).toContain('The lamp turns');
    expect(answer.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
    expect(calls('sendVideo').filter(({ multipart }) => multipart)).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('works in a group, in a caption, and behind words, by UTF-16 offsets', async () => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    fake.message({ chat: GROUP, from: SARI, caption: `🌊🌊 from my holidays: ${PHOTO}` });
    const text = '🎬🎬 watch this';
    const hidden = { type: 'text_link', offset: text.indexOf('watch'), length: 10, url: SILENT };
    fake.message({ chat: GROUP, from: SARI, text, entities: [hidden] });
    const answers = await fake.waitFor(() =>
      answersIn(fake, GROUP.id).length === 3 ? answersIn(fake, GROUP.id) : undefined,
    );
    expect(answers.map(({ file }) => file?.sha256).toSorted()).toEqual(
      ['sea-720.mp4', 'photo-tram.jpg', 'silent-540.mp4'].map(sha256Of).toSorted(),
    );
    expect(fake.problems).toEqual([]);
  });

  it('shows a hidden link hidden, and leaves code alone', async () => {
    const { fake } = await openStage();
    const text = `${REEL} ${PHOTO}`;
    const first = { offset: 0, length: REEL.length };
    const second = { offset: REEL.length + 1, length: PHOTO.length };
    const entities = [
      { type: 'url', ...first },
      { type: 'spoiler', ...first },
      { type: 'url', ...second },
      { type: 'code', ...second },
    ];
    fake.message({ from: SARI, text, entities });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.about.has_spoiler).toBe(true);
    expect(answer.entities[0]).toEqual({ type: 'spoiler', offset: 0, length: answer.caption?.length });
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(answersIn(fake, SARI.id)).toHaveLength(2);
    expect(fake.problems).toEqual([]);
  });

  it('behind a command too, and several of them', async () => {
    const { fake } = await openStage();
    const text = `/download ${PHOTO} ${SILENT}`;
    const first = { offset: '/download '.length, length: PHOTO.length };
    const second = { offset: first.offset + PHOTO.length + 1, length: SILENT.length };
    const spoilers = [first, second].map(place => ({ type: 'spoiler', ...place }));
    const entities = [...[first, second].map(place => ({ type: 'url', ...place })), ...spoilers];
    fake.message({ from: SARI, text, entities });
    const files = await fake.waitFor(() => filesIn(fake, SARI.id, 2));
    for (const { about, caption, entities: shown } of files) {
      expect(about.has_spoiler).toBe(true);
      expect(shown[0]).toEqual({ type: 'spoiler', offset: 0, length: caption?.length });
    }
    expect(fake.problems).toEqual([]);
  });

  it('brings a carousel as one album of photos and films, its words and link on the first', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: CAROUSEL });
    const album = await fake.waitFor(() => filesIn(fake, SARI.id, 5));
    expect(album.map(({ file }) => file?.sha256)).toEqual(
      ['photo-shore.jpg', 'sea-720.mp4', 'photo-lights.jpg', 'sky-640.mp4', 'photo-dusk.jpg'].map(sha256Of),
    );
    expect(new Set(album.map(({ mediaGroupId }) => mediaGroupId)).size).toBe(1);
    expect(album.map(({ caption }) => caption !== undefined)).toEqual([true, false, false, false, false]);
    expect(album[0]?.entities).toContainEqual(expect.objectContaining({ type: 'text_link', url: CAROUSEL }));
    expect(calls('sendMediaGroup').filter(({ multipart }) => multipart)).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('brings one item, or the sound alone, by command', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: `/download ${CAROUSEL} item:2` });
    const second = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(second.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    fake.message({ from: SARI, text: '/download https://www.instagram.com/reel/DVclaybowl1/ audio' });
    const sound = await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(sound.file).toMatchObject({ kind: 'audio', name: 'mara.turns.clay-2026-03-04-DVclaybowl1.m4a' });
    expect(fake.problems).toEqual([]);
  });

  it('shortens a long caption after its entities are read, and calls nobody by name', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: WORDY });
    const { caption = '', entities } = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect([...caption].length).toBeLessThanOrEqual(1024);
    expect(caption).toContain('…');
    expect(caption).toContain('<b>open the door</b>');
    expect(caption).not.toMatch(/[\u200b\u2060]/);
    const names = [...caption.matchAll(/(?<!\w)@\w+/g)];
    expect(names.length).toBeGreaterThan(0);
    for (const { index } of names) {
      const cover = entities.find(({ type, offset, length }) => {
        return /^(code|text_link)$/.test(type) && offset <= index && index < offset + length;
      });
      expect(cover).toBeDefined();
    }
    expect(entities.map(({ type }) => type)).toContain('expandable_blockquote');
    expect(fake.problems).toEqual([]);
  });

  it('says calmly why there is nothing to bring', async () => {
    const { fake } = await openStage();
    fake.message({ from: BUDI, text: PRIVATE });
    const answer = await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(answer.text).toContain('privat');
    expect(fake.problems).toEqual([]);
  });

  it('answers several links of one message one by one', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: `${REEL} and ${PHOTO} and ${REEL}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual(['video', 'photo']);
  });
});

describe('where the answer goes', () => {
  it('stays in the topic of a forum, and names no thread in the General topic', async () => {
    const { fake, calls } = await openStage();
    fake.message({ chat: FORUM, from: SARI, text: REEL, messageThreadId: 77 });
    const inTopic = await fake.waitFor(() => answersIn(fake, FORUM.id)[0]);
    expect(inTopic.threadId).toBe(77);
    const before = fake.message({ chat: FORUM, from: BUDI, text: 'hello' });
    fake.message({
      chat: FORUM,
      from: SARI,
      text: REEL,
      replyTo: before,
      messageThreadId: before,
      isTopicMessage: false,
    });
    const inGeneral = await fake.waitFor(() => answersIn(fake, FORUM.id)[1]);
    expect(inGeneral.threadId).toBeUndefined();
    const general = { chat: FORUM, from: SARI, text: PHOTO, messageThreadId: 1, isTopicMessage: true };
    fake.message(general);
    await fake.waitFor(() => answersIn(fake, FORUM.id)[2]);
    // Named once and refused, it would have been sent again without.
    const threads = calls(/^send/).map(({ params }) => params.message_thread_id);
    expect(new Set(threads)).toEqual(new Set([77, undefined]));
    expect(fake.problems).toEqual([]);
  });

  it('posts the new plays of a tracked player in the topic where the player was added', async () => {
    const { fake, records, runtime } = await openStage();
    fake.setMember(FORUM.id, SARI, 'administrator');
    fake.message({ chat: FORUM, from: SARI, text: '/osu_track lamp_post', messageThreadId: 77 });
    await fake.waitFor(() => answersIn(fake, FORUM.id)[0]);
    const [chat] = await createChatMemory({ records, onFailure: () => undefined }).tracked.chats();
    if (chat === undefined) throw new Error('nothing is tracked');
    const news = reply({ blocks: [{ kind: 'text', text: ['a new best play'] }] });
    await runtime.post({ ...chat, eventId: 'track:1' }, news, AbortSignal.timeout(30_000));
    expect(answersIn(fake, FORUM.id)[1]).toMatchObject({ threadId: 77, text: 'a new best play' });
    expect(fake.problems).toEqual([]);
  });

  it('is the conversation of the person who asked, in the direct messages of a channel', async () => {
    const { fake, calls } = await openStage();
    const inbox = { ...GROUP, is_direct_messages: true };
    const extra = { direct_messages_topic: { topic_id: SARI.id } };
    for (const text of [REEL, CAROUSEL]) fake.message({ chat: inbox, from: SARI, text, extra });
    await fake.waitFor(() => calls(/^sendMessage/).at(-1));
    const topics = calls(/^send(?!ChatAction)/).map(({ method, params }) => [method, params.direct_messages_topic_id]);
    expect(Object.fromEntries(topics)).toEqual({
      sendVideo: SARI.id,
      sendMediaGroup: SARI.id,
      sendMessage: SARI.id,
    });
  });

  it('is sent outside of a topic that is gone', async () => {
    const { fake } = await openStage();
    fake.fault({
      method: /^send(Video|ChatAction)/,
      when: ({ params }) => 'message_thread_id' in params,
      errorCode: 400,
      description: 'Bad Request: message thread not found',
      times: 9,
    });
    fake.message({ chat: FORUM, from: SARI, text: REEL, messageThreadId: 77 });
    expect((await fake.waitFor(() => answersIn(fake, FORUM.id)[0])).file?.kind).toBe('video');
  });

  it('is sent nowhere when the topic was deleted with the message that asked, and no second message is tried', async () => {
    const stage = await openStage();
    const { fake, calls, outcomes } = stage;
    let asked = 0;
    fake.fault({
      method: /^send/,
      when: ({ params }) => {
        if (!('message_thread_id' in params)) return false;
        fake.erase(FORUM.id, asked);
        return true;
      },
      errorCode: 400,
      description: 'Bad Request: message thread not found',
      times: 99,
    });
    asked = fake.message({ chat: FORUM, from: SARI, text: REEL, messageThreadId: 77 });
    await fake.waitFor(() => outcomes[0]);
    expect(outcomes).toEqual(['gone']);
    expect(answersIn(fake, FORUM.id)).toEqual([]);
    expect(calls(/^send(?!ChatAction)/)).toHaveLength(2);
  });

  it('follows a group that has become a supergroup, with its settings', async () => {
    const { fake, settings } = await openStage();
    const old = { id: -500, type: 'group', title: 'Old' } as const;
    await settings.setChat('telegram:-500', { captions: false });
    fake.message({ chat: old, from: SARI, text: 'hi' });
    fake.fault({
      method: 'sendVideo',
      errorCode: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: GROUP.id },
    });
    fake.addChat(GROUP);
    fake.message({ chat: old, from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(answer.file?.kind).toBe('video');
    expect(answer.replyTo).toBeUndefined();
    expect((await settings.chat(`telegram:${GROUP.id}`)).captions).toBe(false);
    expect((await settings.chat('telegram:-500')).captions).toBe(true);
  });

  it('answers even when the message is gone meanwhile', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const replies = calls(/^send(?!ChatAction)/).map(({ params }) => params.reply_parameters);
    expect(replies).toContainEqual({ message_id: 1, allow_sending_without_reply: true });
  });
});

describe('the pace', () => {
  it('is kept: Telegram never has to ask for patience', async () => {
    const { fake, calls } = await openStage({ canFetch: true, limits: { spacingMs: 1_000 } });
    fake.enforceRates(true);
    fake.message({ chat: GROUP, from: SARI, text: `${REEL} ${PHOTO} ${SILENT}` });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[2]);
    const sent = calls(/^send(?!ChatAction)/).map(({ at }) => at);
    expect(sent).toHaveLength(3);
    expect((sent[2] ?? 0) - (sent[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(fake.problems).toEqual([]);
  });
});
