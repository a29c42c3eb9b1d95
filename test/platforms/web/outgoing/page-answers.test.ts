import { expect, it } from 'vitest';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { type ConnectedPage, PageAnswers } from '../../../../src/platforms/web/outgoing/page-answers.ts';
import type { ServerMessage } from '../../../../src/platforms/web/page/base/protocol.ts';
import { WEB_LIMITS } from '../../../../src/platforms/web/protocol/limits.ts';
import { sampleCaller } from '../../../bot/sample.ts';

function openPage() {
  const heard: ServerMessage[] = [];
  const page: ConnectedPage = {
    caller: sampleCaller({ platform: 'web' }),
    t: createTranslator(['en']),
    outlet: { send: frame => void heard.push(frame), sendText: text => void heard.push(JSON.parse(text)) },
    onAnswered: () => undefined,
  };
  const texts = (type: 'notice' | 'progress') => heard.flatMap(frame => (frame.type === type ? [frame.text] : []));
  return { page, texts };
}

it('announces a wait for the rate limit once, with the time that is left when the page comes back', () => {
  let now = 0;
  const answers = new PageAnswers({ limits: WEB_LIMITS, now: () => now, onOrphaned: () => undefined });
  const before = openPage();
  const { requestId } = answers.begin(before.page, 'm1');
  const wait = (afterMs: number) => answers.progress(requestId, { kind: 'waiting', links: 2, afterMs });
  answers.leave(before.page);
  wait(60_000);
  now = 20_000;
  const after = openPage();
  answers.repeat(after.page, 'm1');
  const said = expect.stringMatching(/^That was a lot at once\. 2 links wait .* in 40 seconds\.$/);
  expect([after.texts('notice'), after.texts('progress')]).toEqual([[said], [said]]);
  answers.leave(after.page);
  answers.repeat(after.page, 'm1');
  wait(40_000);
  wait(40_000);
  expect([before.texts('notice'), after.texts('notice')]).toEqual([[], [said]]);
});
