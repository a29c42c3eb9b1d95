import { MAX_ADDRESS_CHARS } from '../../media/extract/address.ts';
import { indexAt, itemCount } from '../../media/post.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { usageError } from '../dispatch/usage-error.ts';
import { readableChatSettings } from '../settings/chat-settings.ts';
import { renderCover } from '../views/cover.ts';
import { hasSound, renderPost } from '../views/post.ts';
import { type CardSite, postSite, siteNameOf } from '../views/site-name.ts';

const MAX_ITEM = 100;

/** Brings a post: all its files, the one that the link or the caller points at, or only the audio. */
export function createDownload({ sources }: { readonly sources: readonly CardSite[] }) {
  return defineCommand({
    name: 'download',
    options: {
      link: { type: 'string', form: 'link', required: true, maxLength: MAX_ADDRESS_CHARS },
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
      const disabled = disabledSources.find(id => id === source);
      if (disabled !== undefined) throw usageError('sourceOff', { site: siteNameOf(disabled, sources, t) });
      progress('fetching');
      const { post, itemIndex, reason } = await services.extractor.extract(link, { signal });
      const site = postSite(post, sources, t);
      if (reason !== undefined) return renderCover(post, site, reason, t);
      progress('preparing');
      const count = itemCount(post);
      if (item !== undefined && item > count) throw usageError('itemRange', { count });

      const place = item === undefined ? itemIndex : item - 1;
      const chosen = place === null ? undefined : indexAt(post, place);
      const all = chosen === undefined ? post.items.map((_, index) => index) : [chosen];
      const missing = place !== null && chosen === undefined ? place : undefined;
      if (audio !== true) return renderPost(post, t, { indexes: all, form: 'original', site, captions, missing });

      const sounding = all.filter(index => {
        const media = post.items[index];
        return media !== undefined && hasSound(media);
      });
      if (sounding.length === 0) throw usageError('noSound');
      return renderPost(post, t, { indexes: sounding, form: 'audio', site, captions, missing });
    },
  });
}
