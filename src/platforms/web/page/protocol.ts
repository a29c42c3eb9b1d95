/**
 * What the web chat's page and its server say to each other over one WebSocket at `/chat`: JSON text frames, types only.
 * The page shows text with `textContent` alone; nothing in here is markup.
 */

export type PageMessage =
  /** First frame. `session` is a random UUID the page keeps in localStorage; settings hang on it. */
  | { readonly type: 'hello'; readonly session: string; readonly locales: readonly string[] }
  /** A typed or pasted line. `id` is the page's own; a repeated id after a reconnect is answered once. */
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'action'; readonly id: string; readonly token: string }
  /** What may follow the text typed so far. */
  | { readonly type: 'suggest'; readonly id: string; readonly text: string }
  | { readonly type: 'cancel'; readonly id: string };

export type ServerMessage =
  /** Answer to hello, sent again when the language changes. */
  | {
      readonly type: 'welcome';
      readonly locale: string;
      readonly texts: Readonly<Record<string, string>>;
      readonly commands: readonly WebCommand[];
      readonly maxLength: number;
    }
  | { readonly type: 'progress'; readonly id: string; readonly text: string }
  /** `last` is false while more replies to the same message follow (several links in one message). */
  | { readonly type: 'reply'; readonly id: string; readonly last: boolean; readonly reply: WebReply }
  | { readonly type: 'suggestions'; readonly id: string; readonly items: readonly WebSuggestion[] };

export interface WebCommand {
  readonly name: string;
  readonly description: string;
  /** `/download link [item] [audio]` */
  readonly usage: string;
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
}

export type WebText = readonly WebInline[];
export type WebInline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: WebText }
  | { readonly kind: 'link'; readonly url: string; readonly children: WebText }
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' };

export type WebBlock =
  | { readonly kind: 'heading'; readonly text: WebText }
  | { readonly kind: 'text'; readonly text: WebText; readonly folded: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly { readonly label: string; readonly value: WebText }[] }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'divider' };

/** A file in the chat. Addresses are paths on this server (the tunnel), so nothing is fetched from third parties. */
export interface WebMedia {
  readonly kind: 'video' | 'image' | 'audio';
  readonly src: string;
  readonly mime: string;
  readonly poster: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly alt: string;
  readonly downloadUrl: string;
  readonly fileName: string;
}

export type WebAction =
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'button'; readonly label: string; readonly token: string; readonly style: 'primary' | 'secondary' | 'danger' };
