import type { DebugProtocol } from '@vscode/debugprotocol';
import type { FrameVariable } from '../../model/endings/crashReport.ts';
import type { Value } from '../../model/questions/query.ts';
import { variableValue } from '../report/views/variableLines.ts';
import type { Handles, StoppedFrame } from './handles.ts';

/** What can be unfolded: its children are made when they are asked for. */
export interface Expandable {
  readonly children: readonly Named[];
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

/** Arguments and locals of a frame, as they are unfolded. */
export function ofFrame(variables: readonly FrameVariable[]): Expandable {
  return { children: variables, isIndexed: false, path: '' };
}

/** One page of what is unfolded. */
export function page(
  { inside: { children, isIndexed, path }, ...at }: Unfolded,
  range: {
    readonly start: number;
    readonly count: number;
    readonly filter?: 'indexed' | 'named' | undefined;
  },
  handles: Handles<Unfolded>,
): DebugProtocol.Variable[] {
  if (range.filter !== undefined && (range.filter === 'indexed') !== isIndexed) return [];
  const end = range.count === 0 ? children.length : range.start + range.count;
  return children.slice(range.start, end).map((child) => ({
    name: child.name,
    ...valueOf(child.value, handles, at, path === null ? null : `${path}${child.name}`),
    ...(child.type ? { type: child.type } : {}),
  }));
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
      : { [inside.isIndexed ? 'indexedVariables' : 'namedVariables']: inside.children.length }),
    ...(address === undefined ? {} : { memoryReference: address }),
    ...(expression === null ? {} : { evaluateName: expression }),
  };
}

/** Null: there is nothing in it. */
export function expandable(value: Value, expression: string | null = null): Expandable | null {
  const below = (joint: string): string | null =>
    expression === null ? null : `${expression}${joint}`;
  const named = (children: readonly Named[], path: string | null = null): Expandable | null =>
    children.length === 0 ? null : { children, isIndexed: false, path };
  switch (value.kind) {
    case 'object':
      return named(value.object.fields, below('.'));
    case 'pointer':
      if (!value.target) return null;
      if (value.target.kind === 'object') return named(value.target.object.fields, below('->'));
      return expandable(value.target) ?? named([{ name: '*', value: value.target }]);
    case 'list': {
      const children = value.items.map((item, i) => ({ name: `[${i}]`, value: item }));
      return children.length === 0 ? null : { children, isIndexed: true, path: expression };
    }
    case 'map':
      return named(
        value.entries.map((entry) => ({
          name: `[${variableValue(entry.key)}]`,
          value: entry.value,
        })),
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
