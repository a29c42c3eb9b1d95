import type { Inline, Text } from '../../../bot/contract/reply.ts';
import { shortened } from '../../../bot/contract/reply-parts.ts';
import { isWebAddress } from '../page/base/address.ts';
import type { WebInline, WebText } from '../page/base/protocol.ts';

/** Cuts a text to `max` visible characters. Links, emphasis and other nodes that remain are kept as they are. */
export function shortenText(text: Text, max: number): WebText {
  return spend(text, { left: max, cut: false });
}

interface Budget {
  left: number;
  /** True when an ellipsis has been added already. */
  cut: boolean;
}

function spend(text: Text, budget: Budget): WebInline[] {
  const kept: WebInline[] = [];
  for (const inline of text) {
    if (budget.left <= 0) {
      if (!budget.cut) kept.push('…');
      budget.cut = true;
      break;
    }
    kept.push(spendInline(inline, budget));
  }
  return kept;
}

function spendInline(inline: Inline, budget: Budget): WebInline {
  if (typeof inline === 'string') {
    const shown = shortened(inline, budget.left);
    budget.cut ||= inline.length > budget.left;
    budget.left -= inline.length;
    return shown;
  }
  switch (inline.kind) {
    case 'swatch':
      budget.left -= 1;
      return { kind: 'swatch', colour: inline.colour };
    case 'role':
      return spendInline(inline.id, budget);
    case 'command':
      return spendInline(`/${inline.name}`, budget);
    case 'time':
      budget.left -= TIME_LENGTH;
      return inline;
    case 'link': {
      const children = spend(inline.children, budget);
      // A link to anything but a web address becomes emphasised text.
      if (!isWebAddress(inline.url)) return { kind: 'emphasis', children };
      return { kind: 'link', url: inline.url, children, ...(inline.token !== undefined && { token: inline.token }) };
    }
    default:
      return { kind: inline.kind, children: spend(inline.children, budget) };
  }
}

/** The approximate number of characters of a date. */
const TIME_LENGTH = 16;
