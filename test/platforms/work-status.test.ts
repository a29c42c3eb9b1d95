import { afterEach, describe, expect, it } from 'vitest';
import { createTranslator } from '../../src/i18n/translate.ts';
import type { Post } from '../../src/media/post.ts';
import { openHouse } from '../beatmaps/beatmaps-fixture.ts';
import { samplePost } from '../bot/sample.ts';
import { link, openStage as openDiscord, ownMessages, textOf } from './discord/stage.ts';
import { answersIn, BUDI, GROUP, openStage as openTelegram, SARI } from './telegram/stage.ts';

const { progress } = createTranslator(['en']).messages;
const SOON = { statusMs: 40 };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('an answer that takes long, on Discord', () => {
  async function open() {
    let finish = () => {};
    const wait = new Promise<void>(resolve => {
      finish = resolve;
    });
    const answer = async (id: string): Promise<Post> => {
      await wait;
      return samplePost({ id, url: link(id) });
    };
    const stage = await openDiscord({ answer, platform: { runtime: SOON } });
    closing.push(() => stage.close());
    const said = () => ownMessages(stage.fake).map(textOf);
    return { ...stage, finish, said };
  }

  it('is told of in the deferred message, which then becomes the answer', async () => {
    const { fake, guildId, said, finish } = await open();
    const ask = { kind: 'command' as const, name: 'download', options: { link: link('SeaLight01') } };
    fake.interaction({ ...ask, guildId, userId: '300' });
    await fake.waitFor(() => said().find(text => text.includes(progress.fetching)));
    finish();
    await fake.waitFor(() => said().find(text => text.includes('Tari')));
    expect(said()).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('is told of beside a pasted link, until the answer is there', async () => {
    const { fake, guildId, said, finish } = await open();
    fake.message({ guildId, content: link('SeaLight01') });
    await fake.waitFor(() => said().find(text => text.includes(progress.fetching)));
    finish();
    await fake.waitFor(() => (said().length === 1 && said()[0]?.includes('Tari')) || undefined);
    expect(fake.problems).toEqual([]);
  });
});

describe('an answer that takes long, on Telegram', () => {
  it('is told of in a private chat until it is there, in a group by the chat action alone', async () => {
    const { beatmaps, sandbox } = await openHouse();
    sandbox.faults.set('osu.*', 'delay:1500');
    const { fake, calls, settled } = await openTelegram({ beatmaps, runtime: SOON });
    fake.message({ from: BUDI, chat: GROUP, text: '/osu_profile lamp post' });
    fake.message({ from: SARI, text: '/osu profile lamp post' });
    await fake.waitFor(() => calls('deleteMessage')[0]);
    await settled();
    const [status] = answersIn(fake, SARI.id);
    expect(calls('sendMessage').filter(({ params }) => params.text === progress.resolving)).toMatchObject([
      { params: { chat_id: SARI.id, disable_notification: true } },
    ]);
    expect(JSON.stringify(status)).not.toContain(progress.resolving);
    expect(fake.problems).toEqual([]);
  });
});
