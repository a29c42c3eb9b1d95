import { looksLikeLink, parseCommandLine } from './arguments.ts';
import type { Command } from './command.ts';

/** What a message asks for. */
export type TextIntent =
  | { readonly kind: 'command'; readonly command: Command; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string }
  /** Canonical links, in order. */
  | { readonly kind: 'links'; readonly links: readonly string[] }
  /** An address, though none that a post is known to have. */
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'talk' };

/** Reads a message. Pure and cheap: it sees every message of every chat. */
export function readText(
  text: string,
  commands: readonly Command[],
  findLinks: (text: string) => readonly string[],
): TextIntent {
  const line = parseCommandLine(text);
  if (line) return readCommand(line.name, line.rest, commands);
  const links = findLinks(text);
  if (links.length > 0) return { kind: 'links', links };
  const address = findAddress(text);
  return address === undefined ? { kind: 'talk' } : { kind: 'address', address };
}

/** Grouped commands are two words, `/osu profile`, or one where words cannot be parted: `/osu_profile`. */
function readCommand(name: string, rest: string, commands: readonly Command[]): TextIntent {
  const [second = ''] = rest.split(/\s/, 1);
  const pair = `${name} ${second.toLowerCase()}`;
  const grouped = commands.find(command => command.name === pair);
  if (grouped) return { kind: 'command', command: grouped, rest: rest.slice(second.length).trim() };
  const spelled = name.replaceAll('_', ' ');
  const command = commands.find(each => each.name === name || each.name === spelled);
  return command ? { kind: 'command', command, rest } : { kind: 'unknown', name };
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
