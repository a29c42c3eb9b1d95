import { byId, randomId, recall, remember } from './base/dom.ts';
import { conversation, type Turn, type TurnInput } from './base/history.ts';
import type { ServerMessage, WebReply } from './base/protocol.ts';
import { setTexts, text } from './base/texts.ts';
import { summaryOf } from './card/card.ts';
import { playOneAtATime } from './card/media.ts';
import { listenForArrivals } from './composer/arrivals.ts';
import { Composer } from './composer/composer.ts';
import { createMenu } from './composer/menu.ts';
import { type ConnectionState, connectToServer, openOffline } from './connection.ts';
import { InlineUpdate } from './thread/inline-update.ts';
import { MessageView, noteOf, type PressedAction } from './thread/message-view.ts';
import { thread } from './thread/thread.ts';
import { createWelcome, type Offer } from './thread/welcome.ts';

const SESSION_KEY = 'medley.session';

const announcer = byId('announcer', HTMLParagraphElement);
const stateLine = byId('state', HTMLParagraphElement);
const session = loadSession();
/** The replies to the newest questions, by turn id, even if no longer shown: better versions of them may come. */
const received = new Map<string, { readonly turn: Turn; readonly replies: Map<number, WebReply> }>();
const MAX_RECEIVED = 40;
/** A language that was chosen while the page was disconnected, to be sent later; undefined for none. */
let language: string | undefined;
let offer: Offer | undefined;

const composer = new Composer({
  onSubmit: line => ask({ kind: 'text', text: line }),
  onCancel: () => {
    const newest = conversation.turns.filter(turn => turn.state === 'waiting').at(-1);
    if (newest) cancel(newest);
  },
  onAsk: (id, line) => connection.send({ type: 'suggest', id, text: line }),
});

const welcome = createWelcome(line => {
  if (line.endsWith(' ')) {
    composer.fill(line);
    return;
  }
  ask({ kind: 'text', text: line });
  settleFocus();
});

const menu = createMenu(tag => {
  language = tag;
  sendLanguage();
}, clear);

/** The views of the conversation's turns, by turn id. */
const views = new Map<string, MessageView>();
const inlineUpdate = new InlineUpdate(viewOf);

const connection = connectToServer({
  hello: () => ({ type: 'hello', session, locales: navigator.languages.slice(0, 10) }),
  onFrame,
  onState,
});

function makeView(turn: Turn): MessageView {
  const view = new MessageView(turn, {
    onPress,
    onCancel: cancel,
    onBack: place => inlineUpdate.wayBack.leave(place),
    onRepeat: (repeated, link) => ask(link === undefined ? repeated.input : { kind: 'text', text: link }),
  });
  views.set(turn.id, view);
  return view;
}

/** The view with all its replies, even if the stored conversation is still being restored. */
function viewOf(id: string): MessageView | undefined {
  thread.restoreUntil(() => views.get(id)?.isWhole === true);
  return views.get(id);
}

/** Makes the views of the stored conversation, from its end. */
function* restored(): Generator<HTMLElement, void> {
  for (const turn of [...conversation.turns].reverse()) {
    const view = makeView(turn);
    do yield view.element;
    while (view.showEarlier());
  }
}

function ask(input: TurnInput, pressed?: HTMLElement): void {
  const turn: Turn = { id: randomId(), input, state: 'waiting', replies: [] };
  conversation.add(turn);
  const view = makeView(turn);
  beginInline(turn, view, pressed);
  thread.append(view.element);
  refresh();
  if (!submit(turn)) view.waiting(text('waiting'));
  connection.wake();
  if (!view.element.hidden) thread.toEnd();
}

/** Cancels the questions that still wait for answers, and forgets the conversation. */
function clear(): void {
  for (const turn of conversation.turns) if (turn.state === 'waiting') connection.send({ type: 'cancel', id: turn.id });
  conversation.clear();
  views.clear();
  thread.clear();
  received.clear();
  inlineUpdate.wayBack.clear();
  announcer.textContent = text('cleared');
  refresh();
  settleFocus();
}

/** Sends the command that sets the language. The conversation does not show it: the page's language changes instead. */
function sendLanguage(): void {
  if (language === undefined) return;
  const line = `/settings language ${language}`;
  if (connection.send({ type: 'message', id: randomId(), text: line })) language = undefined;
}

function onPress({ token, label, under, pressed }: PressedAction): void {
  if (viewOf(under.turn)?.cardAt(under.index)?.ariaBusy === 'true') return;
  ask({ kind: 'action', token, label, under }, pressed);
}

/** Sends a question under its turn's id, by which the server recognises it if it is sent again. */
function submit({ id, input }: Turn): boolean {
  return input.kind === 'text'
    ? connection.send({ type: 'message', id, text: input.text })
    : connection.send({ type: 'action', id, token: input.token });
}

/** After the press of a button, the new turn is hidden as long as its answer may replace the reply with the button. */
function beginInline(turn: Turn, view: MessageView | undefined, pressed?: HTMLElement): void {
  if (view) view.element.hidden = inlineUpdate.begin(turn, pressed);
}

function cancel(turn: Turn): void {
  connection.send({ type: 'cancel', id: turn.id });
  finish(turn, 'cancelled');
  settleFocus();
}

function finish(turn: Turn, state: 'done' | 'cancelled'): void {
  if (turn.state !== 'waiting') return;
  turn.state = state;
  inlineUpdate.end(turn);
  const view = viewOf(turn.id);
  const isElsewhere = view?.element.hidden === true && (turn.moved === true || state === 'cancelled');
  if (isElsewhere) {
    view.element.remove();
    views.delete(turn.id);
    conversation.remove(turn);
  } else if (view) {
    view.element.hidden = false;
    view.settle();
    conversation.save();
  }
  const note = noteOf(turn);
  if (note !== '') announcer.textContent = note;
  refresh();
}

function onFrame(frame: ServerMessage): void {
  switch (frame.type) {
    case 'welcome':
      onWelcome(frame);
      break;
    case 'suggestions':
      composer.suggest(frame.id, frame.items);
      break;
    case 'notice':
      announcer.textContent = frame.text;
      break;
    case 'better':
      improveReply(frame);
      break;
    case 'closing':
      break;
    default:
      onTurnFrame(frame);
  }
}

function onTurnFrame(frame: Extract<ServerMessage, { type: 'accepted' | 'progress' | 'reply' | 'done' }>): void {
  const turn = conversation.find(frame.id);
  const view = turn?.state === 'waiting' ? viewOf(frame.id) : undefined;
  if (!turn || !view) return;
  switch (frame.type) {
    case 'accepted':
      view.waiting(text('working'));
      break;
    case 'progress':
      view.waiting(frame.text);
      break;
    case 'reply':
      // After a reconnect the server repeats earlier replies, which are not added twice.
      if (frame.index >= turn.replies.length) addReply(turn, view, frame.reply);
      break;
    case 'done':
      finish(turn, 'done');
      break;
  }
}

function addReply(turn: Turn, view: MessageView, reply: WebReply): void {
  const index = turn.replies.push(reply) - 1;
  keepReply(turn, index, reply);
  if (turn.replies.length === 1 && inlineUpdate.take(turn, reply)) turn.moved = true;
  else {
    view.element.hidden = false;
    thread.follow(view.element, view.add(reply));
  }
  announcer.textContent = summaryOf(reply);
  conversation.save();
}

function keepReply(turn: Turn, index: number, reply: WebReply): void {
  const replies = received.get(turn.id)?.replies ?? new Map<number, WebReply>();
  received.set(turn.id, { turn, replies: replies.set(index, reply) });
  for (const oldest of [...received.keys()].slice(0, -MAX_RECEIVED)) received.delete(oldest);
}

/** Shows a better version of a reply, even if the answer is complete. A repeated frame does no harm. */
function improveReply({ id, index, reply }: Extract<ServerMessage, { type: 'better' }>): void {
  const known = received.get(id);
  const before = known?.replies.get(index);
  if (!known || !before || known.turn.state === 'cancelled') return;
  known.replies.set(index, reply);
  inlineUpdate.improve(known.turn, index, before, reply);
  conversation.save();
}

function onWelcome(frame: Extract<ServerMessage, { type: 'welcome' }>): void {
  setTexts(frame.locale, frame.texts);
  offer = frame;
  composer.setCommands(frame.commands, frame.maxLength);
  menu.offer(frame.languages);
  thread.refresh();
  refresh();
}

function onState(state: ConnectionState): void {
  document.documentElement.dataset.connection = state;
  // Without a connection the server sends no examples, so the empty conversation is shown without examples.
  if (state !== 'open') offer ??= { examples: [], sites: [] };
  refresh();
  sendLanguage();
  stateLine.textContent = state === 'open' ? '' : text(state === 'lost' ? 'reconnecting' : state);
  for (const turn of conversation.turns) {
    if (turn.state === 'waiting' && (state !== 'open' || !submit(turn))) viewOf(turn.id)?.waiting(text('waiting'));
  }
}

function refresh(): void {
  composer.setWorking(conversation.turns.some(turn => turn.state === 'waiting'));
  if (conversation.turns.length === 0) welcome.show(offer);
  else welcome.hide();
}

/** Moves the focus to the message box or the conversation when the focused element was removed. */
function settleFocus(): void {
  if (hasKeyboard()) composer.focus();
  else thread.focus();
}

/** True if there is a real keyboard. On a touch screen, focusing the input opens a keyboard over the conversation. */
function hasKeyboard(): boolean {
  return matchMedia('(pointer: fine)').matches;
}

function loadSession(): string {
  const known = recall('localStorage', SESSION_KEY);
  if (known !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(known)) return known;
  const made = randomId();
  remember('localStorage', SESSION_KEY, made);
  return made;
}

playOneAtATime();
thread.restore(restored());
// The answer to a pressed button may replace an earlier reply, so the view of the earlier turn is made at once.
for (const turn of conversation.turns) {
  if (turn.state === 'waiting' && turn.input.kind === 'action') beginInline(turn, viewOf(turn.id));
}
for (const turn of conversation.turns) {
  if (!turn.exchanged) for (const [index, reply] of turn.replies.entries()) keepReply(turn, index, reply);
}
refresh();
if (conversation.turns.length > 0) thread.toEnd();
listenForArrivals(line => composer.receive(line));
openOffline();
if (hasKeyboard()) composer.focus();
