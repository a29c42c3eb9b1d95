import {
  ApplicationFlags,
  ApplicationFlagsBitField,
  ApplicationIntegrationType,
  DiscordAPIError,
  HTTPError,
  OAuth2Scopes,
  PermissionsBitField,
  RateLimitError,
  REST,
  Routes,
} from 'discord.js';
import * as z from 'zod';
import { type Finding, note, ok, wrong } from '../platform.ts';
import { inviteUrl, WANTED_PERMISSIONS } from './api/permissions.ts';

export interface DiscordExamination {
  readonly token: string;
  /** The address of Discord's API without a version, e.g. `https://discord.com/api`, which is also the default. */
  readonly apiUrl?: string | undefined;
  /** Milliseconds that each request may take. Default 10 000. */
  readonly timeoutMs?: number;
}

const User = z.object({ username: z.string() });
const Application = z.object({
  id: z.string(),
  flags: z.int().default(0),
  bot_public: z.boolean().default(true),
  bot_require_code_grant: z.boolean().default(false),
  interactions_endpoint_url: z.string().nullish(),
  integration_types_config: z.record(z.string(), z.unknown()).nullish(),
  approximate_guild_count: z.int().optional(),
});
type Application = z.output<typeof Application>;
const Guilds = z.array(z.object({ name: z.string(), permissions: z.string().regex(/^\d{1,20}$/) }));
type Guild = z.output<typeof Guilds>[number];

/** The most servers that are examined. */
const MOST_GUILDS = 200;
/** The most servers with missing permissions that are named. */
const MOST_NAMES = 5;

/** Checks what Discord says about the token, the application and the servers, and adds the invitation link. */
export async function examineDiscord(options: DiscordExamination): Promise<readonly Finding[]> {
  const { token, apiUrl, timeoutMs = 10_000 } = options;
  const rest = new REST({
    ...(apiUrl !== undefined && { api: apiUrl }),
    timeout: timeoutMs,
    retries: 0,
    rejectOnRateLimit: ['/'],
  }).setToken(token);
  const get = (route: `/${string}`, query?: URLSearchParams) =>
    rest.get(route, { ...(query && { query }), signal: AbortSignal.timeout(timeoutMs) });
  try {
    const { username } = User.parse(await get(Routes.user()));
    const application = Application.parse(await get(Routes.currentApplication()));
    return [
      ok(`Discord: the token is that of ${plain(username)}`),
      ...readSwitches(application),
      ...(await get(Routes.userGuilds(), new URLSearchParams({ limit: `${MOST_GUILDS}` })).then(
        guilds => readGuilds(Guilds.parse(guilds), application.approximate_guild_count),
        (error: unknown) => [note(`Discord: its servers cannot be read, ${reasonOf(error)}`)],
      )),
      ...invitations(application),
    ];
  } catch (error) {
    return [readFailure(error)];
  } finally {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  }
}

function readSwitches(application: Application): readonly Finding[] {
  const flags = new ApplicationFlagsBitField(application.flags);
  const content = flags.any([ApplicationFlags.GatewayMessageContent, ApplicationFlags.GatewayMessageContentLimited]);
  const findings: Finding[] = content ? [ok('Discord: the Message Content intent is on')] : [];
  /** If `isNeeded`, adds a finding that advises what to change on a page of the developer portal. */
  function advise(isNeeded: boolean, finding: typeof note, what: string, remedy: string, page: string): void {
    const portal = `https://discord.com/developers/applications/${application.id}/${page}`;
    if (isNeeded) findings.push(finding(`Discord: ${what}`, `${remedy}: ${portal}`));
  }
  const unseen = 'the Message Content intent is off, so pasted links in servers are not seen';
  advise(!content, note, unseen, 'Switch it on under Bot, Privileged Gateway Intents', 'bot');
  const isElsewhere = Boolean(application.interactions_endpoint_url);
  const elsewhere = 'commands are sent to an address of their own and never reach Medley';
  advise(isElsewhere, wrong, elsewhere, 'Empty Interactions Endpoint URL', 'information');
  const closed = 'Requires OAuth2 Code Grant is on, so the bot cannot be added';
  advise(application.bot_require_code_grant, wrong, closed, 'Switch it off under Bot', 'bot');
  const isOwn = 'only the owner can add the bot';
  advise(!application.bot_public, note, isOwn, 'That may be meant; else switch on Public Bot', 'bot');
  const places = [
    [ApplicationIntegrationType.GuildInstall, 'servers'],
    [ApplicationIntegrationType.UserInstall, "people's own accounts"],
  ] as const;
  for (const [type, where] of places) {
    const what = `the bot cannot be added to ${where}`;
    advise(!canInstall(application, type), note, what, 'Tick it under Installation Contexts', 'installation');
  }
  return findings;
}

/** True when servers or people (`type`) can install the application. If it does not state who, only servers can. */
function canInstall({ integration_types_config: contexts }: Application, type: ApplicationIntegrationType): boolean {
  return contexts ? `${type}` in contexts : type === ApplicationIntegrationType.GuildInstall;
}

function readGuilds(guilds: readonly Guild[], approximateCount = 0): readonly Finding[] {
  const count = Math.max(guilds.length, approximateCount);
  if (count === 0) return [note('Discord: the bot is in no server yet', 'Invite it, below.')];
  const lacking = guilds.flatMap(({ name, permissions }) => {
    const missing = new PermissionsBitField(BigInt(permissions)).missing(WANTED_PERMISSIONS);
    return missing.length === 0 ? [] : [`${plain(name)} (${missing.map(spaced).join(', ')})`];
  });
  const among = count > guilds.length ? `, ${guilds.length} of them looked at` : '';
  const what = `Discord: in ${count} ${count === 1 ? 'server' : 'servers'}${among}`;
  if (lacking.length === 0) return [ok(`${what}, no permission is missing`)];
  const more = lacking.length > MOST_NAMES ? ` and ${lacking.length - MOST_NAMES} more` : '';
  const remedy = "Give them to Medley's role there, or invite it again. In a channel, /settings says what is missing.";
  return [note(`${what}; permissions are missing in ${lacking.slice(0, MOST_NAMES).join(', ')}${more}`, remedy)];
}

function invitations(application: Application): readonly Finding[] {
  const findings: Finding[] = [];
  if (canInstall(application, ApplicationIntegrationType.GuildInstall)) {
    findings.push(ok(`Discord: add the bot to a server at ${inviteUrl(application.id)}`));
  }
  if (canInstall(application, ApplicationIntegrationType.UserInstall)) {
    const url = new URL('https://discord.com/oauth2/authorize');
    url.searchParams.set('client_id', application.id);
    url.searchParams.set('integration_type', `${ApplicationIntegrationType.UserInstall}`);
    url.searchParams.set('scope', OAuth2Scopes.ApplicationsCommands);
    findings.push(ok(`Discord: add it to your own account at ${url.href}`));
  }
  return findings;
}

function readFailure(error: unknown): Finding {
  const status = statusOf(error);
  const reset =
    'Reset it under Bot at https://discord.com/developers/applications and set DISCORD_TOKEN to the new one.';
  if (status === 401) return wrong('Discord refuses the token', reset);
  if (status === 429) return note('Discord asks this address to slow down', 'Wait some minutes and try again.');
  if (status !== undefined && status >= 500)
    return note(`Discord answers ${status}`, 'It has trouble of its own. Try again later.');
  const what = `Discord does not answer as it should: ${reasonOf(error)}`;
  return wrong(what, 'Check the network, DNS and DISCORD_API_URL.');
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof DiscordAPIError || error instanceof HTTPError) return error.status;
  return error instanceof RateLimitError ? 429 : undefined;
}

/** The reason of a failure, without the library's messages, which contain addresses with tokens. */
function reasonOf(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `status ${status}`;
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'unreadable answer';
  if (!(error instanceof Error)) return 'unknown failure';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Writes the name of a permission such as `ManageMessages` with spaces between its words. */
function spaced(permission: string): string {
  return permission.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

/** The name of a server without control characters, by which people could affect the operator's terminal. */
function plain(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}]/gu, '');
}
