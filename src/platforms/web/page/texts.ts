import { recall, remember } from './dom.ts';

/** English for the moments before the server has said in which language it speaks. */
const DEFAULTS = {
  title: 'Medley',
  tagline: 'Paste a link, get the video.',
  placeholder: 'Paste a link, or type / for commands',
  placeholderShort: 'Paste a link',
  inputLabel: 'Message to Medley',
  send: 'Send',
  you: 'You',
  bot: 'Medley',
  log: 'Conversation',
  connecting: 'Connecting…',
  connected: 'Connected',
  reconnecting: 'The connection was lost. Reconnecting…',
  offline: 'You are offline. Your message will be sent when you are back.',
  working: 'Working…',
  waiting: 'Waiting to send…',
  cancel: 'Cancel',
  cancelled: 'Cancelled.',
  retry: 'Try again',
  failed: 'That did not go through.',
  mediaFailed: 'This file could not be loaded. You can open the original post.',
  mediaExpired: 'This file was brought here a while ago and its address has run out.',
  bringAgain: 'Bring it again',
  download: 'Download',
  downloadItem: 'Download {n} of {total}',
  openPhoto: 'Open photo',
  previous: 'Previous',
  next: 'Next',
  close: 'Close',
  itemOf: '{n} of {total}',
  photo: 'Photo',
  video: 'Video',
  audio: 'Sound',
  gallery: 'Photos and videos of this post',
  spoiler: 'Hidden. Press to show.',
  showMore: 'Show more',
  showLess: 'Show less',
  emptyText: 'Paste the link of a public Instagram or Facebook post and it plays right here.',
  emptyExamples: 'For example',
  exampleHelp: 'Everything I can do',
  suggestions: 'Suggestions',
  theme: 'Theme',
  themeSystem: 'Like the system',
  themeLight: 'Light',
  themeDark: 'Dark',
  language: 'Language',
  menu: 'Menu',
  clear: 'Clear this conversation',
  clearConfirm: 'Clear everything shown here?',
  cleared: 'The conversation was cleared.',
  newReplies: 'New replies',
  scrollDown: 'Go to the latest',
  skipToInput: 'Skip to the message box',
  tooLong: 'A message can be at most {n} characters long.',
  api: 'API',
  privacy: 'What you send is not stored.',
};

export type TextKey = keyof typeof DEFAULTS;

const KEY = 'medley.texts';

let current: Readonly<Record<string, string>> = DEFAULTS;
let locale = 'en';

/** The language of the last visit, so that a restored conversation does not begin in English. */
export function restoreTexts(): void {
  try {
    const stored: unknown = JSON.parse(recall('localStorage', KEY) ?? 'null');
    if (isStored(stored)) apply(stored.tag, stored.texts);
  } catch {
    // Unreadable is as good as none: the server says it all again in a moment.
  }
}

export function setTexts(tag: string, texts: Readonly<Record<string, string>>): void {
  apply(tag, texts);
  remember('localStorage', KEY, JSON.stringify({ tag, texts }));
}

function apply(tag: string, texts: Readonly<Record<string, string>>): void {
  current = texts;
  locale = tag;
  document.documentElement.lang = tag;
  document.title = text('title');
  applyTexts(document.body);
}

interface Stored {
  readonly tag: string;
  readonly texts: Readonly<Record<string, string>>;
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null || !('tag' in value) || !('texts' in value)) return false;
  const { tag, texts } = value;
  if (typeof tag !== 'string' || typeof texts !== 'object' || texts === null) return false;
  return Object.values(texts).every(each => typeof each === 'string');
}

/** A sentence of the page, `{name}` filled in from `params`. */
export function text(key: TextKey, params: Readonly<Record<string, string | number>> = {}): string {
  return (current[key] ?? DEFAULTS[key]).replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

export function language(): string {
  return locale;
}

/** Fills the texts that the static markup names. */
function applyTexts(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('[data-text]'))
    element.textContent = keyed(element.dataset.text);
  for (const element of root.querySelectorAll<HTMLElement>('[data-label]')) {
    element.setAttribute('aria-label', keyed(element.dataset.label));
  }
}

function keyed(key: string | undefined): string {
  return isKey(key) ? text(key) : '';
}

function isKey(key: string | undefined): key is TextKey {
  return key !== undefined && Object.hasOwn(DEFAULTS, key);
}
