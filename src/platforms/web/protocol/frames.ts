import * as z from 'zod';
import { parseJson } from '../../../infra/parse-json.ts';
import type { PageMessage } from '../page/base/protocol.ts';

const id = z.string().regex(/^[\w-]{1,64}$/);

const pageMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    session: z.uuid().toLowerCase(),
    locales: z.array(z.string().max(64)).max(16),
  }),
  // How long a text may be is the conversation's to say, kindly; here only the frame's size counts.
  z.object({ type: z.literal('message'), id, text: z.string() }),
  z.object({ type: z.literal('action'), id, token: z.string().max(256) }),
  z.object({ type: z.literal('suggest'), id, text: z.string() }),
  z.object({ type: z.literal('cancel'), id }),
]);

/** Undefined for anything that is not a frame of the protocol. */
export function parseFrame(text: string): PageMessage | undefined {
  const parsed = pageMessage.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}
