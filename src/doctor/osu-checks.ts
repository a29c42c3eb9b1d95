/** What the key of osu! is good for here. */
import { CALLBACK_PATH } from '../bot/linking/account-links.ts';
import type { Finding } from '../platforms/platform.ts';

export interface OsuSetup {
  /** The key. */
  readonly osu: object | undefined;
  readonly publicUrl: string | undefined;
}

export function checkOsu({ osu, publicUrl }: OsuSetup): readonly Finding[] {
  if (osu === undefined) {
    const remedy = 'Players and plays need one: see OSU_CLIENT_ID in .env.example.';
    return [{ state: 'note', what: 'osu!: no key', remedy }];
  }
  if (publicUrl === undefined) {
    const remedy = 'With PUBLIC_URL, people can link their player by signing in at osu!.';
    return [{ state: 'note', what: 'osu!: players are linked by name alone', remedy }];
  }
  return [
    {
      state: 'ok',
      what: 'osu!: people can link their player by signing in there',
      remedy: `The application must have this callback address, letter by letter: ${publicUrl}${CALLBACK_PATH}`,
    },
  ];
}
