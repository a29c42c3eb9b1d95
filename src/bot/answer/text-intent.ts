import { looksLikeLink, parseCommandLine } from '../contract/arguments.ts';
import type { Command } from '../contract/command.ts';
import type { PastedLink } from '../contract/invocation.ts';
import { findWishes, type Wishes } from '../contract/wishes.ts';

/** What a message asks for. */
export type TextIntent =
  | { readonly kind: 'command'; readonly command: Command; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string }
  /** Canonical links, in order, without repeats. */
  | {
      readonly kind: 'links';
      readonly links: readonly PastedLink[];
      readonly wishes: Wishes;
      /** Whether they were merely pasted where many talk, and not said to Medley. */
      readonly unasked: boolean;
    }
  /** An address, though none that a post is known to have. */
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'talk' };

export interface Message {
  readonly text: string;
  /** Taken instead of those in `text`, where given. */
  readonly links?: readonly PastedLink[];
  readonly line?: string;
}

type FindLinks = (text: string) => readonly string[];

/** Reads a message. Pure and cheap: it sees every message of every chat. */
export function readText(
  { text, links, line: whole = text }: Message,
  commands: readonly Command[],
  findLinks: FindLinks,
): TextIntent {
  const line = parseCommandLine(text);
  if (line) return readCommand(line.name, line.rest, commands);
  const found = links ? canonical(links, findLinks) : findLinks(text).map(url => ({ url, spoiler: false }));
  if (found.length > 0) return { kind: 'links', links: found, wishes: findWishes(whole), unasked: false };
  const address = links ? links[0]?.url : findAddress(text);
  return address === undefined ? { kind: 'talk' } : { kind: 'address', address };
}

/** A link that stands both hidden and open is shown hidden. */
function canonical(links: readonly PastedLink[], findLinks: FindLinks): readonly PastedLink[] {
  const found = new Map<string, PastedLink>();
  for (const { url, spoiler, quoted = false } of links) {
    const [link] = findLinks(url);
    if (link === undefined) continue;
    const known = found.get(link);
    const isQuoted = quoted && (known === undefined || known.quoted === true);
    const isHidden = spoiler || (known?.spoiler ?? false);
    found.set(link, { url: link, spoiler: isHidden, ...(isQuoted && { quoted: true }) });
  }
  return [...found.values()];
}

/** Of a name that is told back. */
const MAX_NAME = 40;

/** Grouped commands are two words, `/osu profile`, or one where words cannot be parted: `/osu_profile`. */
function readCommand(name: string, rest: string, commands: readonly Command[]): TextIntent {
  const [second = ''] = rest.split(/\s/, 1);
  const pair = `${name} ${second.toLowerCase()}`;
  const grouped = commands.find(command => command.name === pair);
  if (grouped) return { kind: 'command', command: grouped, rest: rest.slice(second.length).trim() };
  const spelled = name.replaceAll('_', ' ');
  const command = commands.find(each => each.name === name || each.name === spelled);
  if (command) return { kind: 'command', command, rest };
  const isGroup = commands.some(each => each.name.startsWith(`${name} `));
  // Its name alone asks what there is.
  const help = isGroup && second === '' ? commands.find(each => each.name === 'help') : undefined;
  if (help) return { kind: 'command', command: help, rest: name };
  return { kind: 'unknown', name: isGroup ? pair.trim().slice(0, MAX_NAME) : name };
}

/** The first word that is meant as an address: it has a scheme or a path, or it is the whole message. */
function findAddress(text: string): string | undefined {
  const words = text.trim().split(/\s+/, 64);
  return words.find(word => {
    if (/^[a-z][a-z0-9+.-]{1,31}:\/\/[^\s<>]+$/i.test(word)) return true;
    const [host = '', path] = word.split('/', 2);
    return (
      looksLikeLink(word) && /^(?:[\w-]+\.)+[a-z]{2,24}$/i.test(host) && (path !== undefined || words.length === 1)
    );
  });
}
