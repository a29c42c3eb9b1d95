/** This file removes private values from a recorded answer. It is pure and linear in the text's length. */

const REMOVED = 'removed';

/** Names of values that identify a session, device, account or address. Names in capitals match only in capitals. */
const PRIVATE_NAMES: ReadonlySet<string> = new Set(
  'lsd fb_dtsg dtsg dtsg_ag async_get_token token csrf_token csrftoken x-csrftoken csrf-token access_token accesstoken jazoest nonce sessionid session_id sid datr _js_datr sb fr mid ig_did ig_nrcb rur shbid shbts ds_user_id c_user xs presence device_id deviceid machine_id machineid haste_session hsi __hsi __s __user __dyn __csr viewer_id viewerid USER_ID ACCOUNT_ID ig_user_eimu actorid client_ip clientip ip_address ipaddress remote_ip encrypted_context lgnrnd lgndim _js_ig_did wd'.split(
    ' ',
  ),
);
/** Names of ids that a site gives to a visitor without an account. */
const VISITOR_ID = /^non_[a-z]{1,20}_user_id$/;
const COOKIES = /^(?:_js_\w{1,20}|datr|csrftoken|sessionid|ig_did|c_user|xs)$/;
/** Query parameters that sign an address or track a visitor. */
const PRIVATE_PARAMETERS =
  'oh|_nc_ohc|_nc_oc|_nc_gid|_nc_ss|_nc_rid|_nc_eui2|_nc_hot|sig|signature|hash|access_token|rdid|mibextid|igsh|igshid|fbclid|__tn__|__cft__(?:\\[0\\])?|lsd|fb_dtsg|jazoest|nonce|token';

/** A quotation mark: plain, behind up to eight backslashes (JSON inside a script's string), or as an HTML entity. */
const QUOTE = '(?:\\\\{0,8}["\']|&quot;|&#0?39;)';
const NAME = '[\\w-]{1,40}';
/** A value: the text up to the next quotation mark of any kind. Its slashes may be escaped. */
const VALUE = '(?:(?!&quot;|&#0?39;)(?:[^"\'\\\\<>]|\\\\{1,8}/)){0,4000}';
/** Matches `"name":"value"`, `name:"value"`, `"name":123`, and `["name","value"`. */
const PAIR = new RegExp(
  `(${QUOTE})?(${NAME})(${QUOTE})?(\\s{0,4}[:,]\\s{0,4})(?:(${QUOTE})(${VALUE})(?=\\\\{0,8}["']|&quot;|&#0?39;)|(-?\\d{1,30})(?![\\w.]))`,
  'g',
);
/** HTML tags that may have a name and a value as attributes, in any order. */
const TAG = /<(?:input|meta|script|style|link)\b[^<>]{1,4000}>/gi;
const ATTRIBUTE = /(\s)(value|content|nonce)=("[^"]{0,4000}"|'[^']{0,4000}')/gi;
const PARAMETER = new RegExp(
  `(^|[?&;]|\\\\{1,8}u0026|%26|%3F|%253F|%2526)(${PRIVATE_PARAMETERS})(=|\\\\{1,8}u003D|%3D|%253D)(?:(?!%26|%2526|&quot;|\\\\{1,8}u0026)[^&"'\\\\<>\\s]){1,4000}`,
  'gi',
);

function isPrivate(name: string | undefined): boolean {
  if (name === undefined || name === 'mediaset_token') return false;
  if (PRIVATE_NAMES.has(name) || PRIVATE_NAMES.has(name.toLowerCase())) return true;
  return name.endsWith('_token') || VISITOR_ID.test(name.toLowerCase());
}

type Groups = readonly (string | undefined)[];

/** True when a pair matched by `PAIR` has a private name and a value. */
function isPrivatePair([open, name = '', , colon = '', quote, value, number]: Groups): boolean {
  if (!isPrivate(name) || value === '' || value === '0' || number === '0') return false;
  // A pair with a comma is private only if it is a cookie that a script sets: `["_js_datr","..."]`.
  return !colon.includes(',') || (open !== undefined && quote !== undefined && COOKIES.test(name));
}

function withoutPairs(text: string): string {
  return text.replace(PAIR, (whole, ...groups: Groups) => {
    if (!isPrivatePair(groups)) return whole;
    const [open = '', name = '', close = '', colon = '', quote = '', , number] = groups;
    return `${open}${name}${close}${colon}${number === undefined ? quote + REMOVED : '0'}`;
  });
}

/** The private values in a text. Short ones are left out, because they would also match harmless text elsewhere. */
export function findSecrets(text: string): readonly string[] {
  const values = [...text.matchAll(PAIR)].flatMap(([, ...groups]) => (isPrivatePair(groups) ? (groups[5] ?? []) : []));
  return [...new Set(values)].filter(value => value.length >= 8 && value !== REMOVED);
}

function withoutAttributes(text: string): string {
  return text.replace(TAG, tag => {
    const name = /\sname=["']?([\w-]{1,40})/i.exec(tag)?.[1];
    return tag.replace(ATTRIBUTE, (whole, space: string, attribute: string) =>
      isPrivate(name) || attribute.toLowerCase() === 'nonce' ? `${space}${attribute}="${REMOVED}"` : whole,
    );
  });
}

function withoutSecret(text: string, secret: string): string {
  // A number without quotation marks is replaced by another number, so that the JSON stays valid.
  if (/^\d+$/.test(secret)) return text.replace(new RegExp(`(?<!\\d)${secret}(?!\\d)`, 'g'), '0');
  return text.replaceAll(secret, REMOVED).replaceAll(encodeURIComponent(secret), REMOVED);
}

/**
 * Removes session tokens, ids of the visitor's account and device, signatures of addresses, and the given `secrets`,
 * such as cookies. Everything about the post stays, and JSON stays valid.
 */
export function sanitizeText(text: string, secrets: readonly string[] = []): string {
  const long = [...new Set([...secrets, ...findSecrets(text)])].filter(secret => secret.length >= 5);
  const known = long.sort((a, b) => b.length - a.length).reduce(withoutSecret, text);
  return withoutAttributes(withoutPairs(known)).replace(PARAMETER, `$1$2$3${REMOVED}`);
}

/** Headers that describe the answer and say nothing about who asked. */
const KEPT_HEADERS: ReadonlySet<string> = new Set(
  'accept accept-language cache-control content-encoding content-language content-length content-type date link location origin referer retry-after sec-fetch-dest sec-fetch-mode sec-fetch-site server user-agent x-asbd-id x-fb-friendly-name x-ig-app-id'.split(
    ' ',
  ),
);

/** Keeps only headers that are known to be harmless, with their values sanitized. */
export function sanitizeHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, value]) => [name, sanitizeText(value, secrets)]));
}
