import { describe, expect, it } from 'vitest';
import { FACEBOOK_IDS, facebook, facebookProfiles } from '../../../../src/media/sources/facebook/descriptor.ts';
import { readConstants } from '../../../../src/media/sources/kit/constants.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { noHttp } from '../../../fakes/no-http.ts';

const createFacebookConstants = (overrides: Readonly<Record<string, string>>) =>
  readConstants({ id: 'facebook', ids: FACEBOOK_IDS, profiles: facebookProfiles }, overrides);
const createFacebook = (upstreamConstants: Readonly<Record<string, string>>) =>
  facebook.create({ http: noHttp(), log: silentLog, upstreamConstants });

describe('the constants of Facebook', () => {
  it('lays ids over the defaults, for every caller that says them', () => {
    const { graphVersion, profiles } = createFacebookConstants({
      'facebook.graphVersion': 'v26.0',
      'facebook.userAgent': 'Mozilla/5.0 (Test)',
      'instagram.mediaIdDocId': 'ignored',
    });
    expect(graphVersion).toBe('v26.0');
    expect(profiles['reel-page/plain'].userAgent).toBe('Mozilla/5.0 (Test)');
    expect(profiles['embed/plain'].userAgent).toBe('Mozilla/5.0 (Test)');
    expect(profiles['embed/crawler'].userAgent).toMatch(/^facebookexternalhit/);
    expect(profiles['reel-page/browser']).toMatchObject({ userAgent: null, transport: 'browser', session: 'none' });
  });

  it('lays the fields of one strategy over its profile alone', () => {
    const { profiles } = createFacebookConstants({
      'facebook.reel-page/plain.transport': 'browser',
      'facebook.reel-page/plain.userAgent': 'own',
      'facebook.oembed.timeoutMs': '2500',
    });
    expect(profiles['reel-page/plain']).toMatchObject({ transport: 'browser', userAgent: null });
    expect(profiles['post-page/plain'].transport).toBe('plain');
    expect(profiles.oembed.timeoutMs).toBe(2_500);
  });

  it.each([
    { 'facebook.noSuchThing': '1' },
    { 'facebook.no-such-strategy.transport': 'plain' },
    { 'facebook.embed/crawler.noSuchField': '1' },
    { 'facebook.embed/crawler.transport': 'perhaps' },
    { 'facebook.embed/crawler.session': 'account' },
    { 'facebook.graphVersion': '../me' },
    { 'facebook.userAgent': 'two\r\nlines: 1' },
  ])('refuses %j and names the key', overrides => {
    expect(() => createFacebook(overrides)).toThrow(Object.keys(overrides)[0]);
  });

  it('names every wrong key at once', () => {
    const overrides = { 'facebook.noSuchThing': '1', 'facebook.embed/plain.timeoutMs': 'soon' };
    expect(() => createFacebook(overrides)).toThrow('facebook.noSuchThing, facebook.embed/plain.timeoutMs');
  });
});
