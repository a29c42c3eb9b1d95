import { z } from 'zod';
import type { ChatMessage } from '../fakes/discord/records.ts';
import { renderMarkdown } from './discord-markdown.ts';
import { escapeHtml, fileAddress, renderMedia } from './html.ts';

const media = z.looseObject({ url: z.string() });
const mediaItem = z.looseObject({ media, description: z.string().nullish(), spoiler: z.boolean().nullish() });

/** As much of a component as is drawn. */
const component = z.looseObject({
  type: z.number(),
  content: z.string().optional(),
  get components() {
    return z.array(component).optional();
  },
  get accessory() {
    return component.optional();
  },
  items: z.array(mediaItem).optional(),
  media: media.optional(),
  file: media.optional(),
  label: z.string().nullish(),
  style: z.number().optional(),
  url: z.string().nullish(),
  emoji: z.looseObject({ name: z.string().nullish() }).nullish(),
  disabled: z.boolean().nullish(),
  placeholder: z.string().nullish(),
  options: z.array(z.looseObject({ label: z.string(), default: z.boolean().nullish() })).optional(),
  accent_color: z.number().nullish(),
  divider: z.boolean().nullish(),
  name: z.string().optional(),
});
type Component = z.infer<typeof component>;

const body = z.looseObject({ content: z.string().nullish(), components: z.array(component).nullish() });

const STYLES: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link' };

/** A message of the bot as Discord lays it out: its real payload, and the files that came with it. */
export function renderDiscordMessage(message: ChatMessage): string {
  const { content, components } = body.parse(message.body);
  const addressOf = (url: string) => {
    const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
    const file = message.files.find(each => each.name === name);
    return {
      address: file === undefined ? url : fileAddress(file.sha256),
      isVideo: /\.(mp4|webm|mov)/.test(name ?? url),
    };
  };

  function render(part: Component): string {
    const inner = () => (part.components ?? []).map(render).join('');
    switch (part.type) {
      case 1:
        return `<div class="row">${inner()}</div>`;
      case 2:
        return renderButton(part);
      case 3:
      case 5:
      case 6:
      case 7:
      case 8:
        return `<div class="select">${escapeHtml(chosenOf(part))}<span class="chevron"></span></div>`;
      case 9:
        return `<div class="section"><div>${inner()}</div>${part.accessory === undefined ? '' : render(part.accessory)}</div>`;
      case 10:
        return `<div class="text">${renderMarkdown(part.content ?? '')}</div>`;
      case 11:
        return `<div class="thumbnail">${draw(part.media?.url ?? '', '')}</div>`;
      case 12: {
        const items = part.items ?? [];
        return `<div class="gallery of-${Math.min(items.length, 5)}">${items.map(item => draw(item.media.url, item.description ?? '')).join('')}</div>`;
      }
      case 13:
        return `<div class="file">${escapeHtml(part.file?.url.replace('attachment://', '') ?? '')}</div>`;
      case 14:
        return part.divider === false ? '<div class="gap"></div>' : '<hr>';
      case 17: {
        const colour = part.accent_color;
        const bar = colour == null ? '' : ` style="--bar:#${colour.toString(16).padStart(6, '0')}"`;
        return `<div class="container"${bar}>${inner()}</div>`;
      }
      default:
        return `<div class="unknown">component ${part.type}</div>`;
    }
  }

  function draw(url: string, alt: string): string {
    const { address, isVideo } = addressOf(url);
    return renderMedia(address, isVideo, alt);
  }

  const text = content == null || content === '' ? '' : `<div class="text">${renderMarkdown(content)}</div>`;
  const ephemeral = (message.flags & 64) === 0 ? '' : '<div class="only-you">Only you can see this</div>';
  return text + (components ?? []).map(render).join('') + ephemeral;
}

function renderButton({ label, style = 2, emoji, disabled }: Component): string {
  const name = emoji?.name == null ? '' : `<span class="emoji">${escapeHtml(emoji.name)}</span>`;
  const state = disabled === true ? ' disabled' : '';
  return `<button class="${STYLES[style] ?? 'secondary'}"${state}>${name}${escapeHtml(label ?? '')}</button>`;
}

function chosenOf({ options = [], placeholder }: Component): string {
  const chosen = options.filter(option => option.default === true).map(({ label }) => label);
  return chosen.length > 0 ? chosen.join(', ') : (placeholder ?? '');
}
