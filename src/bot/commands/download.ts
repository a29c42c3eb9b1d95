import { type CommandContext, defineCommand } from '../command.ts';
import { usageError } from '../dispatch/usage-error.ts';
import { readableChatSettings } from '../settings/chat-settings.ts';
import { hasSound, renderPost } from '../views/post.ts';

/** Longest link worth reading; the longest canonical ones are a tenth of it. */
const MAX_LINK_LENGTH = 2048;
const MAX_ITEM = 100;

/** Brings a post: all its files, the one that the link or the caller points at, or only the sound. */
export const download = defineCommand({
  name: 'download',
  options: {
    link: { type: 'string', form: 'link', required: true, maxLength: MAX_LINK_LENGTH },
    item: { type: 'integer', required: false, min: 1, max: MAX_ITEM },
    audio: { type: 'boolean', required: false },
  },
  visibility: 'chat',
  cost: 2,
  accepts: 'link',
  async run({ link, item, audio }, { caller, services, signal, progress, t }: CommandContext) {
    // The dispatcher has logged what cannot be read when it looked for the language.
    const { captions, disabledSources } = await readableChatSettings(services, caller, () => undefined);
    const source = services.extractor.sourceOf(link);
    if (source !== undefined && disabledSources.includes(source)) throw usageError('sourceOff', { source });
    progress('fetching');
    const { post, itemIndex } = await services.extractor.extract(link, { signal });
    progress('preparing');
    const count = post.items.length;
    if (item !== undefined && item > count) throw usageError('itemRange', { count });

    const chosen = item === undefined ? itemIndex : item - 1;
    const all = chosen === null ? post.items.map((_, index) => index) : [chosen];
    if (audio !== true) return renderPost(post, t, { indexes: all, form: 'original', captions });

    const sounding = all.filter(index => {
      const media = post.items[index];
      return media !== undefined && hasSound(media);
    });
    if (sounding.length === 0) throw usageError('noSound');
    return renderPost(post, t, { indexes: sounding, form: 'audio', captions });
  },
});
