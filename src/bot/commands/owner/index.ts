import type { FailureTally } from '../../../infra/failure-tally.ts';
import type { Command } from '../../contract/command.ts';
import type { BlockList } from '../../stores/block-list.ts';
import type { DescribedCommand } from '../index.ts';
import { createOwnerBlock, createOwnerBlocked, createOwnerUnblock } from './blocks.ts';
import { createOwnerLogs } from './logs.ts';
import { createOwnerStatus, type OwnerStatusOptions } from './status.ts';

export interface OwnerCommandsOptions extends OwnerStatusOptions {
  readonly blocks: BlockList;
  readonly failures: Pick<FailureTally, 'list'>;
}

/** For those who run this Medley; no help and no menu lists them. */
export function createOwnerCommands({ blocks, failures, ...status }: OwnerCommandsOptions): readonly Command[] {
  return [
    createOwnerStatus(status),
    createOwnerBlock(blocks),
    createOwnerUnblock(blocks),
    createOwnerBlocked(blocks),
    createOwnerLogs(failures),
  ] satisfies readonly DescribedCommand[];
}
