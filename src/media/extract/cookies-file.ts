import { readFile } from 'node:fs/promises';
import { Cookie } from 'tough-cookie';
import { cookiesVariable } from './source-descriptor.ts';

const MAX_LINES = 5_000;
/** Browsers' exports mark cookies that scripts cannot see by this in front of the domain. */
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
    // 0 marks a session cookie.
    expires: seconds === 0 ? 'Infinity' : new Date(seconds * 1000),
    hostOnly: !domain.startsWith('.'),
  });
}

/**
 * The cookies of a Netscape `cookies.txt` (tab-separated domain, subdomains, path, secure, expiry, name, value). Comments and
 * lines that are no cookie are passed over; expired cookies are kept, a jar does not send them.
 */
export function parseCookiesFile(text: string): Cookie[] {
  return text.split(/\r?\n/, MAX_LINES).flatMap(line => parseLine(line) ?? []);
}

/** Of the sites' accounts, by source. @throws Error whose message says which file cannot be read */
export async function readCookies(
  files: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<string, readonly Cookie[]>> {
  const cookies = new Map<string, readonly Cookie[]>();
  for (const [id, path] of Object.entries(files)) {
    if (path === undefined) continue;
    try {
      cookies.set(id, parseCookiesFile(await readFile(path, 'utf8')));
    } catch (cause) {
      throw new Error(`${cookiesVariable({ id })} cannot be read: ${path}`, { cause });
    }
  }
  return cookies;
}
