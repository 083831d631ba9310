import { escaped } from '../../../base/visible.ts';
import { jsonText } from '../../reader/values/plainValues.ts';
import type { ExportedCall, ExportedEvent } from '../port.ts';

const LINE_LETTERS = 300;
const VALUES_LETTERS = 200;

/** The beginning of a text that is longer than `most`. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Letters that may still be written. */
export class TextBudget {
  #left: number;

  constructor(letters: number) {
    this.#left = letters;
  }

  get has(): boolean {
    return this.#left > 0;
  }

  take(text: string): string {
    this.#left -= text.length;
    return text;
  }
}

/** What stands behind the name of a call: `(n=1) = 2`. */
export function callLine(call: ExportedCall): string {
  const { arguments: values, returns, exception } = call.values();
  const given = values
    .map(({ name, value }) => `${name}=${jsonText.value(value) ?? '?'}`)
    .join(', ');
  const head = `(${cut(given, VALUES_LETTERS)})`;
  if (call.end === 'unwound') {
    const thrown = exception && jsonText.value(exception);
    return `${head} ✗ unwound${thrown === undefined || thrown === null ? '' : ` by ${cut(thrown, VALUES_LETTERS)}`}`;
  }
  if (call.end !== 'returned')
    return `${head} … ${call.end === 'open' ? 'never returned' : 'end not known'}`;
  const result = jsonText.value(returns);
  return result === undefined ? head : `${head} = ${cut(result, VALUES_LETTERS)}`;
}

/** Letters for each kind of event, the newest lines of output being the most wanted. */
const letters = {
  output: 200_000,
  exception: 100_000,
  variable_snapshot: 60_000,
  other: 60_000,
} as const;
type Kind = keyof typeof letters;

type Row = readonly [type: string, time: number, text: string];

/** Events that are no calls, as many as there is room for. */
export class ReportEvents {
  readonly #rows: Row[] = [];
  readonly #budgets = new Map<Kind, TextBudget>();
  readonly #left = new Map<Kind, number>();
  #ending = '';

  add(event: ExportedEvent): void {
    const { type, time } = event;
    const kind = kindOf(type);
    const budget = this.#budgets.get(kind) ?? new TextBudget(letters[kind]);
    this.#budgets.set(kind, budget);
    if (type === 'process' && /exited|killed/.test(event.text)) this.#ending = event.text;
    if (!budget.has) {
      this.#left.set(kind, (this.#left.get(kind) ?? 0) + 1);
      return;
    }
    this.#rows.push([type, time, budget.take(escaped(cut(event.text, LINE_LETTERS)))]);
  }

  get all(): readonly Row[] {
    return this.#rows.toSorted((a, b) => a[1] - b[1]);
  }

  /** How the program ended, in words. */
  get ending(): string {
    return this.#ending;
  }

  get notes(): string[] {
    return [...this.#left].map(
      ([kind, count]) =>
        `${count} later events (${kind}) have no room here: strobe query shows them.`,
    );
  }
}

function kindOf(type: string): Kind {
  if (type === 'stdout' || type === 'stderr') return 'output';
  return type === 'exception' || type === 'variable_snapshot' ? type : 'other';
}
