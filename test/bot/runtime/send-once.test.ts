import { expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply.ts';
import { createReplyEdits } from '../../../src/bot/runtime/send-once.ts';
import { createRecordingLog } from '../../fakes/log.ts';

const better = reply({ blocks: [{ kind: 'text', text: ['all of it'] }] });

it('shows what came late once, and what cannot be shown stays as it is', async () => {
  const log = createRecordingLog();
  const edits = createReplyEdits({ log });
  const shown: string[] = [];
  edits.add(Promise.resolve(better), async () => void shown.push('a'));
  edits.add(Promise.resolve(undefined), async () => void shown.push('b'));
  edits.add(Promise.resolve(better), () => Promise.reject(new Error('it was deleted')));
  await expect.poll(() => [shown, log.lines.length]).toEqual([['a'], 1]);
});

it('shows nothing any more when Medley stops', async () => {
  const edits = createReplyEdits({ log: createRecordingLog() });
  const shown: string[] = [];
  const late = Promise.resolve(better);
  edits.add(late, async () => void shown.push('a'));
  edits.close();
  await late;
  await Promise.resolve();
  expect(shown).toEqual([]);
});
