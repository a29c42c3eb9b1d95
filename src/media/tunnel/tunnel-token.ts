import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Room for an address of 8 KiB; what is longer is not looked at. */
const MAX_TOKEN_CHARS = 12_000;
const TOKEN = /^[A-Za-z0-9_-]+$/;

/**
 * Text -> base64url(iv, AES-256-GCM ciphertext, tag). `purpose` is authenticated along, so that a token made for one use
 * is refused in another.
 * @param key 32 bytes
 */
export function sealToken(key: Buffer, purpose: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(purpose));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The sealed text, or undefined when the token is malformed, forged, or made with another key or for another purpose. */
export function unsealToken(key: Buffer, purpose: string, token: string): string | undefined {
  if (token.length > MAX_TOKEN_CHARS || !TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    // GCM says no more than "unable to authenticate".
    return undefined;
  }
}
