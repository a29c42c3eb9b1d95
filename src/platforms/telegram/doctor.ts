import { type Finding, note, ok, wrong } from '../platform.ts';
import { createBotApi } from './api/bot-api.ts';
import { BotApiError, isTokenRefused } from './api/bot-api-error.ts';
import { DEFAULT_API, INVITATION, TELEGRAM_LIMITS } from './api/limits.ts';
import type { Me, WebhookInfo } from './api/methods.ts';

export interface TelegramExamination {
  readonly token: string;
  /** The root of the Bot API server that the operator runs. Default: Telegram's. */
  readonly apiUrl?: string | undefined;
  /** The secret of the webhook. With it and `publicUrl`, updates come by webhook. */
  readonly webhookSecret?: string | undefined;
  readonly publicUrl?: string | undefined;
  /** Milliseconds that each request may take. Default 10 000. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** The ports on which Telegram calls webhooks ('' is the default). A Bot API server of the operator calls any port. */
const WEBHOOK_PORTS: ReadonlySet<string> = new Set(['', '80', '88', '443', '8443']);
/** Failures older than this are ignored, because Telegram reports the last failure as long as the webhook is set. */
const RECENT_MS = 60 * 60_000;

/** Checks what Telegram says about the token, the settings at @BotFather, and how updates are received. */
export async function examineTelegram(options: TelegramExamination): Promise<readonly Finding[]> {
  const { token, apiUrl, timeoutMs = 10_000 } = options;
  const apiRoot = new URL((apiUrl ?? DEFAULT_API).replace(/\/?$/, '/')).href;
  const api = createBotApi({ token, apiRoot, limits: { ...TELEGRAM_LIMITS, callMs: timeoutMs } });
  /** Resolves with the findings, or with a finding that says why there are none. */
  async function examine(look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
    try {
      return await look();
    } catch (error) {
      if (error instanceof BotApiError) return [explainFailure(error, apiUrl !== undefined)];
      throw error;
    }
  }

  try {
    return await examine(async () => {
      const me = await api.call('getMe', {});
      const what = `Telegram: the token is that of @${me.username}, write to it at https://t.me/${me.username}`;
      const webhook = await examine(async () => readWebhook(await api.call('getWebhookInfo', {}), options));
      const server =
        apiUrl === undefined
          ? ok('Telegram: files up to 50 MB; larger ones need TELEGRAM_API_URL')
          : ok('Telegram: a Bot API server of your own, files up to 2000 MB');
      return [ok(what), ...readSwitches(me), ...webhook, server];
    });
  } finally {
    await api.close();
  }
}

function readSwitches(me: Me): readonly Finding[] {
  return [
    me.can_join_groups
      ? ok(`Telegram: add it to a group at https://t.me/${me.username}?startgroup=${INVITATION}`)
      : note('Telegram: the bot cannot be added to groups', 'Send /setjoingroups to @BotFather and choose Enable.'),
    me.can_read_all_group_messages
      ? ok('Telegram: privacy mode is off')
      : note(
          'Telegram: privacy mode is on, so pasted links in groups are seen only where the bot is an admin',
          'Send /setprivacy to @BotFather, choose Disable, then remove the bot from its groups and add it again.',
        ),
    me.supports_inline_queries
      ? note(
          'Telegram: inline mode is on; whether its feedback is, Telegram does not tell',
          'Send /setinlinefeedback to @BotFather and choose 100%, or posts chosen inline never get their video.',
        )
      : note('Telegram: inline mode is off', 'Send /setinline, then /setinlinefeedback (choose 100%) to @BotFather.'),
  ];
}

const OTHER_PROGRAM = 'If another program uses this bot, make one of its own for Medley.';

function readWebhook(info: WebhookInfo, options: TelegramExamination): readonly Finding[] {
  const { webhookSecret, publicUrl, token, now = Date.now } = options;
  const host = hostOf(info.url);
  if (webhookSecret === undefined || publicUrl === undefined) {
    if (info.url === '') return [ok('Telegram: updates are polled for')];
    const what = `Telegram: a webhook to ${host} is set, and Medley polls: it takes the webhook away when it starts`;
    return [note(what, OTHER_PROGRAM)];
  }
  const findings: Finding[] = [...readPublicUrl(publicUrl, options.apiUrl !== undefined)];
  if (info.url === '') findings.push(ok('Telegram: no webhook is set yet; Medley sets it when it starts'));
  else if (host !== hostOf(publicUrl)) {
    const what = `Telegram: the webhook goes to ${host} and not to PUBLIC_URL; Medley moves it when it starts`;
    findings.push(note(what, OTHER_PROGRAM));
  } else findings.push(ok(`Telegram: the webhook goes to ${host}, ${info.pending_update_count} wait`));
  if (info.url !== '' && info.last_error_date !== undefined) {
    const isRecent = now() - info.last_error_date * 1_000 < RECENT_MS;
    const when = new Date(info.last_error_date * 1_000).toISOString();
    const why = info.last_error_message.replaceAll(token, '...').replace(/[\p{Cc}\p{Cf}]/gu, '');
    const what = `Telegram: the webhook last failed at ${when}: ${why}`;
    const remedy = 'PUBLIC_URL must reach Medley from the internet, with a valid certificate.';
    findings.push(isRecent ? wrong(what, remedy) : note(what, remedy));
  }
  return findings;
}

function readPublicUrl(publicUrl: string, isLocalServer: boolean): readonly Finding[] {
  const { protocol, port } = new URL(publicUrl);
  if (isLocalServer || (protocol === 'https:' && WEBHOOK_PORTS.has(port))) return [];
  const remedy =
    'PUBLIC_URL must be https, on port 443, 80, 88 or 8443; or leave TELEGRAM_WEBHOOK_SECRET empty to poll.';
  return [wrong(`Telegram: it sends no updates to ${publicUrl}`, remedy)];
}

/** The host of an address alone, because a webhook's path is secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}

function explainFailure(error: BotApiError, isLocalServer: boolean): Finding {
  const { code, description } = error;
  if (isTokenRefused(error)) {
    const where = isLocalServer ? ' If it is right, correct TELEGRAM_API_URL.' : '';
    const remedy = `Send /token to @BotFather and set TELEGRAM_TOKEN to the current one.${where}`;
    return wrong('Telegram refuses the token', remedy);
  }
  if (code === 429) return note('Telegram asks to slow down', 'Wait a minute and try again.');
  if (code !== undefined && code >= 500)
    return note(`Telegram answers ${code}`, 'It has trouble of its own. Try again later.');
  const isLate = description === 'AbortError' || description === 'TimeoutError';
  const reason = isLate ? 'no answer in time' : `${code ?? description}`;
  const remedy = 'Check the network, DNS and TELEGRAM_API_URL.';
  return wrong(`Telegram does not answer as it should: ${reason}`, remedy);
}
