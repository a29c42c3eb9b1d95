import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Cookie } from 'tough-cookie';
import type { AccountCookies } from './accounts.ts';
import { cookiesVariable } from './source-descriptor.ts';

const MAX_LINES = 5_000;
/** In exports of browsers, this prefix of the domain marks a cookie that scripts of pages cannot read. */
const HTTP_ONLY = '#HttpOnly_';

function parseLine(line: string): Cookie | null {
  const httpOnly = line.startsWith(HTTP_ONLY);
  const fields = (httpOnly ? line.slice(HTTP_ONLY.length) : line).split('\t');
  const [domain = '', , path = '', secure = '', expires = '', key = '', value = ''] = fields;
  if (domain.startsWith('#') || fields.length < 7 || key === '') return null;
  const seconds = /^\d{1,12}$/.test(expires) ? Number(expires) : 0;
  return new Cookie({
    key,
    value,
    domain: domain.replace(/^\./, '').toLowerCase(),
    path: path.startsWith('/') ? path : '/',
    secure: secure.toUpperCase() === 'TRUE',
    httpOnly,
    // An expiry of 0 means a session cookie.
    expires: seconds === 0 ? 'Infinity' : new Date(seconds * 1000),
    hostOnly: !domain.startsWith('.'),
  });
}

/**
 * The cookies of a Netscape `cookies.txt` (tab-separated domain, subdomains, path, secure, expiry, name, value).
 * Comments and lines that are not cookies are skipped; expired cookies are kept, since a cookie jar never sends them.
 */
export function parseCookiesFile(text: string): Cookie[] {
  return text.split(/\r?\n/, MAX_LINES).flatMap(line => parseLine(line) ?? []);
}

/** The most files that are read from a folder. */
const MAX_FILES = 100;

/**
 * Reads the cookies of the sites' accounts, by source: each path is a file, or a folder with a file for each account.
 * @throws Error whose message says which path cannot be read
 */
export async function readCookies(
  paths: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<string, readonly AccountCookies[]>> {
  const accounts = new Map<string, readonly AccountCookies[]>();
  for (const [id, path] of Object.entries(paths)) {
    if (path === undefined) continue;
    try {
      accounts.set(id, await readAccounts(path));
    } catch (cause) {
      throw new Error(`${cookiesVariable({ id })} cannot be read: ${path}`, { cause });
    }
  }
  return accounts;
}

async function readAccounts(path: string): Promise<readonly AccountCookies[]> {
  const isFolder = (await stat(path)).isDirectory();
  const entries = isFolder ? await readdir(path, { withFileTypes: true }) : [];
  const found = entries.filter(entry => !entry.isDirectory() && !entry.name.startsWith('.'));
  const names = found.map(({ name }) => join(path, name)).sort();
  const files = isFolder ? names.slice(0, MAX_FILES) : [path];
  return Promise.all(
    files.map(async file => ({ name: basename(file), cookies: parseCookiesFile(await readFile(file, 'utf8')) })),
  );
}
