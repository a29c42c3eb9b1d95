/** Files of TikTok's CDN: signed, with an end, and for those alone who name the site and bring the mark of its page. */
import { createHmac } from 'node:crypto';
import { type Answer, type Ask, plain } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import type { MediaFile } from '../media.ts';
import type { SiteStage } from '../site.ts';

export const CHAIN_TOKEN = 'SandboxChainToken0000';
const LIFETIME_MS = 48 * 3_600_000;
const HOSTS = { video: 'v16-webapp-prime.tiktok.com', image: 'p16-sign-va.tiktokcdn.com' } as const;

function sign(path: string, expire: string): string {
  return createHmac('sha256', 'sandbox').update(`${path} ${expire}`).digest('hex').slice(0, 32);
}

/** `variant` distinguishes two uses of one file. */
export function fileUrl(name: string, { files, now }: SiteStage, variant = 'play'): string {
  const file = files.get(name);
  if (file === undefined) throw new Error(`no such file in test/fixtures/media: ${name}`);
  const expire = String(Math.floor((now() + LIFETIME_MS) / 1000));
  if (file.type === 'image/jpeg') {
    const path = `/tos-maliva-i-photomode-us/${file.key.slice(0, 32)}~tplv-photomode-image.jpeg`;
    return `https://${HOSTS.image}${path}?x-expires=${expire}&x-signature=${sign(path, expire)}`;
  }
  const path = `/video/tos/useast2a/${variant}/${file.key.slice(0, 32)}/`;
  const type = file.type.replace('/', '_');
  return `https://${HOSTS.video}${path}?a=1988&mime_type=${type}&expire=${expire}&signature=${sign(path, expire)}&tk=tt_chain_token`;
}

function fileAt(pathname: string, files: SiteStage['files']): MediaFile | undefined {
  return [...files.values()].find(({ key }) => pathname.includes(key.slice(0, 32)));
}

export function answerFileOf(ask: Ask, { files, now }: SiteStage): Answer {
  const { pathname, searchParams } = ask.url;
  const isImage = ask.host === HOSTS.image;
  const expire = searchParams.get(isImage ? 'x-expires' : 'expire') ?? '';
  const signature = searchParams.get(isImage ? 'x-signature' : 'signature');
  if (signature !== sign(pathname, expire) || Number(expire) * 1000 < now()) return plain(403, 'Access Denied');
  const isKnown = ask.cookies.get('tt_chain_token') === CHAIN_TOKEN;
  const isOfSite = (ask.headers.referer ?? '').startsWith('https://www.tiktok.com/');
  if (!isImage && !(isKnown && isOfSite)) return plain(403, 'Access Denied');
  const file = fileAt(pathname, files);
  return file === undefined ? plain(404, 'Not Found') : answerFile(ask, file);
}
