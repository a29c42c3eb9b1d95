/** osu!'s authorization code grant: whoever comes with a session has already said yes. */
import { randomBytes } from 'node:crypto';
import { type Answer, type Ask, html, json, redirect } from './answer.ts';
import type { BeatmapWorld } from './beatmap-world.ts';
import { MODE_NAMES, playerShape } from './osu-shapes.ts';

interface Grant {
  readonly playerId: number;
  readonly redirectUri: string;
}

/** Codes that were given out and not used, and the tokens they were exchanged for. */
interface Grants {
  readonly codes: Map<string, Grant>;
  readonly tokens: Map<string, number>;
}

const worlds = new WeakMap<BeatmapWorld, Grants>();

function grantsOf(world: BeatmapWorld): Grants {
  const known = worlds.get(world) ?? { codes: new Map(), tokens: new Map() };
  worlds.set(world, known);
  return known;
}

/**
 * The page where a person says yes or no, which is not shown: the cookie `osu_session` holds the number of the player who says yes, by
 * default the first one, or `no`.
 */
export function answerAuthorize({ url, cookies }: Ask, world: BeatmapWorld, clientId: number): Answer {
  const query = url.searchParams;
  const redirectUri = query.get('redirect_uri') ?? '';
  const isKnown = query.get('client_id') === String(clientId) && URL.canParse(redirectUri);
  if (!isKnown || query.get('response_type') !== 'code') return html('<!DOCTYPE html><title>error | osu!</title>', 400);
  const back = new URL(redirectUri);
  const session = cookies.get('osu_session');
  if (session === 'no') back.searchParams.set('error', 'access_denied');
  else {
    const code = randomBytes(40).toString('hex');
    const playerId = Number(session ?? world.players[0]?.id);
    grantsOf(world).codes.set(code, { playerId, redirectUri });
    back.searchParams.set('code', code);
  }
  back.searchParams.set('state', query.get('state') ?? '');
  return redirect(back.href);
}

/** A code counts once, for the address it was given to. */
export function answerCode(form: URLSearchParams, world: BeatmapWorld): Answer {
  const { codes, tokens } = grantsOf(world);
  const code = form.get('code') ?? '';
  const grant = codes.get(code);
  codes.delete(code);
  if (grant === undefined || grant.redirectUri !== form.get('redirect_uri')) {
    return json({ error: 'invalid_grant', hint: 'Authorization code has been revoked' }, 400);
  }
  const token = `sandbox.osu.person.${randomBytes(12).toString('hex')}`;
  tokens.set(token, grant.playerId);
  return json({ token_type: 'Bearer', expires_in: 86_400, access_token: token, refresh_token: 'sandbox.refresh' });
}

export function answerMe({ headers }: Ask, world: BeatmapWorld): Answer {
  const id = grantsOf(world).tokens.get(bearerOf(headers.authorization));
  const player = world.players.find(each => each.id === id);
  if (player === undefined) return json({ authentication: 'basic' }, 401);
  return json({ ...playerShape(player, MODE_NAMES[player.playmode]), is_restricted: player.restricted });
}

/** Ends the token it is asked with. */
export function answerRevoke({ headers, method }: Ask, world: BeatmapWorld): Answer {
  const isEnded = method === 'DELETE' && grantsOf(world).tokens.delete(bearerOf(headers.authorization));
  return isEnded ? { status: 204, headers: {}, body: '' } : json({ authentication: 'basic' }, 401);
}

/** Tokens of people that still work. */
export function liveTokens(world: BeatmapWorld): number {
  return grantsOf(world).tokens.size;
}

function bearerOf(header: string | undefined): string {
  return (header ?? '').replace(/^Bearer /, '');
}
