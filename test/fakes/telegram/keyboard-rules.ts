import type { TelegramRequest } from './call.ts';
import { inlineResultShape, keyboardShape } from './shapes.ts';
import { listOf } from './text-rules.ts';
import type { Violation } from './violation.ts';

const DATA_BYTES = 64;
const BUTTONS = 100;

const ACTIONS = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'callback_game',
  'pay',
] as const;

/** The inline keyboards of a request and of its inline results. */
export function checkKeyboards({ method, params }: TelegramRequest): readonly Violation[] {
  const found: Violation[] = [];
  if (method === 'sendMediaGroup' && params.reply_markup !== undefined) {
    found.push({ what: 'an album takes no reply_markup' });
  }
  const inner = listOf(params.results).map(result => inlineResultShape.safeParse(result).data?.reply_markup);
  for (const markup of [params.reply_markup, ...inner]) {
    const keyboard = keyboardShape.safeParse(markup);
    if (keyboard.success) found.push(...checkButtons(keyboard.data.inline_keyboard.flat()));
  }
  return found;
}

type Button = Readonly<Record<string, unknown>> & {
  readonly text: string;
  readonly callback_data?: string | undefined;
  readonly url?: string | undefined;
};

function checkButtons(buttons: readonly Button[]): readonly Violation[] {
  const found: Violation[] = [];
  if (buttons.length > BUTTONS) found.push({ what: `${buttons.length} buttons`, refusal: 'reply markup is too long' });
  for (const button of buttons) {
    const { text, callback_data: data, url } = button;
    if (text.trim() === '') found.push({ what: 'a button without a text', refusal: 'Text buttons are empty' });
    const actions = ACTIONS.filter(action => button[action] !== undefined);
    if (actions.length !== 1) {
      const what = `button "${text}" has ${actions.length} actions, not one`;
      found.push({ what, refusal: 'Text buttons are unallowed in the inline keyboard' });
    }
    const bytes = data === undefined ? 1 : Buffer.byteLength(data);
    if (bytes < 1 || bytes > DATA_BYTES) {
      found.push({ what: `callback_data of ${bytes} bytes, 1-${DATA_BYTES}`, refusal: 'BUTTON_DATA_INVALID' });
    }
    if (url !== undefined && !/^(https?:\/\/[^\s/]+|tg:\/\/\S+)/i.test(url)) {
      const refusal = `inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`;
      found.push({ what: `button "${text}" leads to ${url}`, refusal });
    }
  }
  return found;
}
