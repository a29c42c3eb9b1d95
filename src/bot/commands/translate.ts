import { MAX_ADDRESS_CHARS } from '../../media/extract/address.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import { reply } from '../contract/reply-parts.ts';
import { chatSettingsOf, showsSensitive } from '../stores/settings.ts';
import { notice } from '../views/notice.ts';
import { renderWithheld } from '../views/post.ts';

/** Translates a post's caption for the person who pressed the button. */
export const translate = defineCommand({
  name: 'translate',
  options: { link: { type: 'string', form: 'link', required: true, maxLength: MAX_ADDRESS_CHARS } },
  visibility: 'caller',
  cost: 2,
  listed: false,
  async run({ link }, { caller, services, signal, t }: CommandContext): Promise<Reply> {
    const words = t.messages.post;
    const { post } = await services.extractor.extract(link, { signal });
    const chat = await chatSettingsOf(services, caller);
    if (post.sensitive && !showsSensitive(chat, caller)) return renderWithheld(post, chat, t);
    const text = [post.title, post.caption].flatMap(part => part?.trim() || []).join('\n\n');
    if (text === '' || services.translation === undefined) return notice(words.noWords);
    const translated = await services.translation.translate(text, t.locale, signal);
    return reply({
      blocks: [
        { kind: 'text', text: [translated] },
        { kind: 'text', text: [words.translated], small: true },
      ],
      actions: [{ kind: 'link', label: words.openOriginal, url: post.url }],
      visibility: 'caller',
      isBeside: true,
    });
  },
});
