import type { Translator } from '../../../i18n/translate.ts';
import { headingBlock, type Reply, reply } from '../../contract/reply.ts';
import { BLOCK_KINDS, type Blocked, type BlockKind } from '../../stores/block-list.ts';
import { notice } from '../notice.ts';

type Change = 'added' | 'known' | 'full' | 'removed' | 'absent';

/** Of a kind that are shown; the newest are. */
const MAX_SHOWN = 50;

export function renderBlockChange(change: Change, kind: BlockKind, id: string, t: Translator): Reply {
  const words = t.messages.owner;
  return notice(words.blockChange[change]({ kind: words.blockKinds[kind], id }));
}

export function renderBlocked(blocked: Blocked, t: Translator): Reply {
  const words = t.messages.owner;
  const kinds = BLOCK_KINDS.filter(kind => blocked[kind].length > 0);
  if (kinds.length === 0) return notice(words.nothingBlocked);
  return reply({
    blocks: [
      headingBlock([words.blockedTitle]),
      {
        kind: 'fields',
        fields: kinds.map(kind => ({
          label: `${words.blockKinds[kind]} (${blocked[kind].length})`,
          value: blocked[kind]
            .slice(-MAX_SHOWN)
            .flatMap((id, index) => [...(index === 0 ? [] : [', ']), { kind: 'code' as const, children: [id] }]),
        })),
      },
    ],
    visibility: 'caller',
  });
}
