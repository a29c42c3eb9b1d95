import { z } from 'zod';

/** What Facebook's pages want to see, as data. Values as of 2026-08; each can be overridden by its key (`facebook.userAgent`). */
export interface FacebookConstants {
  readonly userAgent: string;
  /** English keeps counts (`4.7K`) and error texts readable for us. */
  readonly acceptLanguage: string;
}

const DEFAULTS: FacebookConstants = {
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  acceptLanguage: 'en-US,en;q=0.9',
};

const header = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);

const SCHEMA = z.strictObject({ userAgent: header, acceptLanguage: header });
const PREFIX = 'facebook.';

/**
 * The defaults with the entries of `overrides` whose keys begin with `facebook.` laid over them.
 * @throws Error naming the keys that are unknown or malformed.
 */
export function createFacebookConstants(overrides: Readonly<Record<string, string>> = {}): FacebookConstants {
  const own = Object.entries(overrides)
    .filter(([key]) => key.startsWith(PREFIX))
    .map(([key, value]) => [key.slice(PREFIX.length), value]);
  const result = SCHEMA.safeParse({ ...DEFAULTS, ...Object.fromEntries(own) });
  if (result.success) return result.data;
  const wrong = result.error.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path));
  throw new Error(`wrong Facebook constants: ${wrong.map(key => PREFIX + String(key)).join(', ')}`);
}
