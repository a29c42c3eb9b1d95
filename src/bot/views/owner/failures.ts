import type { Translator } from '../../../i18n/translate.ts';
import type { FailureCount } from '../../../infra/failure-tally.ts';
import { headingBlock, type Reply, reply } from '../../contract/reply.ts';
import { notice } from '../notice.ts';

const MAX_SHOWN = 20;

export function renderFailures(failures: readonly FailureCount[], t: Translator): Reply {
  const words = t.messages.owner;
  if (failures.length === 0) return notice(words.noFailures);
  return reply({
    blocks: [
      headingBlock([words.logsTitle]),
      {
        kind: 'fields',
        fields: failures.slice(0, MAX_SHOWN).map(({ message, cause, count, lastAt }) => ({
          label: cause === undefined ? message : `${message}: ${cause}`,
          value: [`${count}×, `, { kind: 'time', at: lastAt, style: 'relative' } as const],
        })),
      },
    ],
    visibility: 'caller',
  });
}
