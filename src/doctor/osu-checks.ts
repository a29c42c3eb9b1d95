/** Checks of the osu! key: osu! takes it, and the callback address is right. */
import type { OsuApi } from '../beatmaps/upstreams/osu-api.ts';
import { CALLBACK_PATH } from '../bot/stores/account-links.ts';
import { AppError } from '../errors.ts';
import type { Finding } from '../platforms/platform.ts';
import { trouble } from './upstream-trouble.ts';

export interface OsuSetup {
  /** osu!'s API, asked with the key. */
  readonly osu: Pick<OsuApi, 'ranking'> | undefined;
  readonly publicUrl: string | undefined;
}

export async function checkOsu({ osu, publicUrl }: OsuSetup): Promise<readonly Finding[]> {
  if (osu === undefined) {
    const remedy = 'Players and plays need one: see OSU_CLIENT_ID in .env.example.';
    return [{ state: 'note', what: 'osu!: no key', remedy }];
  }
  return [await checkKey(osu), checkLinking(publicUrl)];
}

async function checkKey(osu: Pick<OsuApi, 'ranking'>): Promise<Finding> {
  try {
    await osu.ranking('osu', 1);
    return { state: 'ok', what: 'osu!: the key is taken' };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'credentials_required') return trouble('osu!', error);
    return {
      state: 'wrong',
      what: `osu!: the key is refused: ${error.message}`,
      remedy:
        'Copy OSU_CLIENT_ID and OSU_CLIENT_SECRET once more from https://osu.ppy.sh/home/account/edit, below OAuth; a secret that was reset ends the one before.',
    };
  }
}

function checkLinking(publicUrl: string | undefined): Finding {
  if (publicUrl === undefined) {
    const remedy = 'With PUBLIC_URL, people can link their player by signing in at osu!.';
    return { state: 'note', what: 'osu!: players are linked by name alone', remedy };
  }
  return {
    state: 'ok',
    what: 'osu!: people can link their player by signing in there',
    remedy: `The application must have this callback address, letter by letter: ${publicUrl}${CALLBACK_PATH}`,
  };
}
