import { describe, expect, it, onTestFinished } from 'vitest';
import { openTextTranslation } from '../../src/infra/text-translation.ts';
import { serveHttp } from '../fakes/loopback.ts';

async function open(answer: (form: string) => readonly [status: number, body: string]) {
  const asked: { readonly url: string | undefined; readonly form: string }[] = [];
  const { origin } = await serveHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const form = Buffer.concat(parts).toString();
    asked.push({ url: request.url, form });
    const [status, body] = answer(form);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const translation = await openTextTranslation(`${origin}/translate?api_key=hush`);
  onTestFinished(() => translation.close());
  return { asked, translation };
}

const { signal } = new AbortController();

describe('a translation', () => {
  it('is asked for once, as text, into the language of the reader', async () => {
    const { asked, translation } = await open(() => [200, '{"translatedText":"Good morning","more":1}']);
    const both = ['pt-BR', 'pt-BR'].map(locale => translation.translate('Selamat pagi & <b>', locale, signal));
    expect(await Promise.all(both)).toEqual(['Good morning', 'Good morning']);
    expect(await translation.translate('Selamat pagi & <b>', 'pt-BR', signal)).toBe('Good morning');
    expect(asked.map(({ url }) => url)).toEqual(['/translate?api_key=hush']);
    const fields = [...(asked[0]?.form ?? '').matchAll(/name="(\w+)"\r\n\r\n([^\r]*)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(Object.fromEntries(fields)).toEqual({
      q: 'Selamat pagi & <b>',
      source: 'auto',
      target: 'pt',
      format: 'text',
    });
  });

  it.each([
    ['an error', 429, '{"error":"Slowdown"}'],
    ['no JSON', 200, '<html>'],
    ['nothing translated', 200, '{"translatedText":""}'],
  ])('that comes as %s is one calm failure, which is not kept', async (_, status, body) => {
    const { asked, translation } = await open(() => [status, body]);
    const failure = { code: 'upstream_unavailable', params: { what: 'translation' } };
    await expect(translation.translate('Selamat pagi', 'en', signal)).rejects.toMatchObject(failure);
    await expect(translation.translate('Selamat pagi', 'en', signal)).rejects.toMatchObject(failure);
    expect(asked).toHaveLength(2);
  });

  it('that cannot be reached names no address', async () => {
    const translation = await openTextTranslation('http://127.0.0.1:1/translate?api_key=hush');
    onTestFinished(() => translation.close());
    const failure = await translation.translate('Selamat pagi', 'en', signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'upstream_unavailable' });
    expect(JSON.stringify(failure)).not.toContain('hush');
  });
});

describe('a foreign text', () => {
  it.each([
    ['Hari ini kami membuka toko baru di dekat pasar #toko', 'en', true],
    ['Hari ini kami membuka toko baru di dekat pasar #toko', 'id', false],
    ['Centring for beginners, take your time', 'en', false],
    ['Centring for beginners, take your time', 'zh-CN', true],
    ['今日は窯を開けました。とてもきれいです。本当に嬉しい', 'en', true],
    ['今日は窯を開けました。とてもきれいです。本当に嬉しい', 'ja', false],
    ['Ce matin au marché de Provence, la lumière était belle', 'pt-BR', true],
    ['Bonjour', 'en', false],
    ['https://example.com/ein/sehr/langer/weg @ein_mensch #kunst 123', 'en', false],
    ['', 'en', false],
  ])('%s for a reader of %s: %s', async (text, locale, isForeign) => {
    const translation = await openTextTranslation('http://127.0.0.1:1/');
    onTestFinished(() => translation.close());
    expect(translation.isForeign(text, locale)).toBe(isForeign);
  });
});
