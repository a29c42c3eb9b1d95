/**
 * The types of the frames between the web chat's page and its server: JSON text over the WebSocket at `/chat`. The page
 * shows texts by `textContent` only, so nothing in a frame is markup.
 */

export type PageMessage =
  /** The first frame. `session` is a random UUID that the page keeps in localStorage; settings are stored under it. */
  | { readonly type: 'hello'; readonly session: string; readonly locales: readonly string[] }
  /** A typed or pasted line. The page chooses `id`: a line that it sends again after a reconnect is answered once. */
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'action'; readonly id: string; readonly token: string }
  /** Asks for suggestions for the text typed so far. Only the newest request is answered. */
  | { readonly type: 'suggest'; readonly id: string; readonly text: string }
  | { readonly type: 'cancel'; readonly id: string };

export type ServerMessage =
  /** The answer to hello, sent again when the language changes. */
  | {
      readonly type: 'welcome';
      readonly locale: string;
      readonly texts: Readonly<Record<string, string>>;
      readonly commands: readonly WebCommand[];
      readonly examples: readonly WebExample[];
      /** The languages to choose from, with their own names. */
      readonly languages: readonly WebLanguage[];
      /** The names of the sites whose links are answered. */
      readonly sites: readonly string[];
      /** The most characters of one message. */
      readonly maxLength: number;
      /** The server's clock, unix milliseconds, by which the moments in replies are to be read. */
      readonly now: number;
    }
  /** A message, or the press of a button (`action`), has arrived: the connection works and the answer is being made. */
  | { readonly type: 'accepted'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly text: string }
  /** One reply to a message; several links may get several. The `index`, from 0, shows whether it is a repeat. */
  | { readonly type: 'reply'; readonly id: string; readonly index: number; readonly reply: WebReply }
  /** A more complete version of a reply, which replaces the reply with that `index`. */
  | { readonly type: 'better'; readonly id: string; readonly index: number; readonly reply: WebReply }
  /** The answer to this message is complete; only better versions of its replies may follow. */
  | { readonly type: 'done'; readonly id: string }
  | { readonly type: 'suggestions'; readonly id: string; readonly items: readonly WebSuggestion[] }
  /** A sentence that belongs to no reply, such as how long several links must wait; screen readers announce it. */
  | { readonly type: 'notice'; readonly text: string }
  /** The server is shutting down: it accepts nothing new, and the page reconnects soon. */
  | { readonly type: 'closing' };

export interface WebLanguage {
  readonly tag: string;
  readonly name: string;
}

export interface WebCommand {
  readonly name: string;
  readonly description: string;
  /** How the command is written: `/download link [item] [audio]`. */
  readonly usage: string;
}

/** An example to try, offered while the conversation is empty. */
export interface WebExample {
  readonly label: string;
  /** The line to send, or the beginning of one when it ends with a space. */
  readonly text: string;
  /** `beatmaps` for an example about osu!; absent for the link of a post. */
  readonly about?: 'beatmaps';
}

export interface WebSuggestion {
  readonly label: string;
  readonly detail: string;
  /** The whole line that choosing this suggestion writes into the input. */
  readonly text: string;
}

export interface WebReply {
  readonly tone: 'neutral' | 'success' | 'notice' | 'error';
  readonly blocks: readonly WebBlock[];
  readonly gallery: readonly WebMedia[];
  readonly actions: readonly WebAction[];
  /** Asking again may help from `at` on (unix milliseconds); if only one `link` failed, that one is asked again. */
  readonly retry?: { readonly at: number; readonly link?: string };
}

export type WebText = readonly WebInline[];
export type WebInline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: WebText }
  /** A link. With a `token`, a press on it does what the button with that token does. */
  | { readonly kind: 'link'; readonly url: string; readonly children: WebText; readonly token?: string }
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /** A spot of a colour, which is written as `#rrggbb`. */
  | { readonly kind: 'swatch'; readonly colour: string };

export type WebBlock =
  | {
      readonly kind: 'heading';
      readonly text: WebText;
      /** The address of an author's avatar, and the site of their post. */
      readonly image?: string;
      readonly site?: { readonly name: string; readonly colour: string };
    }
  | { readonly kind: 'text'; readonly text: WebText; readonly folded: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly { readonly label: string; readonly value: WebText }[] }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string; readonly ratio: number | null }
  /** An image card with its size in pixels; if it cannot be loaded, the page shows `alt`. */
  | {
      readonly kind: 'picture';
      readonly url: string;
      readonly alt: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: 'charts'; readonly charts: readonly WebChart[] }
  | { readonly kind: 'sound'; readonly sound: WebSound }
  | { readonly kind: 'card'; readonly card: WebCard }
  | { readonly kind: 'divider' };

/** A curve through values, from left to right. */
export interface WebChart {
  readonly label: string;
  /** A point of the curve: its relative `height`, its value in words (`text`), and what has that value (`name`). */
  readonly points: readonly { readonly height: number; readonly text: string; readonly name: string }[];
}

/** A short audio preview, at a path on this server. */
export interface WebSound {
  readonly url: string;
  readonly label: string;
}

/** One of several things in a list, such as a beatmap or a play. */
export interface WebCard {
  readonly title: WebText;
  readonly lines: readonly WebText[];
  /** The card's image; `ratio` is width divided by height, where known. */
  readonly image: { readonly url: string; readonly alt: string; readonly ratio?: number } | null;
  /** A value, such as pp, that is shown apart from the lines. */
  readonly worth?: {
    readonly value: string;
    readonly detail: string;
    /** The grade of a play in its colour, and each of its mods. */
    readonly play?: { readonly grade: string; readonly colour: string; readonly mods: readonly string[] };
  };
  /** The card's colour as `#rrggbb`; null for a card without a colour of its own. */
  readonly colour: string | null;
  readonly sound: WebSound | null;
  readonly action: WebAction | null;
}

/** A file in the chat. Its addresses are paths on this server, so nothing is fetched from third parties. */
export interface WebMedia extends WebFile {
  readonly kind: 'video' | 'image' | 'audio';
  readonly src: string;
  readonly mime: string;
  readonly poster: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  /** The description of the post's file, if it has one; else ''. */
  readonly alt: string;
  readonly spoiler: boolean;
  /** The same video in all sizes, largest first, beginning with `src`; absent when there is only one. */
  readonly qualities?: readonly WebQuality[];
  /** The address of a part of the video, to which `&from=` and `&to=` are appended; absent when it cannot be cut. */
  readonly clipUrl?: string;
  /** The audio alone, if the post's item has it as a file. */
  readonly audio?: WebFile;
  /** When the addresses become invalid, unix milliseconds. */
  readonly expiresAt: number;
}

export interface WebFile {
  readonly downloadUrl: string;
  readonly fileName: string;
  /** A label of the video's size, such as `720p`; absent if the file is no video, or the size is unknown. */
  readonly label?: string;
  /** The size in bytes; absent when unknown. */
  readonly bytes?: number;
  /** True when `bytes` is estimated from the bit rate. */
  readonly isRough?: true;
}

export interface WebQuality extends WebFile {
  readonly label: string;
  readonly src: string;
}

export type WebAction =
  | { readonly kind: 'link'; readonly label: string; readonly url: string; readonly style?: 'primary' }
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly token: string;
      readonly style: 'primary' | 'secondary' | 'danger';
      /**
       * True for a button that leads to the level above, such as from the help for a command to the list of commands.
       * The page leaves it out where its own Back button leads to a previous reply.
       */
      readonly isUp?: true;
    }
  | { readonly kind: 'menu'; readonly label: string; readonly choices: readonly WebChoice[] };

export interface WebChoice {
  readonly label: string;
  /** More about the option; '' when there is nothing to add. */
  readonly detail: string;
  readonly token: string;
}
