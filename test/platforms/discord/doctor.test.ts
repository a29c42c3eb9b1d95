import { describe, expect, it, onTestFinished } from 'vitest';
import { inviteUrl, WANTED_PERMISSIONS } from '../../../src/platforms/discord/api/permissions.ts';
import { examineDiscord } from '../../../src/platforms/discord/doctor.ts';
import type { Finding } from '../../../src/platforms/platform.ts';
import { createFakeDiscord, type FakeDiscord } from '../../fakes/discord.ts';

const GUILDS = /^\/users\/@me\/guilds$/;
const APPLICATION = /^\/applications\/@me$/;
const MANAGE_MESSAGES = 1n << 13n;

async function open(): Promise<FakeDiscord> {
  const fake = await createFakeDiscord();
  onTestFinished(() => fake.close());
  return fake;
}

function isIn(fake: FakeDiscord, ...guilds: readonly { readonly name: string; readonly permissions: bigint }[]) {
  const body = guilds.map(({ name, permissions }, at) => ({ id: `${at + 1}`, name, permissions: `${permissions}` }));
  fake.fault({ path: GUILDS, status: 200, body });
}

async function examine(
  { apiUrl, token }: { apiUrl: string; token: string },
  timeoutMs = 30_000,
): Promise<readonly Finding[]> {
  const findings = await examineDiscord({ apiUrl, token, timeoutMs });
  expect(JSON.stringify(findings)).not.toContain(token);
  return findings;
}

const about = (findings: readonly Finding[], text: string) => findings.filter(({ what }) => what.includes(text));

describe('examineDiscord', () => {
  it('finds a well-made bot well, and prints where to invite it', async () => {
    const fake = await open();
    isIn(fake, { name: 'Harbour', permissions: WANTED_PERMISSIONS });
    const findings = await examine(fake);
    expect(findings.map(({ state }) => state)).toEqual(findings.map(() => 'ok'));
    expect(about(findings, 'Message Content intent is on')).toHaveLength(1);
    expect(about(findings, 'in 1 server, no permission is missing')).toHaveLength(1);
    expect(about(findings, inviteUrl(fake.applicationId))).toHaveLength(1);
    expect(about(findings, 'integration_type=1')).toHaveLength(1);
  });

  it('says where to switch the Message Content intent on', async () => {
    const fake = await open();
    fake.refuseIntents();
    expect(about(await examine(fake), 'Message Content')).toEqual([
      {
        state: 'note',
        what: expect.stringContaining('is off'),
        remedy: expect.stringContaining(`https://discord.com/developers/applications/${fake.applicationId}/bot`),
      },
    ]);
  });

  it('names the permissions that servers keep back, without what names hide', async () => {
    const fake = await open();
    isIn(
      fake,
      { name: 'Harbour', permissions: WANTED_PERMISSIONS & ~MANAGE_MESSAGES },
      { name: 'Bridge', permissions: 1n << 3n },
      { name: '\u001b[31mMole', permissions: 0n },
    );
    const [finding] = about(await examine(fake), 'permissions are missing');
    expect(finding?.state).toBe('note');
    expect(finding?.what).toContain('in 3 servers');
    expect(finding?.what).toContain('Harbour (Manage Messages)');
    expect(finding?.what).toMatch(/, \[31mMole \(.*Send Messages.*\)/);
    expect(finding?.what).not.toContain('Bridge');
  });

  it('names a few servers and counts the rest', async () => {
    const fake = await open();
    isIn(fake, ...Array.from({ length: 9 }, (_, at) => ({ name: `Pier ${at}`, permissions: 0n })));
    const [finding] = about(await examine(fake), 'permissions are missing');
    expect(finding?.what).toContain('Pier 4');
    expect(finding?.what).not.toContain('Pier 5');
    expect(finding?.what).toMatch(/ and 4 more$/);
  });

  it('sees switches of the portal that keep the bot from people', async () => {
    const fake = await open();
    const body = {
      id: fake.applicationId,
      flags: 1 << 18,
      bot_public: false,
      bot_require_code_grant: true,
      interactions_endpoint_url: 'https://elsewhere.example/hook',
      integration_types_config: { '1': {} },
    };
    fake.fault({ path: APPLICATION, status: 200, body });
    const findings = await examine(fake);
    expect(about(findings, 'intent is on')).toHaveLength(1);
    expect(about(findings, 'never reach Medley')[0]?.state).toBe('wrong');
    expect(about(findings, 'Code Grant')[0]?.state).toBe('wrong');
    expect(about(findings, 'only the owner')[0]?.state).toBe('note');
    expect(about(findings, 'cannot be added to servers')[0]?.remedy).toContain('/installation');
    expect(about(findings, inviteUrl(fake.applicationId))).toEqual([]);
    expect(JSON.stringify(findings)).not.toContain('elsewhere');
  });

  it('goes on without the list of servers', async () => {
    const fake = await open();
    fake.fault({ path: GUILDS, status: 503 });
    const findings = await examine(fake);
    expect(about(findings, 'servers cannot be read')).toEqual([
      { state: 'note', what: 'Discord: its servers cannot be read, status 503' },
    ]);
    expect(about(findings, inviteUrl(fake.applicationId))).toHaveLength(1);
  });

  it('says that a token is refused', async () => {
    const fake = await open();
    const findings = await examine({ apiUrl: fake.apiUrl, token: 'MTAw.GfaKe1.revoked' });
    expect(findings).toEqual([
      { state: 'wrong', what: 'Discord refuses the token', remedy: expect.stringContaining('DISCORD_TOKEN') },
    ]);
  });

  it.each([
    ['nothing listens', undefined, 'wrong', 'ECONNREFUSED'],
    ['nothing is answered', { hang: true }, 'wrong', 'no answer in time'],
    ['a page comes instead', { status: 200, body: '<h1>Hello</h1>' }, 'wrong', 'unreadable answer'],
    ['it is asked too often', { status: 429 }, 'note', 'slow down'],
    ['it has trouble', { status: 502 }, 'note', 'answers 502'],
  ] as const)('has one calm word when %s', async (name, fault, state, word) => {
    const fake = await open();
    if (fault === undefined) await fake.close();
    else fake.fault({ path: /^\/users\/@me$/, times: 9, ...fault });
    const findings = await examine(fake, name === 'nothing is answered' ? 500 : undefined);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ state, what: expect.stringContaining(word), remedy: expect.any(String) });
  });
});
