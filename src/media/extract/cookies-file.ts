import { Cookie } from 'tough-cookie';

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
