/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The theme of the reader's chat, where it is known. */
export type CardTheme = 'dark' | 'light';

/** An image card, which is drawn only when it is sent. */
export interface Picture extends Size {
  /** Identifies the image by its content: letters, digits, `-`. */
  readonly key: string;
  /** The SVG of the card's dark version. It is stored in place of the PNG with a reply that waits to be sent. */
  readonly svg?: string;
  /**
   * Draws the PNG; a card that cannot be drawn is replaced by the text `PictureBlock.alt`.
   * @param theme default: dark
   */
  draw(theme?: CardTheme): Promise<Buffer>;
}

/** A curve through values, from left to right. */
export interface Chart {
  readonly label: string;
  /**
   * A point: `height` places it among the curve's other points, `text` is its value in words, `name` tells what has
   * that value, such as a play or a day.
   */
  readonly points: readonly { readonly height: number; readonly text: string; readonly name: string }[];
}

export interface SvgRasterizer {
  /**
   * An image that is drawn when it is needed. Equal SVGs share one image, which is kept for a while.
   * @param render returns a whole SVG document of that size, which refers to no address
   */
  picture(name: string, render: (theme: CardTheme) => string, size: Size): Picture;
}
