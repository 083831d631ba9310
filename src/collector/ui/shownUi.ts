import type { UiDone, UiOrder, UiTree } from '../../model/ui/element.ts';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import type { Mark } from './annotate.ts';
import type { Picture } from './picture.ts';

/** What a program shows, in windows or pages. */
export interface ShownUi {
  tree(): Promise<UiTree>;
  act(order: UiOrder): Promise<UiDone>;
  /** The topmost first. */
  windows(): Promise<readonly ShownWindow[]>;
  /** Of one of `windows`. */
  picture(window: ShownWindow, windows: readonly ShownWindow[]): Promise<Picture>;
  /** Where the elements of one of `windows` are in its picture. */
  marks(window: ShownWindow, windows: readonly ShownWindow[]): Promise<Marks>;
}

export interface Marks {
  readonly marks: readonly Mark[];
  /** Of a program that does not answer: how long ago it did, in ms; null: they are those of now. */
  readonly ageMs: number | null;
}
