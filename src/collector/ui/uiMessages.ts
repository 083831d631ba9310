import type { UiDone, UiOrder, UiTree } from '../../model/ui/element.ts';
import type { WindowPicture } from '../../model/ui/shownWindow.ts';
import type { StageAddress } from './stage.ts';

/** What the thread gets that is asked. */
export interface WatchedStage extends StageAddress {
  /** A program that finds elements in pictures, with its arguments; may be empty. */
  readonly visionCommand: readonly string[];
}

/** Each question about the window of a program, with its answer. */
export interface UiAnswers {
  readonly screenshot: {
    readonly asked: {
      /** The title of a window or a part of it; null: the topmost. */
      readonly window: string | null;
      /** Elements have boxes with their ids. */
      readonly isAnnotated: boolean;
    };
    readonly answer: WindowPicture;
  };
  readonly tree: { readonly asked: null; readonly answer: UiTree };
  readonly act: { readonly asked: UiOrder; readonly answer: UiDone };
}

export type UiKind = keyof UiAnswers;
export type UiAsked<K extends UiKind> = UiAnswers[K]['asked'];
export type UiAnswer<K extends UiKind> = UiAnswers[K]['answer'];

export type UiQuestion = {
  readonly [K in UiKind]: { readonly kind: K; readonly asked: UiAsked<K> };
}[UiKind];
