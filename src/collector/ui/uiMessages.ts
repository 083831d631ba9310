import type { WindowPicture } from '../../model/ui/shownWindow.ts';

/** Each question about the window of a program, with its answer. */
export interface UiAnswers {
  readonly screenshot: {
    readonly asked: {
      /** The title of a window or a part of it; null: the topmost. */
      readonly window: string | null;
    };
    readonly answer: WindowPicture;
  };
}

export type UiKind = keyof UiAnswers;
export type UiAsked<K extends UiKind> = UiAnswers[K]['asked'];
export type UiAnswer<K extends UiKind> = UiAnswers[K]['answer'];

export interface UiQuestion<K extends UiKind = UiKind> {
  readonly kind: K;
  readonly asked: UiAsked<K>;
}
