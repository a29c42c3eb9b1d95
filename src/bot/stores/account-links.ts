import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RULESETS, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { OsuSignIn } from '../../beatmaps/upstreams/osu-sign-in.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import { usageError } from '../contract/command.ts';
import type { LinkedPlayer, SettingsStore } from '../contract/settings.ts';

export type AccountLinks = ReturnType<typeof createAccountLinks>;

/** The parameters and the cookie with which the browser comes back from osu!. */
interface LinkAnswer {
  readonly state: string;
  /** The proof that the browser has kept since the sign-in began. */
  readonly proof: string | undefined;
}

export interface AccountLinksOptions {
  readonly records: RecordStore;
  /** A secret that is the same in all processes and after every start. */
  readonly key: Uint8Array;
  readonly publicUrl: string;
  readonly signIn: OsuSignIn;
  readonly settings: Pick<SettingsStore, 'setUser'>;
}

const OpenLink = z.object({ user: z.string(), mode: z.enum(RULESETS).nullable() });
type OpenLink = z.output<typeof OpenLink>;

/** Sign-ins that were begun. Keys are digests of their secret states, so the store contains no valid state. */
export const OPEN_LINKS = { name: 'open-links', schema: OpenLink, ttlMs: 10 * 60_000, maxRecords: 20_000 };

const NONCE_BYTES = 18;
const SEAL_BYTES = 15;

/** The paths of the sign-in pages. */
export const LINK_PATH = '/osu/link';
export const CALLBACK_PATH = '/osu/callback';

/**
 * Lets people prove which player they are, by signing in at osu!. A *state* stands for one sign-in until osu! answers.
 * It is sealed, and valid once, for ten minutes, in every process, and only for the person to whom it was offered.
 */
export function createAccountLinks({ records, key, publicUrl, signIn, settings }: AccountLinksOptions) {
  const open = records.groupedCollection(OPEN_LINKS);

  const digest = (purpose: string, text: string) => createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
  const recordKey = (state: string) => digest('record', state).toString('base64url');
  const proofOf = (state: string) => digest('proof', state).toString('base64url');
  const sealOf = (nonce: string) => digest('seal', nonce).subarray(0, SEAL_BYTES).toString('base64url');

  function isOurs(state: string): boolean {
    const [nonce = '', seal = '', ...more] = state.split('.');
    return more.length === 0 && nonce !== '' && isSame(seal, sealOf(nonce));
  }

  /**
   * The person to whom a valid state belongs.
   * @throws AppError `invalid_request` with a hint when it is not valid, or `internal`
   */
  async function read(state: string): Promise<OpenLink> {
    // Only states that Medley itself sealed are looked up, so that made-up ones cost no read.
    const found = isOurs(state) ? await open.get(recordKey(state)) : undefined;
    if (found === undefined) throw usageError('endedLink');
    return found;
  }

  /** Takes the state out of the store. Two answers at once may both find it, but they are for the same person. */
  async function take({ state, proof }: LinkAnswer): Promise<OpenLink> {
    // An answer without the proof may come from another browser, which must not end the state.
    if (proof === undefined || !isSame(proof, proofOf(state))) throw usageError('endedLink');
    const found = await read(state);
    await open.delete(recordKey(state), found.user);
    return found;
  }

  return {
    async offer(user: string, mode: Ruleset | null): Promise<string> {
      await open.deleteGroup(user);
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      const state = `${nonce}.${sealOf(nonce)}`;
      await open.set(recordKey(state), { user, mode }, user);
      return `${publicUrl}${LINK_PATH}?state=${state}`;
    },
    read,
    /** The address of osu!'s page for this state, and a proof that the browser must show when osu! sends it back. */
    async begin(state: string) {
      await read(state);
      return { address: signIn.address(state), proof: proofOf(state) };
    },
    /**
     * Ends the state and links the player who signed in, by osu!'s code.
     * @throws AppError `invalid_request` with a hint, or as `OsuSignIn.identify` does
     */
    async finish({ state, code, proof }: LinkAnswer & { readonly code: string }, signal?: AbortSignal) {
      const { user, mode } = await take({ state, proof });
      const { id, name } = await signIn.identify(code, signal);
      const player: LinkedPlayer = { id, name, mode, proven: true };
      await settings.setUser(user, { player });
      return { player, platform: platformOf(user) };
    },
    /** Ends the state after the person refused at osu!. Like `finish`, without a code. */
    async cancel(answer: LinkAnswer): Promise<void> {
      await take(answer);
    },
    forgetUser: (user: string) => open.deleteGroup(user),
  };
}

/** The platform's name in a `callerKey`. */
export function platformOf(user: string): string {
  return user.split(':', 1)[0] ?? '';
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
