import { AppError, toAppError } from '../../errors.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { RateLimiter, RateLimitRule } from '../../infra/rate-limit/rate-limit.ts';
import type { Command } from '../contract/command.ts';
import { type Caller, callerKey, type Preferences } from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import type { BlockList } from '../stores/exclusions.ts';
import { chatSettingsOf, readableChatSettings } from '../stores/settings-store.ts';
import type { FailureLog } from './run-command.ts';

export interface AdmissionOptions {
  readonly services: Pick<Services, 'settings'>;
  readonly limiter: RateLimiter;
  /**
   * A person's rate limit (`USER_LIMIT`). Each command costs so many units, and this is how many of them a person may
   * use in each window of time, in all chats together.
   */
  readonly userLimit: { readonly units: number; readonly windowMs: number };
  /** The people who host this Medley. Default: none. */
  readonly owners?: readonly { readonly platform: string; readonly id: string }[];
  /** People and chats whose requests are not answered. */
  readonly blocks?: Pick<BlockList, 'hasCaller'>;
  readonly now?: () => number;
}

export type Admission = ReturnType<typeof createAdmission>;

/** All people with one network address, such as a household, may together use this many times one person's limit. */
const SHARED_FACTOR = 10;

/** Finds out who asks: their language, chat settings and rate limit, and whether they are an owner or blocked. */
export function createAdmission(options: AdmissionOptions, logFailure: FailureLog) {
  const { services, limiter, userLimit, owners = [], blocks, now = Date.now } = options;
  const own: RateLimitRule = { name: 'user', limit: userLimit.units, windowMs: userLimit.windowMs, window: 'first' };
  const shared: RateLimitRule = { ...own, name: 'address', limit: userLimit.units * SHARED_FACTOR };

  function onUnreadable(error: unknown, caller: Caller): void {
    logFailure(toAppError(error), 'read settings', caller);
  }

  function isOwner({ platform, userId }: Caller): boolean {
    return owners.some(owner => owner.platform === platform && owner.id === userId);
  }

  async function preferences(caller: Caller): Promise<Preferences> {
    const [user, settings] = await Promise.all([
      services.settings.user(callerKey(caller)),
      chatSettingsOf(services, caller),
    ]);
    const chosen = [user.language, settings.language].filter(language => language !== null);
    return { t: createTranslator([...chosen, ...caller.locales]), settings };
  }

  async function translator(caller: Caller): Promise<Translator> {
    try {
      return (await preferences(caller)).t;
    } catch (error) {
      onUnreadable(error, caller);
      return createTranslator(caller.locales);
    }
  }

  async function take(rule: RateLimitRule, key: string, cost: number): Promise<AppError | undefined> {
    const { allowed, resetAt } = await limiter.consume(rule, key, cost);
    if (allowed) return undefined;
    const retryAfterMs = Math.max(0, resetAt - now());
    return new AppError('rate_limited', `over the limit of one ${rule.name}`, { retryAfterMs });
  }

  return {
    preferences,
    translator,
    isOwner,
    isBlocked: async (caller: Caller) => blocks !== undefined && !isOwner(caller) && (await blocks.hasCaller(caller)),
    onUnreadable,
    chatSettings: (caller: Caller) => readableChatSettings(services, caller, error => onUnreadable(error, caller)),
    /** Takes a command's cost out of the caller's rate limit; resolves with `rate_limited` when too little is left. */
    async charge(
      { cost }: Pick<Command, 'cost'>,
      { platform, rateKey, sharedRateKey }: Caller,
    ): Promise<AppError | undefined> {
      if (cost === 0) return undefined;
      // What costs more than the limit allows would never be answered, so it takes all that there is.
      const due = Math.min(cost, Math.max(1, own.limit));
      // A person over their own limit must not use up the limit of the address that they share with others.
      const refusal = await take(own, `${platform}:${rateKey}`, due);
      if (refusal !== undefined || sharedRateKey === undefined) return refusal;
      return take(shared, `${platform}:${sharedRateKey}`, due);
    },
  };
}
