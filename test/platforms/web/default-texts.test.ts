import { expect, it } from 'vitest';
import { en } from '../../../src/i18n/en.ts';
import { DEFAULT_TEXTS } from '../../../src/platforms/web/page/default-texts.ts';

it('says in English what the server says, before it has said anything', () => {
  expect(en.web).toMatchObject(DEFAULT_TEXTS);
});
