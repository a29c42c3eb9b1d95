import { LRUCache } from 'lru-cache';
import { type Caller, chatKey } from '../../../bot/command.ts';
import { type CommandLine, parseArguments, parseCommandLine } from '../../../bot/dispatch/arguments.ts';
import type { CommandSpec } from '../../../bot/dispatch/command-texts.ts';
import type { Dispatcher } from '../../../bot/dispatch/dispatcher.ts';
import type { Jobs } from '../../../bot/runtime/jobs.ts';
import type { SettingsStore } from '../../../bot/settings/settings.ts';
import { AppError } from '../../../errors.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Inline } from '../inline/inline.ts';
import type { TelegramLimits } from '../limits.ts';
import type { Answer, Question } from '../outgoing/answer.ts';
import { callerOf, placeOf } from '../outgoing/caller.ts';
import type { Place } from '../outgoing/message-api.ts';
import type { Sender } from '../outgoing/send.ts';
import { menuName } from '../register.ts';
import { renderText } from '../render/render.ts';
import type { Press } from './callback-query.ts';
import type { ChatAccess } from './chat-access.ts';
import type { ChatQueue } from './chat-queue.ts';
import { acceptQuestion, type Draft, type QuestionIds, recallQuestion } from './job-payload.ts';
import { readWords, type Words } from './message-links.ts';
import { type Message, type MyChatMember, parseUpdate, type Update } from './updates.ts';

export interface ListenOptions {
  readonly dispatcher: Pick<Dispatcher, 'linksOf' | 'commandSpecs'>;
  readonly answer: Answer;
  readonly press: Press;
  readonly inline: Inline;
  readonly sender: Sender;
  readonly access: ChatAccess;
  /** For what takes its time, and for what is quick or will be too late. */
  readonly work: ChatQueue;
  readonly quick: ChatQueue;
  readonly jobs: Jobs;
  readonly questionIds: QuestionIds;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly translator: Dispatcher['translator'];
  /** Without the `@`. */
  readonly username: () => string;
  readonly limits: TelegramLimits;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

export interface Listener {
  /** Takes an update of any shape and resolves when what it asks for is stored and queued. Never rejects. */
  handle(update: unknown): Promise<void>;
  /** Takes up what an earlier process accepted and did not begin to send. */
  resume(): void;
}

/** Whose words they are, where they stand, and whether they are said to Medley. */
interface Said {
  readonly caller: Caller;
  readonly place: Place;
  readonly direct: boolean;
}

const MAX_SEEN = 10_000;

export function createListener(options: ListenOptions): Listener {
  const { dispatcher, answer, press, inline, sender, access, work, quick, jobs, settings, translator, log, now } =
    options;
  const { limits, username, questionIds } = options;
  const seen = new LRUCache<number, true>({ max: MAX_SEEN });
  const told = new LRUCache<string, true>({ max: MAX_SEEN, ttl: limits.busyNoticeMs, perf: { now } });

  async function route(update: Update): Promise<void> {
    const { message, callback_query: query, my_chat_member: member } = update;
    const { inline_query: inlineQuery, chosen_inline_result: chosen } = update;
    if (message) await onMessage(message);
    if (query) quick.add(`${query.from.id}`, signal => press(query, signal));
    if (inlineQuery) quick.add(`inline ${inlineQuery.from.id}`, signal => inline.answer(inlineQuery, signal));
    if (chosen) work.add(`inline ${chosen.from.id}`, signal => inline.bring(chosen, signal));
    if (member) await onMembership(member);
  }

  async function onMembership({ chat, new_chat_member: { status, is_member } }: MyChatMember): Promise<void> {
    const isAway = status === 'left' || status === 'kicked' || (status === 'restricted' && is_member === false);
    await settings.markChatLeft(keyOf(chat.id), isAway ? now() : null);
  }

  async function onMessage(message: Message): Promise<void> {
    const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
    if (to !== undefined) await settings.moveChat(keyOf(chat.id), keyOf(to));
    else if (from !== undefined) await settings.moveChat(keyOf(from), keyOf(chat.id));
    const draft = await draftOf(message);
    if (draft) take(draft);
  }

  /** Undefined when it is nothing for Medley, which is what most messages of a group come to. */
  async function draftOf(message: Message): Promise<Draft | undefined> {
    const words = wordsOf(message);
    const line = words && parseCommandLine(words.text);
    const mention = line?.mention?.toLowerCase();
    const own = username().toLowerCase();
    if (words === undefined || (mention !== undefined && mention !== own)) return undefined;
    const caller = callerOf(message, access);
    if (caller === undefined) return undefined;
    const direct = caller.chatKind === 'private' || mention !== undefined || isMentioned(words.text, own);
    const said: Said = { caller, place: placeOf(message), direct };
    return line ? commandDraft(line, words, message, said) : talkDraft(words, message, said);
  }

  async function talkDraft(words: Words, message: Message, said: Said): Promise<Draft | undefined> {
    const draft = await textDraft(words, said);
    if (draft.links.length > 0) return draft;
    if (said.caller.chatKind === 'private') return draft;
    return said.direct ? ((await repliedDraft(message, said)) ?? draft) : undefined;
  }

  /** A command as text; when it brings a link, with its options read, so that it can be kept until it is done. */
  async function commandDraft(line: CommandLine, words: Words, message: Message, said: Said): Promise<Draft> {
    // Telegram sends it when somebody opens the chat.
    if (line.name === 'start') return plainDraft('/help', said);
    const { caller } = said;
    const specs = dispatcher.commandSpecs(await translator(caller), caller.chatKind);
    const spec = specs.find(({ name }) => menuName(name) === line.name);
    const draft = plainDraft(`/${spec?.name ?? line.name} ${line.rest}`, said);
    if (spec?.accepts !== 'link') return draft;
    if (line.rest === '') return (await repliedDraft(message, said)) ?? draft;
    return (await linkCommandDraft(spec, line.rest, words, said)) ?? draft;
  }

  async function linkCommandDraft(
    spec: CommandSpec,
    rest: string,
    words: Words,
    said: Said,
  ): Promise<Draft | undefined> {
    const { caller, place } = said;
    const { links } = await textDraft({ text: rest, links: words.links }, { ...said, direct: true });
    const [link] = links;
    const key = spec.options.find(({ option }) => option.type === 'string' && option.form === 'link')?.key;
    if (link === undefined || key === undefined || links.length > 1) return undefined;
    try {
      const options = { ...parseArguments(spec, rest), [key]: link.url };
      return { ask: { kind: 'command', caller, name: spec.name, options }, place, links };
    } catch (error) {
      // The dispatcher says best what is amiss.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  /** What the message that is replied to holds, for those who point at it. */
  async function repliedDraft(message: Message, said: Said): Promise<Draft | undefined> {
    const { text, caption, entities, caption_entities: captionEntities } = message.reply_to_message ?? {};
    const words = readWords(text ?? caption ?? '', (text === undefined ? captionEntities : entities) ?? []);
    const draft = await textDraft(words, { ...said, direct: true });
    return draft.links.length > 0 ? draft : undefined;
  }

  async function textDraft({ text, links: marked }: Words, { caller, direct, place }: Said): Promise<Draft> {
    const ask = { kind: 'text' as const, caller, direct, text, ...(marked ? { links: marked } : {}) };
    return { ask, place, links: await dispatcher.linksOf(ask) };
  }

  function take(draft: Draft): void {
    const question = accept(draft);
    if (question === undefined) return;
    const { caller } = draft.ask;
    // What comes while Medley stops lies in the store for the next process.
    if (work.add(caller.chatId, signal => answer(question, signal)) !== 'full') return;
    for (const id of question.jobs.values()) jobs.done(id);
    sayBusy(caller, draft.place);
  }

  /** When nothing can be written down, the answer still comes. */
  function accept(draft: Draft): Question | undefined {
    try {
      return acceptQuestion(draft, jobs, questionIds);
    } catch (error) {
      log.error({ err: error }, 'a question could not be kept');
      return { ask: draft.ask, place: draft.place, jobs: new Map() };
    }
  }

  function sayBusy(caller: Caller, place: Place): void {
    if (told.has(caller.chatId)) return;
    told.set(caller.chatId, true);
    quick.add(caller.chatId, async signal => {
      const t = await translator(caller);
      const sentence = t.messages.errors.rate_limited({ reason: 'busy' });
      const payload = renderText([{ kind: 'text', text: [sentence] }], [], t);
      try {
        await sender.sendText(payload, place, { t, signal });
      } catch (error) {
        if (!signal.aborted) log.info({ err: error }, 'a notice did not get through');
      }
    });
  }

  return {
    async handle(raw) {
      try {
        const update = parseUpdate(raw);
        if (seen.has(update.update_id)) return;
        seen.set(update.update_id, true);
        await route(update);
      } catch (error) {
        log.warn({ err: error }, 'an update could not be taken');
      }
    },
    resume() {
      for (const job of jobs.pending('telegram')) {
        const isFresh = job.state === 'accepted' && now() - job.since < limits.staleJobMs;
        const question = isFresh ? recallQuestion(job, access) : undefined;
        // Whether it arrived, Telegram cannot tell: nobody gets it twice.
        if (question === undefined || work.add(job.chatId, signal => answer(question, signal)) === 'full') {
          log.info({ state: job.state }, 'a job of an earlier process is given up');
          jobs.done(job.id);
        }
      }
    },
  };
}

/** What other bots put into people's mouths is theirs to answer. */
function wordsOf({
  text,
  caption,
  entities,
  caption_entities: captionEntities,
  via_bot: by,
}: Message): Words | undefined {
  if (by !== undefined) return undefined;
  if (text !== undefined) return readWords(text, entities);
  return caption === undefined ? undefined : readWords(caption, captionEntities);
}

function keyOf(chatId: number): string {
  return chatKey({ platform: 'telegram', chatId: `${chatId}` });
}

/** By name, as Telegram finds it: `@name` with nothing like a name around it. */
function isMentioned(text: string, username: string): boolean {
  const name = `@${username}`;
  const folded = text.toLowerCase();
  for (let at = folded.indexOf(name); at !== -1; at = folded.indexOf(name, at + 1)) {
    if (!/[\w/@]/.test(folded.charAt(at - 1)) && !/\w/.test(folded.charAt(at + name.length))) return true;
  }
  return false;
}

function plainDraft(text: string, { caller, direct, place }: Said): Draft {
  return { ask: { kind: 'text', caller, direct, text }, place, links: [] };
}
