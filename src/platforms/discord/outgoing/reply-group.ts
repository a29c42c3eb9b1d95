import type { Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { Content } from '../api/discord-api.ts';
import { DISCORD_LIMITS, REQUEST_UPLOAD_BYTES, SHOWN, WORK } from '../api/limits.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { DiscordFailure } from '../api/send-failure.ts';
import { countComponents } from '../render/block-components.ts';
import type { CommandIds } from '../render/markdown-text.ts';
import { type LinkReason, type ReplySection, renderMessage } from '../render/render.ts';
import { type Deliver, type Drawing, drawPictures, prepareUploads, type Uploads } from './uploads.ts';

/** The chat or interaction to which a group of replies is sent. */
export interface ReplyDestination {
  /**
   * Returns the id of the button that deletes a message; undefined for no such button. `isWhole` is false when it is
   * already known that not all files will arrive as expected.
   */
  deleteId(isWhole: boolean): string | undefined;
  /** The id of the button that leads back to what the message showed before; undefined for no such button. */
  readonly backId?: string | undefined;
  /** How many messages may be sent to this destination. */
  readonly messages: number;
  /**
   * Sends message number `place` (from 0), unless an earlier attempt sent it. `count` is the number of all messages; a
   * last message with links to player pages may raise it by one.
   * Resolves with true if the files of this message have certainly arrived.
   */
  send(content: Content, place: number, count: number): Promise<boolean>;
}

interface ReplyGroupOptions {
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly t: Translator;
  readonly commands: CommandIds;
  readonly log: Pick<Logger, 'warn'>;
  /** Aborts the group, after which its files are released. */
  readonly signal: AbortSignal;
}

interface Draft {
  readonly reply: Reply;
  readonly uploads: Uploads;
  /** True when this draft has only further files of a reply, whose first files and text are in an earlier draft. */
  readonly isMore: boolean;
  drawings: readonly Drawing[];
  /** How many files of the reply are not shown. */
  omitted: number;
}

export type ReplyGroup = ReturnType<typeof createReplyGroup>;

/** Replies that are sent together. When a reply is added, its files are fetched at once. */
export function createReplyGroup(
  to: Pick<DiscordReplyTo, 'kind' | 'fileBytes' | 'rights'>,
  { delivery, t, commands, log, signal }: ReplyGroupOptions,
) {
  const { fileBytes } = to;
  const canAttach = to.kind === 'interaction' || to.rights.attach;
  const limits = { fileBytes, requestBytes: Math.max(REQUEST_UPLOAD_BYTES, fileBytes) };
  const deliver: Deliver = canAttach
    ? delivery.deliver
    : async ({ post }) => ({ kind: 'link', url: post.url, leadsTo: 'original', reason: 'refused' });
  const replies: Reply[] = [];
  const drafts: Promise<readonly Draft[]>[] = [];

  async function draftsOf(reply: Reply, from: number): Promise<readonly Draft[]> {
    const [requests, drawings] = await Promise.all([
      prepareUploads(reply.gallery.slice(from, from + MOST), limits, deliver, signal),
      canAttach && from === 0 ? drawPictures(reply.blocks, log) : [],
    ]);
    return requests.map((uploads, place) => {
      const isMore = from > 0 || place > 0;
      const shown = isMore ? { ...reply, blocks: [], actions: [] } : reply;
      return { reply: shown, uploads, drawings: isMore ? [] : drawings, isMore, omitted: 0 };
    });
  }

  return {
    replies,
    add(reply: Reply): void {
      replies.push(reply);
      for (let from = 0; from === 0 || from < reply.gallery.length; from += MOST) {
        const some = draftsOf(reply, from);
        // A failure is handled when `finish` or `dispose` awaits it. Until then it must not end the process.
        some.catch(() => undefined);
        drafts.push(some);
      }
    },
    /**
     * Sends everything in order, in as few messages as the limits allow. `isWhole` is true when at least one file was
     * sent of each reply with files, and all these files arrived in full.
     * @throws whatever sending throws
     */
    async finish(destination: ReplyDestination): Promise<{ readonly isWhole: boolean }> {
      const all = (await Promise.all(drafts)).flat();
      const { backId, messages } = destination;
      const doubtful = new Set<Reply['gallery']>();
      const isWhole = () => replies.every(({ gallery }) => gallery.length === 0 || isThere(gallery));
      function isThere(gallery: Reply['gallery']): boolean {
        const own = all.filter(({ reply }) => reply.gallery === gallery).map(({ uploads }) => uploads);
        return (
          !doubtful.has(gallery) && own.some(({ count }) => count > 0) && own.every(({ isAsExpected }) => isAsExpected)
        );
      }
      const deleteId = () => destination.deleteId(isWhole());
      const context = { t, commands, signal, deleteId, backId, requestBytes: limits.requestBytes };
      const batches = await withinMessages(all, messages, context);
      for (const [place, batch] of batches.entries()) {
        const send = (content: Content) => destination.send(content, place, batches.length);
        const isConfirmed = await sendMessage(batch, send, context);
        if (!isConfirmed) for (const { reply } of batch) doubtful.add(reply.gallery);
        await Promise.all(batch.map(({ uploads }) => uploads.dispose()));
      }
      const text = pagesOf(batches.flat());
      if (text !== '' && batches.length < messages)
        await destination.send({ components: [], uploads: [], text }, batches.length, batches.length + 1);
      return { isWhole: isWhole() };
    },
    /** Releases every file; safe to call twice and after `finish`. */
    async dispose(): Promise<void> {
      const settled = await Promise.allSettled(drafts);
      const fetched = settled.flatMap(outcome => (outcome.status === 'fulfilled' ? outcome.value : []));
      for (const { uploads } of fetched) await uploads.dispose();
    },
  };
}

const MOST = DISCORD_LIMITS.attachments;

/** Links to Medley's pages that play files too large for an upload. A spoiler's link is written as a spoiler, too. */
function pagesOf(drafts: readonly Draft[]): string {
  const pages = drafts.flatMap(({ reply, uploads }) => {
    const isHidden = reply.gallery.some(({ spoiler }) => spoiler);
    return uploads.pages.map(page => (isHidden ? `||${page}||` : page));
  });
  return pages.slice(0, DISCORD_LIMITS.unfurled).join('\n');
}

/** Sends one message. If files are refused, they are made smaller, and in the end become links. */
async function sendMessage(
  batch: readonly Draft[],
  send: (content: Content) => Promise<boolean>,
  context: MessageContext,
): Promise<boolean> {
  const { signal } = context;
  for (let refusals = 0; ; refusals += 1) {
    const content = contentOf(batch, context);
    try {
      return await send(content);
    } catch (error) {
      const isHopeless = signal.aborted || content.uploads.length === 0;
      const remedy = isHopeless ? undefined : remedyFor(error, refusals);
      if (remedy === undefined) throw error;
      const [largest] = batch.map(({ uploads }) => uploads).toSorted((a, b) => b.largest() - a.largest());
      if (remedy !== 'smaller') await giveUp(batch, remedy);
      else if (largest === undefined || largest.largest() === 0) await giveUp(batch, 'too_large');
      else await largest.shrink(signal);
    }
  }
}

async function giveUp(batch: readonly Draft[], reason: LinkReason): Promise<void> {
  for (const draft of batch) draft.drawings = [];
  await Promise.all(batch.map(({ uploads }) => uploads.giveUp(reason)));
}

/** The next thing to try: smaller files, or links. Undefined if neither helps, or the message was perhaps posted. */
function remedyFor(error: unknown, refusals: number): 'smaller' | LinkReason | undefined {
  if (!(error instanceof DiscordFailure)) return undefined;
  switch (error.problem) {
    case 'too_large':
      return refusals < WORK.refusals ? 'smaller' : 'too_large';
    // Discord may have refused only the files, and may accept the same message with links in place of them.
    case 'forbidden':
    case 'blocked':
    case 'refused':
      return 'refused';
    case 'cut':
      return 'upload_timeout';
    default:
      return undefined;
  }
}

/** All that the messages of a group share. */
interface MessageContext
  extends Pick<ReplyGroupOptions, 't' | 'commands' | 'signal'>,
    Pick<ReplyDestination, 'backId'> {
  readonly requestBytes: number;
  /** The id of the delete button, as far as it is known now how many files arrive. */
  readonly deleteId: () => string | undefined;
}

function contentOf(batch: readonly Draft[], context: MessageContext): Content {
  const drawn = batch.flatMap(({ uploads, drawings }, index) => {
    // A message may have ten files. Drawn image cards get the places that the posts' files leave free.
    const shown = drawings.slice(0, DISCORD_LIMITS.attachments - uploads.count);
    return shown.map(({ key, file }) => ({ index, key, file: file(prefixOf(index)) }));
  });
  const sections = batch.map(({ reply, uploads, omitted }, index): ReplySection => {
    const own = drawn.filter(each => each.index === index);
    const pictures = new Map(own.map(({ key, file }) => [key, file.name]));
    return { reply, media: uploads.placed(prefixOf(index)), omitted, pictures };
  });
  const components = renderMessage(sections, { ...context, deleteId: context.deleteId() });
  const shown = JSON.stringify(components);
  return {
    components,
    uploads: [
      ...batch.flatMap(({ uploads }, index) => uploads.files(prefixOf(index))),
      // Only cards that a component refers to are sent, since others would not be shown.
      ...drawn.flatMap(({ file }) => (shown.includes(JSON.stringify(`attachment://${file.name}`)) ? [file] : [])),
    ],
  };
}

function prefixOf(index: number): string {
  return index === 0 ? '' : `${index + 1}-`;
}

/** Divides the replies, in order, among as few messages as possible. */
function inMessages(drafts: readonly Draft[], context: MessageContext): readonly (readonly Draft[])[] {
  const batches: Draft[][] = [];
  for (const draft of drafts) {
    const current = batches.at(-1);
    if (current && fits([...current, draft], context)) current.push(draft);
    else batches.push([draft]);
  }
  return batches;
}

/**
 * Divides the replies among at most `messages` messages. If they need more, the last files of replies are left out, and
 * the replies say so; if that is not enough, all files become links.
 */
async function withinMessages(drafts: readonly Draft[], messages: number, context: MessageContext) {
  const kept = [...drafts];
  for (;;) {
    const batches = inMessages(kept, context);
    if (batches.length <= messages) return batches;
    const place = kept.findLastIndex(({ isMore }) => isMore);
    if (place === -1) {
      const full = kept.findLast(({ uploads }) => uploads.count > 0);
      if (full === undefined) return batches;
      await giveUp([full], 'refused');
    } else {
      const [left] = kept.splice(place, 1);
      const head = kept.slice(0, place).findLast(({ isMore }) => !isMore);
      if (left && head) head.omitted += left.uploads.placed('').length;
    }
  }
}

function fits(batch: readonly Draft[], context: MessageContext): boolean {
  // The replies are divided as if every message had a delete button, so that the division does not depend on it.
  const { components, uploads } = contentOf(batch, { ...context, deleteId: () => 'delete', backId: undefined });
  return (
    batch.length * SHOWN.leastText <= DISCORD_LIMITS.text &&
    uploads.length <= DISCORD_LIMITS.attachments &&
    uploads.reduce((total, { bytes }) => total + bytes, 0) <= context.requestBytes &&
    components.reduce((total, component) => total + countComponents(component), 0) <= DISCORD_LIMITS.components
  );
}
