/** What a person sees as one thing in a window. */
export interface UiElement {
  /** Readable, and the same while it is the same thing: "btn_play". */
  readonly id: string;
  readonly role: string;
  readonly name: string;
  /** What is not as usual: "disabled", "checked". */
  readonly marks: readonly string[];
  readonly value: { readonly now: number; readonly low: number; readonly high: number } | null;
  /** Text that can be edited or selected. */
  readonly text: string | null;
  readonly children: readonly UiElement[];
}

/** All that the windows of a program show. */
export interface UiTree {
  /** "gtk 3.24.38" */
  readonly toolkit: string;
  readonly windows: readonly UiElement[];
  /** Widgets that the program has, shown or not. */
  readonly widgets: number;
  /** Further ones that are there and were not read: lists and programs are read up to a limit. */
  readonly unread: number;
  readonly readMs: number;
  /** How what is painted was looked for; null: nothing was. */
  readonly sight: string | null;
}

/** What is done in a window. */
export type UiOrder =
  | { readonly action: 'click'; readonly id: string; readonly count: number }
  | { readonly action: 'setValue'; readonly id: string; readonly value: string | number }
  | { readonly action: 'select'; readonly id: string; readonly item: string }
  | { readonly action: 'type'; readonly id: string | null; readonly text: string }
  | { readonly action: 'key'; readonly id: string | null; readonly key: string }
  | {
      readonly action: 'scroll';
      readonly id: string;
      readonly direction: UiDirection;
      /** Steps of a mouse wheel. */
      readonly amount: number;
    }
  | {
      readonly action: 'drag';
      readonly id: string;
      /** An element, or pixels from the middle of the one that is dragged. */
      readonly to: string | { readonly right: number; readonly down: number };
    };

export type UiDirection = 'up' | 'down' | 'left' | 'right';

/** What came of it. */
export interface UiDone {
  /** `confirmed`: what was wanted is seen; `sent`: nothing that is shown says so; `noEffect`: it is seen that it did not. */
  readonly done: 'confirmed' | 'sent' | 'noEffect';
  readonly means: UiMeans;
  readonly element: string | null;
  readonly delta: readonly string[];
  /** No window is left. */
  readonly isClosed: boolean;
  readonly settledMs: number;
}

/** `script`: a function that runs in the page. */
export type UiMeans = 'pointer' | 'keyboard' | 'accessibility' | 'script';
