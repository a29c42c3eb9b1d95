import { checkComponents } from './component-rules.ts';
import { checkEmbeds } from './embed-rules.ts';
import { Flags, type MessageBody } from './message-body.ts';
import { type Complain, invalidForm, type ReceivedFile, Refusal } from './records.ts';

const MAX_CONTENT = 2000;
const MAX_ATTACHMENTS = 10;
const MAX_DESCRIPTION = 1024;
const MAX_NONCE = 25;
const MAX_NAMED_MENTIONS = 100;

export interface MessageUnderCheck {
  readonly body: MessageBody;
  readonly uploads: readonly ReceivedFile[];
  /** Files the message will have or has had: those that stand and those that come. */
  readonly held: readonly { readonly id: string; readonly name: string }[];
  /** What is edited; undefined for a new message. */
  readonly standing: { readonly body: Readonly<Record<string, unknown>>; readonly flags: number } | undefined;
}

/**
 * Complains of everything Discord would not have taken, and of what Medley itself must never send (a message that could
 * ping). Lengths are counted in UTF-16 units, the stricter of the two ways to count.
 * @returns how Discord would refuse it.
 */
export function checkMessage(message: MessageUnderCheck, complain: Complain): Refusal | undefined {
  const kept = keptFiles(message);
  const merged = { ...message.standing?.body, ...message.body };
  const flags = (message.standing?.flags ?? 0) | (message.body.flags ?? 0);
  const v2 = (flags & Flags.componentsV2) !== 0;
  const wrong = [
    ...checkLengths(message.body),
    ...checkFlags(message.body, message.standing !== undefined),
    ...checkFiles(message),
    ...checkMentionForm(message.body),
    ...checkEmbeds(message.body.embeds ?? [], kept),
    ...(v2 ? checkV2(merged) : []),
  ];
  const components = checkComponents(message.body.components ?? [], { v2, files: kept });
  wrong.push(...components.wrong);
  for (const problem of wrong) complain(`message: ${problem}`);
  for (const problem of checkPing(message.body)) complain(`message: ${problem}`);
  if (v2 && message.body.components !== undefined) {
    for (const name of kept.filter(each => !components.referenced.includes(each))) {
      complain(`message: the file "${name}" is shown by no component, so by nothing`);
    }
  }
  const [first] = wrong;
  if (first !== undefined) return invalidForm(first);
  if ((flags & Flags.loading) === 0 && isEmpty(merged, kept)) {
    complain('message: empty');
    return new Refusal(400, 50006, 'Cannot send an empty message');
  }
  return undefined;
}

function keptFiles({ body, held, uploads, standing }: MessageUnderCheck): readonly string[] {
  if (standing === undefined || body.attachments === undefined || body.attachments === null) {
    return held.map(({ name }) => name);
  }
  const listed = body.attachments.map(({ id }) => id);
  const old = held.length - uploads.length;
  return held.filter(({ id }, place) => place >= old || listed.includes(id)).map(({ name }) => name);
}

function checkLengths(body: MessageBody): readonly string[] {
  const wrong: string[] = [];
  if ((body.content ?? '').length > MAX_CONTENT) wrong.push(`content of ${body.content?.length} characters`);
  if ((body.nonce ?? '').length > MAX_NONCE) wrong.push(`nonce of ${body.nonce?.length} characters`);
  if (body.enforce_nonce === true && (body.nonce ?? '') === '') wrong.push('enforce_nonce without a nonce');
  return wrong;
}

/** What an app may set: on a new message also ephemeral (by interactions), silence and the voice message's. */
function checkFlags({ flags }: MessageBody, edit: boolean): readonly string[] {
  const settable = edit
    ? Flags.suppressEmbeds | Flags.componentsV2 | Flags.ephemeral
    : Flags.suppressEmbeds |
      Flags.componentsV2 |
      Flags.ephemeral |
      Flags.suppressNotifications |
      Flags.loading |
      Flags.voiceMessage;
  return ((flags ?? 0) & ~settable) === 0 ? [] : [`flags ${flags} cannot be set`];
}

function checkFiles({ body, uploads, held, standing }: MessageUnderCheck): readonly string[] {
  const wrong: string[] = [];
  const places = uploads.map(({ field }) => /^files\[(\d+)\]$/.exec(field)?.[1]);
  if (places.includes(undefined)) wrong.push('a file that is not in files[n]');
  if (new Set(places).size < places.length) wrong.push('two files in one place');
  if (uploads.some(({ bytes }) => bytes === 0)) wrong.push('an empty file');
  if (uploads.some(({ name }) => name === undefined || name === '')) wrong.push('a file without a name');
  const listed = body.attachments ?? undefined;
  for (const { id, description } of listed ?? []) {
    const stands = standing !== undefined && held.some(each => each.id === id);
    if (!places.includes(id) && !stands) wrong.push(`attachment ${id} has neither a file nor a past`);
    if ((description ?? '').length > MAX_DESCRIPTION) wrong.push(`attachment description of ${description?.length}`);
  }
  if (listed !== undefined) {
    const unlisted = places.filter(place => listed.every(({ id }) => id !== place));
    if (unlisted.length > 0) wrong.push(`files ${unlisted.join()} are not among the attachments`);
  }
  const total = keptFiles({ body, uploads, held, standing }).length;
  if (total > MAX_ATTACHMENTS) wrong.push(`${total} attachments`);
  return wrong;
}

function checkMentionForm({ allowed_mentions }: MessageBody): readonly string[] {
  if (allowed_mentions === undefined || allowed_mentions === null) return [];
  const { parse, users, roles } = allowed_mentions;
  const wrong: string[] = [];
  for (const [kind, ids] of [
    ['users', users],
    ['roles', roles],
  ] as const) {
    if ((ids ?? []).length > MAX_NAMED_MENTIONS) wrong.push(`${ids?.length} allowed ${kind}`);
    if ((ids ?? []).length > 0 && parse?.includes(kind) === true) wrong.push(`${kind} both parsed and named`);
  }
  return wrong;
}

/** Medley's own rule: captions come from strangers, so nothing it says may ever ping. */
function checkPing(body: MessageBody): readonly string[] {
  const speaks = (body.content ?? '') !== '' || (body.components ?? []).length > 0 || (body.embeds ?? []).length > 0;
  if (!speaks) return [];
  const allowed = body.allowed_mentions;
  if (allowed === undefined || allowed === null) return ['could ping: no allowed_mentions'];
  if (allowed.parse === undefined || allowed.parse === null) return ['could ping: allowed_mentions without parse'];
  const open = allowed.parse.length + (allowed.users ?? []).length + (allowed.roles ?? []).length;
  return open > 0 || allowed.replied_user === true ? ['could ping: allowed_mentions is not empty'] : [];
}

function checkV2(merged: Readonly<Record<string, unknown>>): readonly string[] {
  return ['content', 'embeds', 'sticker_ids', 'poll']
    .filter(key => !isNothing(merged[key]))
    .map(key => `${key} beside the flag IS_COMPONENTS_V2`);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isEmpty(merged: Readonly<Record<string, unknown>>, kept: readonly string[]): boolean {
  if (merged.message_reference !== undefined && isForward(merged.message_reference)) return false;
  return (
    kept.length === 0 && ['content', 'embeds', 'components', 'sticker_ids', 'poll'].every(key => isNothing(merged[key]))
  );
}

function isForward(reference: unknown): boolean {
  return typeof reference === 'object' && reference !== null && 'type' in reference && reference.type === 1;
}
