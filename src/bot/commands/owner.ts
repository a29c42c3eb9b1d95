import type { Messages } from '../../i18n/messages.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { FailureTally } from '../../infra/failure-tally.ts';
import type { MediaSource, StrategyFigures } from '../../media/extract/source.ts';
import type { RuntimeStatus } from '../contract/chat-platform.ts';
import { type Command, type CommandContext, defineCommand, usageError } from '../contract/command.ts';
import type { Block, Field, Inline, Reply, Text } from '../contract/reply.ts';
import { headingBlock, listed, reply } from '../contract/reply-parts.ts';
import { BLOCK_KINDS, type BlockKind, type BlockList } from '../stores/exclusions.ts';
import { notice } from '../views/notice.ts';
import type { DescribedCommand } from './index.ts';

interface OwnerCommandsOptions {
  readonly blocks: BlockList;
  readonly failures: Pick<FailureTally, 'list'>;
  readonly sources: readonly Pick<MediaSource, 'id' | 'figures'>[];
  /** Returns the status of the chat platforms; undefined until they are started. */
  readonly readChats: () => Promise<RuntimeStatus | undefined>;
}

const BLOCK_OPTIONS = {
  kind: { type: 'choice', required: true, choices: BLOCK_KINDS },
  value: { type: 'string', form: 'rest', required: true, maxLength: 500 },
} as const;
const FOR_CALLER = { visibility: 'caller', cost: 0 } as const;
/** Matches an id in the form `platform:id` or `source:id`. */
const ID = /^[a-z][a-z0-9]{0,30}:[^\s/]{1,200}$/;
/** The most entries of each kind that are shown; if there are more, the newest are shown. */
const MAX_SHOWN = 50;
const MAX_FAILURES = 20;
const MEBIBYTE = 1024 * 1024;

/** Commands for the people who host this Medley; help and menus do not list them. */
export function createOwnerCommands(options: OwnerCommandsOptions): readonly Command[] {
  const { blocks, failures, sources, readChats } = options;
  type Change = keyof Messages['owner']['blockChange'];
  const changing = <const N extends string>(name: N, change: (kind: BlockKind, id: string) => Promise<Change>) =>
    defineCommand({
      name,
      options: BLOCK_OPTIONS,
      ...FOR_CALLER,
      async run({ kind, value }, context: CommandContext) {
        const id = await idOf(kind, value, context);
        const { blockChange, blockKinds } = context.t.messages.owner;
        return notice(blockChange[await change(kind, id)]({ kind: blockKinds[kind], id }));
      },
    });
  return [
    /** Shows the state of the sites' strategies, the queue, the platforms and this process. */
    defineCommand({
      name: 'owner status',
      options: {},
      ...FOR_CALLER,
      async run(_values, { services, t }: CommandContext) {
        const own = statusFields(await readChats(), t);
        const ofSites = sources.flatMap(({ id, figures }): readonly Block[] => {
          const fields = (figures?.() ?? []).map(each => ({ label: each.strategy, value: strategyText(each, t) }));
          return [{ kind: 'divider' }, headingBlock([id]), { kind: 'fields', fields }];
        });
        return shown(`Medley ${services.version}`, own, ofSites);
      },
    }),
    changing('owner block', blocks.add),
    changing('owner unblock', async (kind, id) => ((await blocks.remove(kind, id)) ? 'removed' : 'absent')),
    defineCommand({
      name: 'owner blocked',
      options: {},
      ...FOR_CALLER,
      async run(_values, { t }: CommandContext) {
        const words = t.messages.owner;
        const blocked = await blocks.list();
        const fields = BLOCK_KINDS.filter(kind => blocked[kind].length > 0).map(kind => {
          const ids = blocked[kind].slice(-MAX_SHOWN).map((id): Inline => ({ kind: 'code', children: [id] }));
          const count = t.number(blocked[kind].length);
          const label = t.messages.joining.aside({ words: words.blockKinds[kind], aside: count });
          return { label, value: listed(ids, t) };
        });
        return fields.length === 0 ? notice(words.nothingBlocked) : shown(words.blockedTitle, fields);
      },
    }),
    /** Lists the recent failures of this process by cause. */
    defineCommand({
      name: 'owner logs',
      options: {},
      ...FOR_CALLER,
      async run(_values, { t }: CommandContext) {
        const words = t.messages.owner;
        const fields = failures.list().map(({ message, cause, count, lastAt }) => ({
          label: cause === undefined ? message : t.messages.joining.labelled({ name: message, value: cause }),
          value: [`${count}×${t.comma}`, ago(lastAt)],
        }));
        return fields.length === 0 ? notice(words.noFailures) : shown(words.logsTitle, fields.slice(0, MAX_FAILURES));
      },
    }),
  ] satisfies readonly DescribedCommand[];
}

/**
 * Turns the link of a post into `source:id`, and leaves other values as they are.
 * @throws AppError `invalid_request`, or the error of a short link that cannot be followed
 */
async function idOf(kind: BlockKind, value: string, { services, signal }: CommandContext): Promise<string> {
  if (ID.test(value)) return value;
  if (kind !== 'link') throw usageError('notBlockId', { kind });
  const known = services.extractor.postKey(value);
  if (known !== undefined) return known;
  const { post } = await services.extractor.extract(value, { signal });
  return `${post.source}:${post.id}`;
}

function shown(title: string, fields: readonly Field[], more: readonly Block[] = []): Reply {
  return reply({ blocks: [headingBlock([title]), { kind: 'fields', fields }, ...more], visibility: 'caller' });
}

function ago(at: number): Inline {
  return { kind: 'time', at, style: 'relative' };
}

/** The state of this process and, after the platforms were started, of the queue and the platforms. */
function statusFields(chats: RuntimeStatus | undefined, t: Translator): readonly Field[] {
  const words = t.messages.owner;
  const platforms = chats?.platforms ?? [];
  return [
    { label: 'Node', value: [process.version] },
    { label: words.memory, value: [`${Math.round(process.memoryUsage.rss() / MEBIBYTE)} MiB`] },
    { label: words.started, value: [ago(Math.round(Date.now() - process.uptime() * 1_000))] },
    ...(chats === undefined ? [] : [{ label: words.queue, value: queueText(chats, t) }]),
    ...platforms.map(({ platform, state, since, reason }) => ({
      label: platform,
      value: [`${state} `, ago(since), ...(reason === undefined ? [] : [` (${reason})`])],
    })),
  ];
}

function queueText({ waiting, running, oldestAt }: RuntimeStatus, t: Translator): Text {
  const depth = t.messages.owner.queueDepth({ waiting, running });
  return oldestAt === undefined ? [depth] : [depth, t.comma, t.messages.owner.oldest, ' ', ago(oldestAt)];
}

function strategyText({ successRate, medianMs, coolsUntil, waitsUntil, last }: StrategyFigures, t: Translator): Text {
  const words = t.messages.owner;
  const parts = [
    successRate === null ? words.untried : `${Math.round(successRate * 100)} %`,
    ...(medianMs === null ? [] : [`${medianMs} ms`]),
    ...(coolsUntil === null ? [] : [words.dead]),
    ...(waitsUntil === null ? [] : [words.resting]),
    ...(last === null ? [] : [words.last({ outcome: last.outcome })]),
  ];
  return [parts.join(t.comma)];
}
