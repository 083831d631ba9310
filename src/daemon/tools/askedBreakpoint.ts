import { StrobeError } from '../../model/errors.ts';
import type { ExceptionKind, ProbeRequest, ProbeWhere } from '../../model/probes/probe.ts';
import type { DebugBreakpointInput } from '../../protocol/tools/debugBreakpoint.ts';
import { placeOf } from './askedPlace.ts';

type Asked = DebugBreakpointInput['add'][number];
export type AskedObject = Exclude<Asked, string>;

/** Throws BAD_PARAMETER. */
export function requestOf(asked: Asked): ProbeRequest {
  if (typeof asked === 'string') {
    const where = placeOf(asked);
    return { where, stop: 'thread', values: [], locals: false, isEnabled: true };
  }
  const { label, condition, invariant, at, every, after, once, thread, log, capture, stop } = asked;
  if (at !== undefined && (every ?? after ?? once) !== undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      '"at" means one hit.',
      'Leave every, after and once out.',
    );
  return {
    where: whereOf(asked),
    label,
    condition,
    invariant,
    at,
    every,
    after,
    once,
    thread,
    log,
    stop: (log ?? capture ?? invariant) === undefined ? (stop ?? 'thread') : undefined,
    values: capture?.values ?? [],
    locals: capture?.locals ?? false,
    isEnabled: true,
  };
}

/** Runtimes with exceptions of their own. */
const raisedIn: Readonly<Record<string, readonly [ExceptionKind, string]>> = {
  python: ['python', 'Python'],
  node: ['js', 'JavaScript'],
};

/** Whole sentences where these mean exceptions of machine code, and the program, of these runtimes, has others. */
export function otherRaises(
  added: readonly ProbeRequest[],
  runtimes: readonly string[],
): readonly string[] {
  const kinds = added.flatMap(({ where }) => (where.kind === 'exception' ? [where.exception] : []));
  const [machine] = kinds.filter((kind) => kind === 'cpp' || kind === 'panic');
  if (machine === undefined) return [];
  const what = machine === 'cpp' ? 'exceptions of C++' : 'panics of Rust';
  return runtimes.flatMap((runtime) => {
    const [kind, name] = raisedIn[runtime] ?? [];
    if (kind === undefined || kinds.includes(kind)) return [];
    const call = `debug_breakpoint ${JSON.stringify({ add: [{ exception: kind }] })}`;
    return [`It stops at ${what} alone. To stop at those of ${name}: ${call}.`];
  });
}

function whereOf(asked: AskedObject): ProbeWhere {
  const { function: pattern = '', address, file, line, expect, statement: text, near } = asked;
  const { exception, type, data: expression, access = 'write' } = asked;
  if (expression !== undefined) return { kind: 'data', expression, access };
  if (exception !== undefined)
    return {
      kind: 'exception',
      exception,
      ...(type === undefined ? {} : { type }),
      ...(asked.caught === 'uncaught' ? { isUncaught: true } : {}),
    };
  if (address !== undefined) return { kind: 'address', address };
  if (file === undefined) return { kind: 'function', pattern };
  if (text !== undefined)
    return { kind: 'text', file, text, ...(near === undefined ? {} : { near }) };
  return { kind: 'line', file, line: line ?? 1, ...(expect === undefined ? {} : { expect }) };
}
