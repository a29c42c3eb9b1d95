import type { Translator } from '../../i18n/translate.ts';
import type { FailureCount, FailureTally } from '../../infra/failure-tally.ts';
import type { MediaSource, StrategyFigures } from '../../media/extract/source.ts';
import type { RuntimeStatus } from '../contract/chat-platform.ts';
import { type Command, type CommandContext, defineCommand } from '../contract/command.ts';
import { type Block, headingBlock, type Inline, listed, type Reply, reply, type Text } from '../contract/reply.ts';
import { usageError } from '../contract/usage-error.ts';
import { BLOCK_KINDS, type Blocked, type BlockKind, type BlockList } from '../stores/exclusions.ts';
import { notice } from '../views/notice.ts';
import type { DescribedCommand } from './index.ts';

interface OwnerCommandsOptions extends OwnerStatusOptions {
  readonly blocks: BlockList;
  readonly failures: Pick<FailureTally, 'list'>;
}

/** Commands for the people who host this Medley; help and menus do not list them. */
export function createOwnerCommands({ blocks, failures, ...status }: OwnerCommandsOptions): readonly Command[] {
  return [
    createOwnerStatus(status),
    createOwnerBlock(blocks),
    createOwnerUnblock(blocks),
    createOwnerBlocked(blocks),
    createOwnerLogs(failures),
  ] satisfies readonly DescribedCommand[];
}

const WHICH = {
  kind: { type: 'choice', required: true, choices: BLOCK_KINDS },
  value: { type: 'string', form: 'rest', required: true, maxLength: 500 },
} as const;
const BEARING = { visibility: 'caller', cost: 0 } as const;
/** Matches an id in the form `platform:id` or `source:id`. */
const ID = /^[a-z][a-z0-9]{0,30}:[^\s/]{1,200}$/;

type Extractor = Pick<CommandContext['services']['extractor'], 'postKey' | 'extract'>;

function createOwnerBlock(blocks: BlockList) {
  return defineCommand({
    name: 'owner block',
    options: WHICH,
    ...BEARING,
    async run({ kind, value }, { services, signal, t }: CommandContext) {
      const id = await idOf(kind, value, services.extractor, signal);
      return renderBlockChange(await blocks.add(kind, id), kind, id, t);
    },
  });
}

function createOwnerUnblock(blocks: BlockList) {
  return defineCommand({
    name: 'owner unblock',
    options: WHICH,
    ...BEARING,
    async run({ kind, value }, { services, signal, t }: CommandContext) {
      const id = await idOf(kind, value, services.extractor, signal);
      return renderBlockChange((await blocks.remove(kind, id)) ? 'removed' : 'absent', kind, id, t);
    },
  });
}

function createOwnerBlocked(blocks: BlockList) {
  return defineCommand({
    name: 'owner blocked',
    options: {},
    ...BEARING,
    run: async (_values, { t }: CommandContext) => renderBlocked(await blocks.list(), t),
  });
}

/**
 * Turns the link of a post into `source:id`, and leaves other values as they are.
 * @throws AppError `invalid_request`, or the error of a short link that cannot be followed
 */
async function idOf(kind: BlockKind, value: string, extractor: Extractor, signal: AbortSignal): Promise<string> {
  if (ID.test(value)) return value;
  if (kind !== 'link') throw usageError('notBlockId', { kind });
  const known = extractor.postKey(value);
  if (known !== undefined) return known;
  const { post } = await extractor.extract(value, { signal });
  return `${post.source}:${post.id}`;
}

/** Lists the recent failures of this process by cause. */
function createOwnerLogs(failures: Pick<FailureTally, 'list'>) {
  return defineCommand({
    name: 'owner logs',
    options: {},
    visibility: 'caller',
    cost: 0,
    run: async (_values, { t }: CommandContext) => renderFailures(failures.list(), t),
  });
}

interface OwnerStatusOptions {
  readonly sources: readonly Pick<MediaSource, 'id' | 'figures'>[];
  /** Returns the status of the chat platforms; undefined until they are started. */
  readonly readChats: () => Promise<RuntimeStatus | undefined>;
}

/** Shows the state of the sites' strategies, the queue, the platforms and this process. */
function createOwnerStatus({ sources, readChats }: OwnerStatusOptions) {
  return defineCommand({
    name: 'owner status',
    options: {},
    visibility: 'caller',
    cost: 0,
    async run(_values, { services, t }: CommandContext) {
      const status = {
        chats: await readChats(),
        sources: sources.map(({ id, figures }) => ({ name: id, strategies: figures?.() ?? [] })),
        process: {
          memoryBytes: process.memoryUsage.rss(),
          startedAt: Math.round(Date.now() - process.uptime() * 1_000),
          nodeVersion: process.version,
        },
      };
      return renderOwnerStatus(status, services.version, t);
    },
  });
}

type Change = 'added' | 'known' | 'full' | 'removed' | 'absent';

/** How many entries of each kind are shown; the newest ones are. */
const MAX_SHOWN = 50;

function renderBlockChange(change: Change, kind: BlockKind, id: string, t: Translator): Reply {
  const words = t.messages.owner;
  return notice(words.blockChange[change]({ kind: words.blockKinds[kind], id }));
}

function renderBlocked(blocked: Blocked, t: Translator): Reply {
  const words = t.messages.owner;
  const kinds = BLOCK_KINDS.filter(kind => blocked[kind].length > 0);
  if (kinds.length === 0) return notice(words.nothingBlocked);
  return reply({
    blocks: [
      headingBlock([words.blockedTitle]),
      {
        kind: 'fields',
        fields: kinds.map(kind => ({
          label: t.messages.joining.aside({ words: words.blockKinds[kind], aside: t.number(blocked[kind].length) }),
          value: listed(
            blocked[kind].slice(-MAX_SHOWN).map((id): Inline => ({ kind: 'code', children: [id] })),
            t,
          ),
        })),
      },
    ],
    visibility: 'caller',
  });
}

const MAX_FAILURES = 20;

function renderFailures(failures: readonly FailureCount[], t: Translator): Reply {
  const words = t.messages.owner;
  if (failures.length === 0) return notice(words.noFailures);
  return reply({
    blocks: [
      headingBlock([words.logsTitle]),
      {
        kind: 'fields',
        fields: failures.slice(0, MAX_FAILURES).map(({ message, cause, count, lastAt }) => ({
          label: cause === undefined ? message : t.messages.joining.labelled({ name: message, value: cause }),
          value: [`${count}×${t.comma}`, { kind: 'time', at: lastAt, style: 'relative' } as const],
        })),
      },
    ],
    visibility: 'caller',
  });
}

interface OwnerStatus {
  /** The status of the chat platforms; undefined until they are started. */
  readonly chats: RuntimeStatus | undefined;
  readonly sources: readonly { readonly name: string; readonly strategies: readonly StrategyFigures[] }[];
  readonly process: { readonly memoryBytes: number; readonly startedAt: number; readonly nodeVersion: string };
}

const MEBIBYTE = 1024 * 1024;

function renderOwnerStatus({ chats, sources, process }: OwnerStatus, version: string, t: Translator): Reply {
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
  return [depth, t.comma, t.messages.owner.oldest, ' ', { kind: 'time', at: oldestAt, style: 'relative' }];
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
  return [parts.join(t.comma)];
}
