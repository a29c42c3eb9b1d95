import { OAuth2Scopes } from 'discord.js';
import { WANTED_PERMISSIONS } from './permissions.ts';

/** Where Medley is added to a server or an account. */
export function inviteUrl(applicationId: string): string {
  const url = new URL('https://discord.com/oauth2/authorize');
  url.searchParams.set('client_id', applicationId);
  url.searchParams.set('scope', [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '));
  url.searchParams.set('permissions', WANTED_PERMISSIONS.toString());
  return url.href;
}

/** A token begins with the application's id; undefined for what is no token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}
