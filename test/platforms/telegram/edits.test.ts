import { describe, expect, it } from 'vitest';
import { answersIn, GROUP, openStage, PHOTO, PRIVATE, REEL, SARI, SILENT } from './stage.ts';

const kinds = (answers: ReturnType<typeof answersIn>) => answers.map(({ file, text }) => file?.kind ?? text);

describe('an edit', () => {
  it('that adds a link is answered, in reply to its message', async () => {
    const { fake } = await openStage();
    const id = fake.message({ chat: GROUP, from: SARI, text: 'look at this' });
    fake.edit(GROUP.id, id, `look at this: ${PHOTO}`);
    expect(await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).toMatchObject({ replyTo: id });
  });

  it('of an answered link is not answered again, and one beside it alone', async () => {
    const { fake, settled } = await openStage();
    const id = fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    fake.edit(GROUP.id, id, `${PHOTO} !`);
    fake.edit(GROUP.id, id, `${PHOTO} and ${REEL}`);
    fake.edit(GROUP.id, id, `${REEL} and ${PHOTO}`);
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    fake.message({ chat: GROUP, from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[2]);
    await settled();
    expect(kinds(answersIn(fake, GROUP.id)).slice(0, 2)).toEqual(['photo', 'video']);
    expect(answersIn(fake, GROUP.id)).toHaveLength(3);
  });

  it('that comes together with its message has the link that it adds answered as well', async () => {
    const { fake, settled } = await openStage();
    const id = fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    fake.edit(GROUP.id, id, `${PHOTO} and ${REEL}`);
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    await settled();
    expect(kinds(answersIn(fake, GROUP.id)).toSorted()).toEqual(['photo', 'video']);
  });

  it('of an answered link is known after a restart', async () => {
    const { fake, restart, settled } = await openStage();
    const id = fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await settled();
    await restart();
    fake.edit(SARI.id, id, `${PHOTO} !`);
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await settled();
    expect(answersIn(fake, SARI.id)).toHaveLength(2);
  });

  it('without a link, of a command, or of an old message is left alone', async () => {
    const { fake, settled } = await openStage();
    const talk = fake.message({ from: SARI, text: 'hello' });
    const command = fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    fake.edit(SARI.id, talk, 'hello again');
    fake.edit(SARI.id, command, '/help');
    const chat = { id: SARI.id, type: 'private' };
    fake.update({ edited_message: { message_id: 900, from: SARI, chat, date: 1, edit_date: 2, text: SILENT } });
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[2]);
    await settled();
    expect(answersIn(fake, SARI.id)).toHaveLength(3);
  });

  it('never has links deleted that were not brought', async () => {
    const { fake, settings, settled, calls } = await openStage();
    await settings.setChat(`telegram:${GROUP.id}`, { deleteSource: true, noticeSeconds: 0 });
    fake.setMember(GROUP.id, fake.botId, 'administrator', { can_delete_messages: true });
    const id = fake.message({ chat: GROUP, from: SARI, text: PRIVATE });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    fake.edit(GROUP.id, id, `${PRIVATE} ${PHOTO}`);
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    await settled();
    expect(calls('deleteMessage')).toEqual([]);
  });
});
