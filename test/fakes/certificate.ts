import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** PEM texts. `cert` is its own authority: trust it to trust the server. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALT_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';

/** A self-signed certificate for the given host names, valid from yesterday for a year. */
export function createCertificate(hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, hex(ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, hex(COMMON_NAME), der(0x0c, Buffer.from('Medley test')))));
  const dayMs = 86_400_000;
  const validity = der(SEQUENCE, time(Date.now() - dayMs), time(Date.now() + 365 * dayMs));
  const names = hosts.map(host => der(0x82, Buffer.from(host, 'latin1')));
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, hex(SUBJECT_ALT_NAME), der(0x04, der(SEQUENCE, ...names))),
    der(SEQUENCE, hex(BASIC_CONSTRAINTS), der(0x01, hex('ff')), der(0x04, der(SEQUENCE, der(0x01, hex('ff'))))),
  );
  const serial = Buffer.concat([hex('01'), randomBytes(8)]);
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, serial),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey));
  const base64 = der(SEQUENCE, body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
  };
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function time(unixMs: number): Buffer {
  const text = new Date(unixMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
