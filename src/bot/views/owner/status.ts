import type { Translator } from '../../../i18n/translate.ts';
import type { StrategyFigures } from '../../../media/extract/source.ts';
import type { RuntimeStatus } from '../../contract/chat-platform.ts';
import { type Block, headingBlock, type Reply, reply, type Text } from '../../contract/reply.ts';

export interface OwnerStatus {
  /** Undefined as long as the chats are not there yet. */
  readonly chats: RuntimeStatus | undefined;
  readonly sources: readonly { readonly name: string; readonly strategies: readonly StrategyFigures[] }[];
  readonly process: { readonly memoryBytes: number; readonly startedAt: number; readonly nodeVersion: string };
}

const MEBIBYTE = 1024 * 1024;

export function renderOwnerStatus({ chats, sources, process }: OwnerStatus, version: string, t: Translator): Reply {
  const words = t.messages.owner;
  return reply({
    blocks: [
      headingBlock([`Medley ${version}`]),
      {
        kind: 'fields',
        fields: [
          { label: 'Node', value: [process.nodeVersion] },
          { label: words.memory, value: [`${Math.round(process.memoryBytes / MEBIBYTE)} MiB`] },
          { label: words.started, value: [{ kind: 'time', at: process.startedAt, style: 'relative' }] },
          ...(chats === undefined ? [] : [{ label: words.queue, value: queueText(chats, t) }]),
          ...(chats?.platforms ?? []).map(({ platform, state, since, reason }) => ({
            label: platform,
            value: [
              `${state} `,
              { kind: 'time', at: since, style: 'relative' } as const,
              ...(reason === undefined ? [] : [` (${reason})`]),
            ],
          })),
        ],
      },
      ...sources.flatMap(({ name, strategies }): readonly Block[] => [
        { kind: 'divider' },
        headingBlock([name]),
        { kind: 'fields', fields: strategies.map(each => ({ label: each.strategy, value: standing(each, t) })) },
      ]),
    ],
    visibility: 'caller',
  });
}

function queueText({ waiting, running, oldestAt }: RuntimeStatus, t: Translator): Text {
  const depth = t.messages.owner.queueDepth({ waiting, running });
  if (oldestAt === undefined) return [depth];
  return [depth, ', ', t.messages.owner.oldest, ' ', { kind: 'time', at: oldestAt, style: 'relative' }];
}

function standing({ successRate, medianMs, coolsUntil, waitsUntil, last }: StrategyFigures, t: Translator): Text {
  const words = t.messages.owner;
  const parts = [
    ...(successRate === null ? [words.untried] : [`${Math.round(successRate * 100)} %`]),
    ...(medianMs === null ? [] : [`${medianMs} ms`]),
    ...(coolsUntil === null ? [] : [words.dead]),
    ...(waitsUntil === null ? [] : [words.resting]),
    ...(last === null ? [] : [words.last({ outcome: last.outcome })]),
  ];
  return [parts.join(', ')];
}
