import { describe, expect, it } from 'vitest';
import { sanitizeHeaders, sanitizeText } from '../../src/doctor/sanitize.ts';
import { cpuMsOf } from '../cpu-time.ts';

const SECRET = 'AVqHiddenToken-_9:16:1761';

describe('sanitizeText', () => {
  it.each([
    ['a token in JSON', `{"LSD":{"token":"${SECRET}"},"x":1}`],
    ['a token beside its module', `["LSD",[],{"token":"${SECRET}"},323]`],
    ['JSON inside a string', `{"text":"{\\"fb_dtsg\\":\\"${SECRET}\\"}"}`],
    ['JSON inside a string inside a string', `"{\\\\\\"csrf_token\\\\\\":\\\\\\"${SECRET}\\\\\\"}"`],
    ['a key without quotes', `s.handle({lsd:"${SECRET}",other:1})`],
    ['a token of tracking', `{"organic_tracking_token":"${SECRET}"}`],
    ['a token with escaped slashes', `{"token":"AV\\/${SECRET}\\/x=="}`],
    ['single quotes', `{'csrftoken': '${SECRET}'}`],
    ['entities', `data-store="{&quot;lsd&quot;:&quot;${SECRET}&quot;}"`],
    ['a cookie that a script sets', `["_js_datr","${SECRET}",63072000000,"/",true]`],
    ['a hidden field', `<input type="hidden" name="lsd" value="${SECRET}" autocomplete="off" />`],
    ['a hidden field the other way round', `<input value='${SECRET}' type=hidden name=jazoest>`],
    ['a meta tag', `<meta name="csrf-token" content="${SECRET}">`],
    ['a nonce', `<script nonce="${SECRET}">go()</script>`],
    ['a form', `lsd=${SECRET}&doc_id=1`],
    ['a token that stands elsewhere too', `{"l":"${SECRET}","define":["LSD",[],{"token":"${SECRET}"}]}`],
    ['a signature', `https://video.xx.fbcdn.net/v/a.mp4?_nc_cat=1&oh=00_Af${SECRET}&oe=6A1B2C3D`],
    ['a signature in JSON', `"https:\\/\\/video.xx.fbcdn.net\\/v\\/a.mp4?_nc_cat=1\\u0026oh=00_${SECRET}\\u0026oe=6A"`],
    ['a signature in HTML', `src="https://scontent.xx.fbcdn.net/a.jpg?x=1&amp;_nc_ohc=${SECRET}&amp;oe=6A"`],
    ['a signature in a parameter', `?next=https%3A%2F%2Fa.example%2F%3Foh%3D${SECRET}%26oe%3D6A`],
    ['what follows a visitor', `https://www.facebook.com/reel/1/?rdid=${SECRET}&share_url=x`],
  ])('removes %s', (_, text) => {
    const clean = sanitizeText(text);
    expect(clean).not.toContain('Hidden');
    expect(clean).toContain('removed');
  });

  it.each(['USER_ID', 'ACCOUNT_ID', 'viewer_id', 'actorID'])('removes the account by %s, as text or number', key => {
    const clean = sanitizeText(`{"${key}":"100064123456789","b":{"${key}":100064123456789}}`);
    expect(clean).not.toContain('100064123456789');
    expect(JSON.parse(clean)).toEqual({ [key]: '0', b: { [key]: 0 } });
  });

  it('removes known values wherever they stand', () => {
    const clean = sanitizeText('a 4567%3AabCD%3A12 b 4567:abCD:12 c', ['4567:abCD:12']);
    expect(clean).toBe('a removed b removed c');
    expect(sanitizeText('1 and 12', ['1', '12'])).toBe('1 and 12');
  });

  it('leaves alone what describes the post', () => {
    const post = {
      id: '1184420716302551',
      owner: { id: '100061200345673', name: 'Ostvik Tram Museum', username: 'ostvik' },
      message: { text: 'token of love: lsd, oh=1 & more' },
      browser_native_hd_url: 'https://video.xx.fbcdn.net/v/t42/tram.mp4?_nc_cat=104&oe=6A1B2C3D&tag=hd',
      viewer_image: { width: 1080, height: 1350 },
      mediaset_token: 'pcb.1160563418981189',
      USER_ID: '0',
      token: '',
    };
    const text = JSON.stringify(post);
    expect(sanitizeText(text)).toBe(text);
    const script = `<script>requireLazy(["token","second"],function(token,b){b(token)})</script>`;
    expect(sanitizeText(script)).toBe(script);
  });

  it('keeps JSON readable and does nothing twice', () => {
    const text = JSON.stringify({
      define: [['LSD', [], { token: SECRET }, 323]],
      cookies: { _js_datr: { value: SECRET, max: 5 }, datr: SECRET },
      nested: JSON.stringify({ fb_dtsg: SECRET, url: `https://a.example/?oh=${SECRET}&oe=1` }),
    });
    const once = sanitizeText(text, [SECRET]);
    expect(once).not.toContain('Hidden');
    const json = JSON.parse(once);
    expect(json.define[0][3]).toBe(323);
    expect(JSON.parse(json.nested)).toEqual({ fb_dtsg: 'removed', url: 'https://a.example/?oh=removed&oe=1' });
    expect(sanitizeText(once, [SECRET])).toBe(once);
  });

  it.each([
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['names', '"lsd":"'],
    ['tags', '<input name="'],
    ['parameters', '?oh='],
    ['entities', '&quot;'],
  ])('takes a megabyte of %s in its stride', (_, piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const tookMs = cpuMsOf(() => {
      sanitizeText(text);
    });
    expect(tookMs).toBeLessThan(4_000);
  });
});

describe('sanitizeHeaders', () => {
  it('keeps what is known to be harmless, sanitized', () => {
    const headers = sanitizeHeaders({
      'content-type': 'text/html',
      location: `https://www.facebook.com/login/?next=x&rdid=${SECRET}`,
      'set-cookie': `datr=${SECRET}`,
      cookie: `sessionid=${SECRET}`,
      'x-fb-debug': SECRET,
      'x-fb-lsd': SECRET,
    });
    expect(headers).toEqual({
      'content-type': 'text/html',
      location: 'https://www.facebook.com/login/?next=x&rdid=removed',
    });
  });
});
