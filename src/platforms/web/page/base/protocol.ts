/**
 * The web chat's page and its server talk to each other in these frames, over one WebSocket at `/chat`: JSON text frames, types only.
 * The page shows text with `textContent` alone; nothing in here is markup.
 */

export type PageMessage =
  /** First frame. `session` is a random UUID the page keeps in localStorage; settings hang on it. */
  | { readonly type: 'hello'; readonly session: string; readonly locales: readonly string[] }
  /** A typed or pasted line. `id` is the page's own; a repeated id after a reconnect is answered once. */
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'action'; readonly id: string; readonly token: string }
  /** Asks what may follow the text typed so far. Only the newest is answered. */
  | { readonly type: 'suggest'; readonly id: string; readonly text: string }
  | { readonly type: 'cancel'; readonly id: string };

export type ServerMessage =
  /** Answer to hello, sent again when the language changes. */
  | {
      readonly type: 'welcome';
      readonly locale: string;
      readonly texts: Readonly<Record<string, string>>;
      readonly commands: readonly WebCommand[];
      readonly examples: readonly WebExample[];
      /** The languages to choose from, by their own names. */
      readonly languages: readonly WebLanguage[];
      /** The names of the sites whose links are taken. */
      readonly sites: readonly string[];
      /** Characters of one message. */
      readonly maxLength: number;
    }
  /** A message or action has arrived: the connection is alive and the answer is being made. */
  | { readonly type: 'accepted'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly text: string }
  /** One message may get several replies (several links); `index` counts them from 0, so a repeated one is recognised. */
  | { readonly type: 'reply'; readonly id: string; readonly index: number; readonly reply: WebReply }
  /** This reply takes the place of that one, which was not complete. */
  | { readonly type: 'better'; readonly id: string; readonly index: number; readonly reply: WebReply }
  /** Nothing more will come for this id. */
  | { readonly type: 'done'; readonly id: string }
  | { readonly type: 'suggestions'; readonly id: string; readonly items: readonly WebSuggestion[] }
  /** Something about the connection, not about a message. */
  | { readonly type: 'notice'; readonly text: string }
  /** The server is going down: nothing new is taken, and the page connects again soon. */
  | { readonly type: 'closing' };

export interface WebLanguage {
  readonly tag: string;
  readonly name: string;
}

export interface WebCommand {
  readonly name: string;
  readonly description: string;
  /** `/download link [item] [audio]` */
  readonly usage: string;
}

/** Something to try, offered while the conversation is empty. */
export interface WebExample {
  readonly label: string;
  /** The line to send, or the beginning of one when it ends with a space. */
  readonly text: string;
  /** Absent for a post. */
  readonly about?: 'beatmaps';
}

export interface WebSuggestion {
  readonly label: string;
  readonly detail: string;
  /** The whole input line when chosen. */
  readonly text: string;
}

export interface WebReply {
  readonly tone: 'neutral' | 'success' | 'notice' | 'error';
  readonly blocks: readonly WebBlock[];
  readonly gallery: readonly WebMedia[];
  readonly actions: readonly WebAction[];
  /** Asking again may help from `at` on, in unix milliseconds: the same, or this one `link` of several. */
  readonly retry?: { readonly at: number; readonly link?: string };
}

export type WebText = readonly WebInline[];
export type WebInline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: WebText }
  /** With a `token` it opens here, as a button does. */
  | { readonly kind: 'link'; readonly url: string; readonly children: WebText; readonly token?: string }
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /** `#rrggbb` */
  | { readonly kind: 'swatch'; readonly colour: string };

export type WebBlock =
  | { readonly kind: 'heading'; readonly text: WebText }
  | { readonly kind: 'text'; readonly text: WebText; readonly folded: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly { readonly label: string; readonly value: WebText }[] }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string; readonly ratio: number | null }
  /** An image card, in pixels; where it cannot be drawn after all, the page shows `alt`. */
  | {
      readonly kind: 'picture';
      readonly url: string;
      readonly alt: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: 'sound'; readonly sound: WebSound }
  | { readonly kind: 'card'; readonly card: WebCard }
  | { readonly kind: 'divider' };

/** A short piece to try, at a path on this server. */
export interface WebSound {
  readonly url: string;
  readonly label: string;
}

/** One of several things in a list. */
export interface WebCard {
  readonly title: WebText;
  readonly lines: readonly WebText[];
  /** `ratio`: width by height, where known. */
  readonly image: { readonly url: string; readonly alt: string; readonly ratio?: number } | null;
  /** A value that is set apart from the lines. */
  readonly worth?: {
    readonly value: string;
    readonly detail: string;
    /** The grade of a play in its colour, and each of its mods. */
    readonly play?: { readonly grade: string; readonly colour: string; readonly mods: readonly string[] };
  };
  /** `#rrggbb` */
  readonly colour: string | null;
  readonly sound: WebSound | null;
  readonly action: WebAction | null;
}

/** A file in the chat. Addresses are paths on this server (the tunnel), so nothing is fetched from third parties. */
export interface WebMedia extends WebFile {
  readonly kind: 'video' | 'image' | 'audio';
  readonly src: string;
  readonly mime: string;
  readonly poster: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  /** A description, when the post has one; else ''. */
  readonly alt: string;
  readonly spoiler: boolean;
  /** The sizes of a video, largest first; absent where there is only one. The first is `src`. */
  readonly qualities?: readonly WebQuality[];
  /** The audio alone, where the post has that as a file. */
  readonly audio?: WebFile;
  /** Unix milliseconds after which the addresses answer no more. */
  readonly expiresAt: number;
}

export interface WebFile {
  readonly downloadUrl: string;
  readonly fileName: string;
  /** `720p`; absent where it is no video, or its size is unknown. */
  readonly label?: string;
  /** Absent when unknown. */
  readonly bytes?: number;
  /** `bytes` is by its rate, and not its own. */
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
    }
  | { readonly kind: 'menu'; readonly label: string; readonly choices: readonly WebChoice[] };

export interface WebChoice {
  readonly label: string;
  /** '' when there is nothing to add. */
  readonly detail: string;
  readonly token: string;
}
