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
  return { page, notices: () => heard.filter(({ type }) => type === 'notice').length };
}

it('announces a wait for the rate limit once, to a page that is there', () => {
  const answers = new PageAnswers({ limits: WEB_LIMITS, now: () => 0, onOrphaned: () => undefined });
  const before = openPage();
  const { requestId } = answers.begin(before.page, 'm1');
  const wait = () => answers.progress(requestId, { kind: 'waiting', links: 2, afterMs: 60_000 });
  answers.leave(before.page);
  wait();
  const after = openPage();
  answers.repeat(after.page, 'm1');
  expect([before.notices(), after.notices()]).toEqual([0, 0]);
  wait();
  wait();
  expect([before.notices(), after.notices()]).toEqual([0, 1]);
});
