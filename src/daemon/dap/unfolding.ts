import type { DebugProtocol } from '@vscode/debugprotocol';
import { StrobeError } from '../../model/errors.ts';
import type { FrameVariable } from '../../model/endings/crashReport.ts';
import type { Value } from '../../model/questions/query.ts';
import { variableValue } from '../report/views/variableLines.ts';
import { grouped } from '../report/text/groupedNumber.ts';
import type { Handles, StoppedFrame } from './handles.ts';

/** What can be unfolded: its children are made when they are asked for. */
export interface Expandable {
  /** As they were read when the thread stopped; the first of `total`. */
  readonly children: readonly Named[];
  readonly total: number;
  readonly isIndexed: boolean;
  /** What an expression of its children begins with, such as `order->`; null: they have none. */
  readonly path: string | null;
}

/** What was handed out with a number, and the frame in which its expressions hold. */
export interface Unfolded extends StoppedFrame {
  readonly inside: Expandable;
}

interface Named {
  readonly name: string;
  readonly value: Value;
  readonly type?: string | null;
}

/** Characters of a value in one line. */
const longest = 200;
/** Rows of a page, which an editor asks for by 100. */
const longestPage = 1000;

/** Arguments and locals of a frame, as they are unfolded. */
export function ofFrame(variables: readonly FrameVariable[]): Expandable {
  return { children: variables, total: variables.length, isIndexed: false, path: '' };
}

export interface PageRange {
  readonly start: number;
  /** 0: all. */
  readonly count: number;
  readonly filter?: 'indexed' | 'named' | undefined;
}

/** One page of what is unfolded. `look` answers what an expression is now: elements that were not read when the thread stopped. */
export async function page(
  { inside, ...at }: Unfolded,
  range: PageRange,
  handles: Handles<Unfolded>,
  look: (expression: string) => Promise<Omit<Named, 'name'>>,
): Promise<DebugProtocol.Variable[]> {
  const { children, isIndexed, path, total } = inside;
  if (range.filter !== undefined && (range.filter === 'indexed') !== isIndexed) return [];
  const isRead = !isIndexed || path === null;
  const most = range.count === 0 ? longestPage : Math.min(range.count, longestPage);
  const end = Math.min(range.start + most, isRead ? children.length : total);
  const rows: DebugProtocol.Variable[] = [];
  for (let i = range.start; i < end; i++) {
    const name = children[i]?.name ?? `[${i}]`;
    const expression = path === null ? null : `${path}${name}`;
    try {
      const { value, type } = children[i] ?? (await look(expression ?? name));
      rows.push({ name, ...valueOf(value, handles, at, expression), ...(type ? { type } : {}) });
    } catch (error) {
      if (!(error instanceof StrobeError) || error.code !== 'BAD_EXPRESSION') throw error;
      rows.push({ name, value: `not read: ${error.message}`, variablesReference: 0 });
    }
  }
  // An editor that asks for a part knows how many there are.
  const left = range.count === 0 || isRead ? total - Math.max(end, range.start) : 0;
  if (left > 0) rows.push({ name: '…', value: `${grouped(left)} more`, variablesReference: 0 });
  return rows;
}

/** A value in one line, with the handle of what is in it; `expression`: that it is the value of, null: of none. */
export function valueOf(
  value: Value,
  handles: Handles<Unfolded>,
  at: StoppedFrame,
  expression: string | null,
) {
  const text = variableValue(value);
  const inside = expandable(value, expression);
  const address = value.kind === 'pointer' && !value.isNull ? value.address : undefined;
  return {
    value: text.length > longest ? `${text.slice(0, longest)}…` : text,
    variablesReference: inside === null ? 0 : handles.add({ ...at, inside }),
    ...(inside === null
      ? {}
      : {
          [inside.isIndexed ? 'indexedVariables' : 'namedVariables']:
            inside.isIndexed && inside.path !== null ? inside.total : inside.children.length,
        }),
    ...(address === undefined ? {} : { memoryReference: address }),
    ...(expression === null ? {} : { evaluateName: expression }),
  };
}

/** Null: there is nothing in it. */
export function expandable(value: Value, expression: string | null = null): Expandable | null {
  const below = (joint: string): string | null =>
    expression === null ? null : `${expression}${joint}`;
  const named = (
    children: readonly Named[],
    path: string | null = null,
    total = children.length,
  ): Expandable | null =>
    children.length === 0 ? null : { children, total, isIndexed: false, path };
  switch (value.kind) {
    case 'object':
      return named(value.object.fields, below('.'));
    case 'pointer':
      if (!value.target) return null;
      if (value.target.kind === 'object') return named(value.target.object.fields, below('->'));
      return expandable(value.target) ?? named([{ name: '*', value: value.target }]);
    case 'list': {
      const children = value.items.map((item, i) => ({ name: `[${i}]`, value: item }));
      // A set has no element by number.
      const path = value.brackets === '{}' ? null : expression;
      const { total } = value;
      return children.length === 0 ? null : { children, total, isIndexed: true, path };
    }
    case 'map':
      return named(
        value.entries.map((entry) => ({
          name: `[${variableValue(entry.key)}]`,
          value: entry.value,
        })),
        null,
        value.total,
      );
    case 'variant':
      return value.value === null
        ? null
        : (expandable(value.value) ?? named([{ name: value.name, value: value.value }]));
    default:
      return null;
  }
}

/** `order.items[2].name`, `list->head` in what was read when the thread stopped; null: no such name. */
export function valueAt(variables: readonly Named[], path: string): Value | null {
  const steps = [...path.matchAll(/(?:^|\.|->)([A-Za-z_]\w*)|(\[\d+\])/g)];
  if (steps.map(([whole]) => whole).join('') !== path) return null;
  let among: readonly Named[] = variables;
  let found: Value | null = null;
  for (const [, name, index] of steps) {
    const next = among.find((one) => one.name === (name ?? index));
    if (!next) return null;
    found = next.value;
    among = expandable(found)?.children ?? [];
  }
  return found;
}
