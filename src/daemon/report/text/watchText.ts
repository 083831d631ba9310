import { escaped } from '../../../base/visible.ts';
import type { CallView } from '../../../model/questions/query.ts';
import type { WatchReport } from '../../../model/watches/watch.ts';
import { counted } from './groupedNumber.ts';
import { valueJson, valueText, type ValueStyle } from './valueText.ts';

/** So many unchanged ones are shown with a call; of more only those that changed in it. */
const mostUnchanged = 3;

const says = {
  active: '',
  pending: ' PENDING',
  refused: ' REFUSED, not kept',
  staged: ' waits for the next launch',
} as const satisfies Record<WatchReport['state'], string>;

/** What became of each watch, a line each. */
export function watchLines(watches: readonly WatchReport[]): string[] {
  return watches.map(({ label, expr, type, on, at, state, functions, notes }) => {
    const what = label === expr ? '' : ` = ${expr}`;
    const when = at === 'both' ? 'enter and return' : at;
    const where =
      state === 'active' && at === 'write'
        ? ', each write'
        : state === 'active'
          ? `, at ${when} of ${counted(functions, 'function')}${on === null ? '' : ` (${on})`}`
          : '';
    const head = `watch ${label}${what}${type === null ? '' : `: ${type}`}${where}${says[state]}`;
    return escaped(notes.length > 0 ? `${head}: ${notes.join(' ')}` : head);
  });
}

/** `  {total=0→5, depth=1}` behind a call; empty when nothing was watched. */
export function watchedText(call: CallView, style: ValueStyle): string {
  const seen = [...byLabel(call, (value) => valueText(value, style))];
  const few = seen.length <= mostUnchanged || style.verbose;
  const texts = seen.flatMap(([label, { enter, leave }]) => {
    const changed = enter !== undefined && leave !== undefined && enter !== leave;
    if (changed) return [`${label}=${enter}→${leave}`];
    return few ? [`${label}=${enter ?? leave ?? ''}`] : [];
  });
  if (seen.length === 0) return '';
  return texts.length > 0 ? `  {${escaped(texts.join(', '))}}` : '';
}

/** The same by label: a value, or what it was at enter and at return. */
export function watchedTwin(call: CallView, style: ValueStyle): Record<string, unknown> {
  const seen = byLabel(call, (value) => valueJson(value, style));
  if (seen.size === 0) return {};
  const values = [...seen].map(([label, { enter, leave }]) => {
    const isOne =
      enter === undefined || leave === undefined || JSON.stringify(enter) === JSON.stringify(leave);
    const one = enter === undefined ? leave : enter;
    return [label, isOne ? one : { enter, return: leave }] as const;
  });
  return { watchValues: Object.fromEntries(values) };
}

interface Seen<T> {
  enter?: T;
  leave?: T;
}

function byLabel<T>(
  { watched = [] }: CallView,
  read: (value: NonNullable<CallView['watched']>[number]['value']) => T,
): Map<string, Seen<T>> {
  const found = new Map<string, Seen<T>>();
  for (const { label, atReturn, value } of watched) {
    const seen = found.get(label) ?? {};
    if (atReturn) seen.leave = read(value);
    else seen.enter = read(value);
    found.set(label, seen);
  }
  return found;
}
