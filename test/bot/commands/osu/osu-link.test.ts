import { describe, expect, it } from 'vitest';
import { createOsuSignIn } from '../../../../src/beatmaps/upstreams/osu-sign-in.ts';
import { createDispatcher } from '../../../../src/bot/answer/answer.ts';
import type { Reply } from '../../../../src/bot/contract/reply.ts';
import { type Caller, callerKey } from '../../../../src/bot/contract/request.ts';
import type { Services } from '../../../../src/bot/contract/services.ts';
import { createAccountLinks } from '../../../../src/bot/stores/account-links.ts';
import { openHouse } from '../../../beatmaps/beatmaps-fixture.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { createRecordingLog } from '../../../fakes/log.ts';
import { embeddedRecords } from '../../../records.ts';
import { SANDBOX_OSU } from '../../../sandbox/osu.ts';
import { commandList } from '../../command-list.ts';
import { converse } from '../../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../../sample.ts';

const sari = sampleCaller({ platform: 'discord', userId: 'sari' });
const inGroup = (own: Partial<Caller> = {}) => ({ ...sari, chatKind: 'group' as const, chatId: 'g1', ...own });

async function open() {
  const { beatmaps, sandbox } = await openHouse();
  const log = createRecordingLog();
  const http = createTestClient({ 'osu.ppy.sh': sandbox.origin });
  const plain = sampleServices();
  const { settings } = plain;
  const publicUrl = 'https://medley.example';
  const accountLinks = createAccountLinks({
    records: embeddedRecords(),
    key: Buffer.alloc(32, 3),
    publicUrl,
    signIn: createOsuSignIn({ http, log, ...SANDBOX_OSU, redirectUri: `${publicUrl}/osu/callback` }),
    settings,
  });
  const speaker = (services: Services) => {
    const dispatcher = createDispatcher({
      commands: commandList,
      services,
      limiter: memoryLimiter(() => 0),
      userLimit: { units: 1_000, windowMs: 60_000 },
      log,
    });
    return (text: string, caller: Caller = sari) => converse(dispatcher, { text, caller });
  };
  /** Signs in at the played osu!, where the first player says yes. */
  async function signIn(address: string): Promise<void> {
    const state = new URL(address).searchParams.get('state') ?? '';
    const { address: osu, proof } = await accountLinks.begin(state);
    const back = await http.request({ url: osu, hosts: ['osu.ppy.sh'], maxRedirects: 0 });
    const code = new URL(back.headers.location ?? '').searchParams.get('code') ?? '';
    await accountLinks.finish({ state, code, proof });
  }
  const services = { ...plain, beatmaps };
  return {
    settings,
    accountLinks,
    signIn,
    say: speaker({ ...services, accountLinks }),
    sayWithout: speaker(services),
  };
}

function addressIn([reply]: readonly Reply[]): string {
  const [action] = reply?.actions ?? [];
  if (action?.kind !== 'link') throw new Error('no button with an address');
  return action.url;
}

const textOf = (replies: readonly Reply[]) => JSON.stringify(replies.map(({ blocks }) => blocks));

describe('/osu link without a name', () => {
  it('offers the caller alone to sign in, and their player then has a mark', async () => {
    const { say, settings, signIn } = await open();
    const offered = await say('/osu link');
    expect(offered[0]).toMatchObject({ visibility: 'caller' });
    await signIn(addressIn(offered));
    expect((await settings.user(callerKey(sari))).player).toMatchObject({ name: 'lamp post', proven: true });
    expect(textOf(await say('/osu profile'))).toMatch(/lamp post.*✓.*signing in at osu!/);
    expect(textOf(await say('/settings'))).toContain('✓');
    expect(textOf(await say('/osu profile night_bus'))).not.toContain('✓');
  });

  it('says nothing of the address where others would see it', async () => {
    const { say } = await open();
    const [seen] = await say('/osu link', inGroup());
    expect(seen?.actions).toEqual([]);
    expect(textOf(seen === undefined ? [] : [seen])).toContain('private chat');
    expect(addressIn(await say('/osu link', inGroup({ answersAlone: true })))).toContain('/osu/link?state=');
  });

  it('asks for the name where nobody can sign in', async () => {
    const { sayWithout } = await open();
    expect(textOf(await sayWithout('/osu link'))).toMatch(/Send .*osu link.* and your osu! name\./);
    expect(textOf(await sayWithout('/osu link lamp_post'))).toContain('Linked lamp post');
  });
});

describe('the mark', () => {
  it('is for those who proved it: not by name, not after another name, not after /forget me', async () => {
    const { say, settings, signIn } = await open();
    const player = async () => (await settings.user(callerKey(sari))).player;
    await say('/osu link lamp_post');
    expect(await player()).toMatchObject({ proven: false });
    expect(textOf(await say('/osu profile'))).not.toContain('✓');
    await signIn(addressIn(await say('/osu link')));
    await say('/osu link lamp_post mode:taiko');
    expect(await player()).toMatchObject({ mode: 'taiko', proven: true });
    await say('/osu link night_bus');
    expect(await player()).toMatchObject({ name: 'night bus', proven: false });
    await say('/osu link lamp_post');
    expect(await player()).toMatchObject({ proven: false });
    await signIn(addressIn(await say('/osu link')));
    const pending = addressIn(await say('/osu link'));
    await say('/forget me');
    expect(await player()).toBeNull();
    await expect(signIn(pending)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('stands in the ranking of a group beside the one who proved it, whoever else says so', async () => {
    const { say, signIn } = await open();
    await signIn(addressIn(await say('/osu link')));
    await say('/osu profile', inGroup());
    const budi = inGroup({ userId: 'budi', rateKey: 'budi' });
    await say('/osu link lamp_post', { ...budi, chatKind: 'private' });
    await say('/osu profile', budi);
    const dewi = inGroup({ userId: 'dewi', rateKey: 'dewi' });
    await say('/osu link night_bus', { ...dewi, chatKind: 'private' });
    await say('/osu profile', dewi);
    const said = textOf(await say('/osu ranking', dewi));
    expect(said.match(/✓/g)).toHaveLength(1);
    expect(said).toMatch(/lamp post[^✓]*✓/);
    // The same for all who ask in this group about that player.
    expect(textOf(await say('/osu profile lamp_post', dewi))).toContain('✓');
    expect(textOf(await say('/osu profile lamp_post', { ...dewi, chatKind: 'private' }))).not.toContain('✓');
  });
});

describe('a member who is mentioned', () => {
  const dewi = inGroup({ userId: '7700', rateKey: '7700' });
  const budi = inGroup({ userId: '8800', rateKey: '8800' });

  it('means the player whom they linked, in each command about a player', async () => {
    const { say } = await open();
    await say('/osu link night_bus', dewi);
    await say('/osu link lamp_post', budi);
    expect(textOf(await say('/osu profile <@7700>', budi))).toContain('night bus');
    expect(textOf(await say('/osu profile player:<@!7700>', budi))).toContain('night bus');
    expect(textOf(await say('/osu maps <@7700> ranked', budi))).toContain('night bus');
    expect(textOf(await say('/osu versus <@7700>', budi))).toMatch(/lamp post.*night bus/);
    expect(textOf(await say('/osu compare <@7700> map:https://osu.ppy.sh/b/9000013', budi))).toContain('night bus');
    expect(textOf(await say('/osu profile <@8800>', budi))).toContain('lamp post');
  });

  it('is looked up with the ruleset that they chose', async () => {
    const { say } = await open();
    await say('/osu link night_bus mode:taiko', dewi);
    expect(textOf(await say('/osu profile <@7700>', budi))).toContain('taiko');
    expect(textOf(await say('/osu profile <@7700> mania', budi))).not.toContain('taiko');
  });

  it('is a stranger where they linked none, or used no osu! command in this group', async () => {
    const { say } = await open();
    const unlinked = 'linked no osu! player in this chat';
    expect(textOf(await say('/osu recent <@7700>', budi))).toContain(unlinked);
    await say('/osu link night_bus', { ...dewi, chatKind: 'private' });
    await say('/osu link night_bus', { ...dewi, chatId: 'g2' });
    for (const line of ['/osu profile <@7700>', '/osu versus lamp_post <@7700>', '/osu compare <@7700>']) {
      const said = textOf(await say(line, budi));
      expect(said, line).toContain(unlinked);
      expect(said, line).not.toContain('night bus');
    }
    expect(textOf(await say('/osu profile <@7700>', { ...budi, chatKind: 'private' }))).toContain(unlinked);
    await say('/osu profile', dewi);
    expect(textOf(await say('/osu profile <@7700>', budi))).toContain('night bus');
    await say('/forget me', dewi);
    expect(textOf(await say('/osu profile <@7700>', budi))).toContain(unlinked);
  });
});
