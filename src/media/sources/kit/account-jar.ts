import { type Cookie, CookieJar } from 'tough-cookie';

/** The cookies of an account for one site; those of others are left out. */
export function createAccountJar(cookies: readonly Cookie[], site: string): CookieJar {
  const jar = new CookieJar();
  for (const cookie of cookies) {
    const domain = cookie.domain ?? '';
    if (domain !== site && !domain.endsWith(`.${site}`)) continue;
    jar.setCookieSync(cookie.toString(), `https://${domain}/`, { ignoreError: true });
  }
  return jar;
}
