import type { FailureTally } from '../../../infra/failure-tally.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { renderFailures } from '../../views/owner/failures.ts';

/** What failed in this process lately, by cause. */
export function createOwnerLogs(failures: Pick<FailureTally, 'list'>) {
  return defineCommand({
    name: 'owner logs',
    options: {},
    visibility: 'caller',
    cost: 0,
    run: async (_values, { t }: CommandContext) => renderFailures(failures.list(), t),
  });
}
