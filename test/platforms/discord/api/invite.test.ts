import { PermissionFlagsBits } from 'discord.js';
import { expect, it } from 'vitest';
import { inviteUrl } from '../../../../src/platforms/discord/api/permissions.ts';

it('names the application and asks for what is needed', () => {
  const url = new URL(inviteUrl('100000000000000001'));
  expect(url.searchParams.get('client_id')).toBe('100000000000000001');
  expect(url.searchParams.get('scope')).toBe('bot applications.commands');
  const permissions = BigInt(url.searchParams.get('permissions') ?? 0);
  expect(permissions & PermissionFlagsBits.ManageMessages).not.toBe(0n);
  expect(permissions & PermissionFlagsBits.Administrator).toBe(0n);
});
