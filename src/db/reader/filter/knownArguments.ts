import { nearest } from '../../../base/nearest.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { ArgumentFilter } from '../../../model/questions/query.ts';
import type { SessionTables } from '../sessionTables.ts';
import { secretIn } from '../../../model/values/redaction.ts';
import { dotted, hasPath } from './valuePath.ts';

const mostNamed = 8;

/** What is captured of a session's functions, and why the rest is not. */
interface Known {
  /** By name. */
  readonly captured: ReadonlyMap<string, readonly TracedFunction['captured'][number][]>;
  readonly uncaptured: ReadonlyMap<string, string>;
  /** Of the function with most of them. */
  readonly most: number;
}

/** Throws BAD_PARAMETER for what no function of the session has: no call could ever fit, which looks like a finding. */
export function checkArgument(filter: ArgumentFilter, tables: SessionTables): void {
  const { captured, uncaptured, most } = knownIn(tables);
  if (tables.functions.length === 0) return;
  if (captured.size + uncaptured.size === 0) throw noneIsKnown(tables);
  const { index, name } = filter;
  if (index !== undefined && index >= most)
    throw new StrobeError(
      'BAD_PARAMETER',
      `No traced function has an argument with index ${index} that is captured: the most of one function are ${most}.`,
      'Indexes count from 0. Ask without it, or by name.',
    );
  const [head, ...path] = name === undefined ? [] : dotted(name).split('.');
  if (name === undefined || head === undefined || captured.has(name)) return;
  const found = captured.get(head);
  const secret = path.find((part) => secretIn(part, tables.summary.secretNames ?? []) !== null);
  if (found?.some(({ type }) => type.kind === 'dynamic') && secret !== undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      `In argument "${head}" the part "${secret}" is not captured: redacted.`,
      'A session that is launched with redact: false captures it.',
    );
  if (found) {
    if (path.length === 0 || found.some(({ type }) => hasPath(type, path))) return;
    if (found.some(({ type }) => hasPath(type, path, false)))
      throw new StrobeError(
        'BAD_PARAMETER',
        `In argument "${head}" the part "${path.join('.')}" is captured only where there was room: calls that have it could be missing.`,
        'Capture all of it: trace with "depth": 3 of the pattern, or serializationDepth.',
      );
    throw new StrobeError(
      'BAD_PARAMETER',
      `What is captured of the argument "${head}" has no part "${path.join('.')}".`,
      'Ask for a call with verbose, which shows its values; deeper ones are captured with serializationDepth.',
    );
  }
  const names = [...captured.keys()];
  const near = nearest(head, names, 3);
  const why = uncaptured.get(head);
  throw new StrobeError(
    'BAD_PARAMETER',
    why === undefined
      ? `No traced function has an argument "${head}".`
      : `The argument "${head}" is not captured: ${why}.`,
    near.length > 0 ? `Nearest: ${near.join(', ')}.` : thereAre(names),
  );
}

function noneIsKnown({ functions }: SessionTables): StrobeError {
  const isBare = functions.every(({ file }) => file === null);
  return new StrobeError(
    'BAD_PARAMETER',
    isBare
      ? 'No argument is stored of the traced functions: they have no debug information.'
      : 'The traced functions have no arguments that are stored.',
    isBare
      ? 'Build with -g; or trace with "when": "args[0] == 3", which reads the registers as a call begins.'
      : 'Filter by function, returnValue or minDurationNs instead.',
  );
}

function thereAre(names: readonly string[]): string {
  if (names.length === 0) return 'No argument is captured: optimised code may keep none.';
  return `There are ${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ', …' : ''}.`;
}

function knownIn(tables: SessionTables): Known {
  const captured = new Map<string, TracedFunction['captured'][number][]>();
  const uncaptured = new Map<string, string>();
  let most = 0;
  for (const fn of tables.functions) {
    most = Math.max(most, fn.captured.length);
    for (const one of fn.captured) {
      if (one.type.kind === 'dynamic' && one.type.secret !== undefined) {
        uncaptured.set(one.name, 'redacted');
        continue;
      }
      const known = captured.get(one.name);
      if (known) known.push(one);
      else captured.set(one.name, [one]);
    }
    for (const { name, reason } of fn.uncaptured) uncaptured.set(name, reason);
  }
  return { captured, uncaptured, most };
}
