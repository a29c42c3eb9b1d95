import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { madeUpSet } from '../../beatmaps/made-up-sets.ts';
import { BEATMAP_STEPS } from '../beatmap-steps.ts';
import { all, openStage, ownMessages, type Stage, textOf } from './stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
});

const ASKER = '300';
const EPHEMERAL = 64;

async function answered({ fake }: Stage, place: number) {
  return fake.waitFor(() => ownMessages(fake).filter(({ body }) => all(body.components, 'content').length > 0)[place]);
}

describe('the commands of osu!, over the played upstreams', () => {
  it('are answered one after the other', async () => {
    const { beatmaps } = await openHouse({ beatmapsets: 30 });
    stage = await openStage({ beatmaps });
    const { fake, guildId, log } = stage;
    await fake.waitFor(() => fake.commands);
    for (const [place, { command: name, options, says }] of BEATMAP_STEPS.entries()) {
      fake.interaction({ kind: 'command', name, options, guildId, userId: ASKER });
      const said = textOf(await answered(stage, place));
      expect.soft(said, name).toMatch(says);
    }
    expect(log.at('error')).toEqual([]);
  });

  it('open one of those found from the menu, and go to the next page', async () => {
    const { beatmaps } = await openHouse({ beatmapsets: 30 });
    stage = await openStage({ beatmaps });
    const { fake, guildId } = stage;
    await fake.waitFor(() => fake.commands);
    const options = { query: 'stars>1' };
    fake.interaction({ kind: 'command', name: 'beatmap search', options, guildId, userId: ASKER });
    const list = await answered(stage, 0);
    const covers = () => all(list.body.components, 'accessory').length;
    expect(covers()).toBe(5);
    const first = textOf(list);
    const more = /"label":"More[^"]*","custom_id":"([^"]+)"/.exec(JSON.stringify(list.body))?.[1] ?? '';
    fake.interaction({ kind: 'button', customId: more, messageId: list.id, userId: ASKER });
    await fake.waitFor(() => (textOf(list) === first ? undefined : true));
    expect(covers()).toBe(5);
    const menu =
      all(list.body.components, 'custom_id')
        .map(String)
        .find(id => id.startsWith('menu:')) ?? '';
    const [choice = ''] = all(list.body.components, 'value').map(String);
    const second = textOf(list);
    fake.interaction({ kind: 'select', customId: menu, values: [choice], messageId: list.id, userId: ASKER });
    await fake.waitFor(() => (textOf(list) === second ? undefined : true));
    expect(textOf(list)).toContain('AR');
  });
});

describe('/osu link without a name', () => {
  it('shows its address to the caller alone: not where it is said in a message', async () => {
    const { beatmaps } = await openHouse();
    const address = 'https://medley.example/osu/link?state=abc';
    const accountLinks = { offer: async () => address, forgetUser: async () => undefined };
    stage = await openStage({ services: { beatmaps, accountLinks } });
    const { fake, guildId } = stage;
    await fake.waitFor(() => fake.commands);
    fake.interaction({ kind: 'command', name: 'osu link', options: {}, guildId, userId: ASKER });
    const alone = await answered(stage, 0);
    expect(alone.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(all(alone.body.components, 'url')).toEqual([address]);
    fake.message({ guildId, content: `<@${fake.botUserId}> /osu link`, authorId: ASKER });
    const seen = await answered(stage, 1);
    expect(textOf(seen)).toContain('private chat');
    expect(JSON.stringify(seen.body)).not.toContain('state=abc');
  });
});

describe('a member of the server who is mentioned', () => {
  it('means the player whom they linked, in a message and in the field of a slash command', async () => {
    const { beatmaps } = await openHouse();
    stage = await openStage({ beatmaps });
    const { fake, guildId, services } = stage;
    await services.settings.setChat(`discord:${guildId}`, { prefix: '!' });
    await fake.waitFor(() => fake.commands);
    fake.interaction({ kind: 'command', name: 'osu link', options: { player: 'night_bus' }, guildId, userId: '77' });
    await answered(stage, 0);
    fake.message({ guildId, content: '!rs <@77>', authorId: ASKER });
    expect(textOf(await answered(stage, 1))).toContain('night bus');
    fake.interaction({ kind: 'command', name: 'osu scores', options: { player: '<@77>' }, guildId, userId: ASKER });
    expect(textOf(await answered(stage, 2))).toContain('night bus');
    fake.message({ guildId, content: '!rs <@78>', authorId: ASKER });
    expect(textOf(await answered(stage, 3))).toContain('linked no osu! player in this chat');
  });
});

describe('autocomplete', () => {
  it.each([
    ['beatmap info', 'map'],
    ['beatmap download', 'map'],
  ])('of /%s answers from the catalogue while every upstream hangs', async (name, option) => {
    const store = openStore(':memory:');
    const catalogue = createCatalogueHere({ store, onFailure: error => expect.unreachable(String(error)) });
    onTestFinished(async () => {
      await catalogue.close();
      store.close();
    });
    const { beatmaps, sandbox } = await openHouse({ catalogue });
    for (const site of ['osu.*', 'osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(site, 'hang');
    catalogue.remember([madeUpSet({ id: 900_001, title: 'Paper Comet', artist: 'Marble Lanterns' })]);
    await catalogue.flush();
    stage = await openStage({ beatmaps });
    const { fake, guildId } = stage;
    await fake.waitFor(() => fake.commands);
    fake.interaction({ kind: 'autocomplete', name, options: { [option]: 'paper co' }, guildId });
    const { body } = await fake.waitFor(() => fake.requests.find(({ path }) => path.endsWith('/callback')));
    expect(body).toMatchObject({ type: 8, data: { choices: [{ name: expect.stringContaining('Paper Comet') }] } });
    expect(sandbox.requests).toEqual([]);
    const [value] = all(body, 'value').map(String);
    sandbox.faults.clear();
    fake.interaction({ kind: 'command', name: 'beatmap info', options: { map: value ?? '' }, guildId });
    expect(textOf(await answered(stage, 0))).toContain('Paper Comet');
  });
});
