import { StrobeError } from '../../../model/errors.ts';
import type { UiMeans, UiOrder } from '../../../model/ui/element.ts';
import type { Widget } from '../atspi/widget.ts';
import { textOf, type Fields } from './devtoolsPipe.ts';

/** What a script of a page asks for: until it is answered, the page does nothing else. */
export interface PageDialog {
  readonly number: number;
  /** "alert", "confirm", "prompt", "beforeunload" */
  readonly kind: string;
  readonly message: string;
  /** What the field of a prompt holds. */
  text: string;
}

export interface DialogAnswer {
  readonly accept: boolean;
  readonly promptText: string;
}

/** The dialogs that hold pages. */
export class PageDialogs {
  /** By the session of its page. */
  readonly #open = new Map<string, PageDialog>();
  readonly #waiting = new Map<string, Set<(nothing: Fields) => void>>();
  #count = 0;

  hear(method: string, params: Fields, page: string): void {
    if (method === 'Page.javascriptDialogClosed') this.#open.delete(page);
    if (method !== 'Page.javascriptDialogOpening') return;
    this.#open.set(page, {
      number: ++this.#count,
      kind: textOf(params['type']),
      message: textOf(params['message']),
      text: textOf(params['defaultPrompt']),
    });
    for (const resolve of this.#waiting.get(page) ?? []) resolve({});
  }

  of(page: string): PageDialog | null {
    return this.#open.get(page) ?? null;
  }

  /** What the page answers; nothing once a dialog opens. Throws NOT_ACTIONABLE where one is open. */
  async answerOf(page: string, ask: () => Promise<Fields>): Promise<Fields> {
    const dialog = this.of(page);
    if (dialog !== null) throw heldBy(dialog);
    const waiting = this.#waiting.get(page) ?? new Set();
    this.#waiting.set(page, waiting);
    let heard: ((nothing: Fields) => void) | null = null;
    const opened = new Promise<Fields>((resolve) => {
      heard = resolve;
      waiting.add(resolve);
    });
    try {
      return await Promise.race([ask(), opened]);
    } finally {
      if (heard !== null) waiting.delete(heard);
    }
  }
}

/** A dialog with its field and buttons, as a window of the page. */
export function dialogWidget(session: string, dialog: PageDialog): Widget {
  const { number, kind, message, text } = dialog;
  const part = (role: string, name: string, more: Partial<Widget> = {}): Widget => ({
    reference: { bus: session, path: `dialog${number} ${role} ${name}` },
    role,
    name,
    states: new Set(['showing', 'sensitive']),
    interfaces: new Set<string>(),
    children: [],
    value: null,
    text: null,
    extents: null,
    ...more,
  });
  const field = part('text', '', { text, interfaces: new Set(['EditableText']) });
  const [yes, no] = kind === 'beforeunload' ? ['Leave', 'Stay'] : ['OK', 'Cancel'];
  return part('dialog', message, {
    text: kind,
    states: new Set(['showing', 'sensitive', 'modal']),
    children: [
      ...(kind === 'prompt' ? [field] : []),
      part('button', yes),
      ...(kind === 'alert' ? [] : [part('button', no)]),
    ],
  });
}

export function isOfDialog({ reference }: Widget): boolean {
  return reference.path.startsWith('dialog');
}

/** Does in a dialog what is ordered; how the dialog is answered, or null: it stays open. Throws NOT_ACTIONABLE. */
export function inDialog(
  dialog: PageDialog,
  widget: Widget | null,
  order: UiOrder,
): { readonly answer: DialogAnswer | null; readonly means: UiMeans } {
  const closed = (accept: boolean) => ({ accept, promptText: dialog.text });
  const isField = widget === null || widget.role === 'text';
  if (order.action === 'click' && widget?.role === 'button')
    return { answer: closed(['OK', 'Leave'].includes(widget.name)), means: 'pointer' };
  if (order.action === 'key' && ['return', 'escape'].includes(order.key.toLowerCase()))
    return { answer: closed(order.key.toLowerCase() === 'return'), means: 'keyboard' };
  if (dialog.kind === 'prompt' && isField && order.action === 'type') {
    dialog.text += order.text;
    return { answer: null, means: 'keyboard' };
  }
  if (dialog.kind === 'prompt' && isField && order.action === 'setValue') {
    dialog.text = String(order.value);
    return { answer: null, means: 'keyboard' };
  }
  throw new StrobeError(
    'NOT_ACTIONABLE',
    `A dialog of a page takes clicks on its buttons, Return and Escape${dialog.kind === 'prompt' ? ', and text in its field' : ''}; not ${order.action}.`,
  );
}

function heldBy({ kind, message }: PageDialog): StrobeError {
  return new StrobeError(
    'NOT_ACTIONABLE',
    `The page waits in ${kind}(${JSON.stringify(message)}) and does nothing else.`,
    'debug_ui {"action":"tree"} shows the dialog with its buttons: click one.',
  );
}
