/** A window that a display shows, in pixels of the display. */
export interface ShownWindow {
  readonly id: number;
  readonly title: string;
  /** Of the program that opened it, where it says so. */
  readonly pid: number | null;
  /** A menu, a tool tip: shown beside a window of its program, without a frame. */
  readonly isPopup: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A window as it looks, in two sizes. */
export interface WindowPicture {
  readonly window: ShownWindow;
  /** A PNG file of its true size. */
  readonly file: Uint8Array;
  /** The same no larger than models look at. */
  readonly small: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Ids that were to be drawn and for which there was no room. */
  readonly omitted: readonly string[];
  /** Of a program that does not answer: how long ago its elements were read, in ms; null: they are those of now. */
  readonly idsAgeMs: number | null;
  /** Titles of the other windows that are shown. */
  readonly others: readonly string[];
}
