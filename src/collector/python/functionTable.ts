import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { usualPolicy, type CallPolicy } from '../../model/functions/traceable.ts';
import { watchAt } from '../../protocol/record.ts';
import type { SampledWatch, WatchPlan } from '../source/sampledWatches.ts';
import { pythonCode } from './pythonCondition.ts';

/** Operations of src/protocol/pythonTracer.ts. */
export type PythonWatchPlan = WatchPlan<Buffer>;

/** The wanted functions, as the tracer in a process reads them (src/protocol/pythonTracer.ts). */
export function encodeFunctionTable(
  wanted: readonly SourceFunction[],
  policies: ReadonlyMap<string, CallPolicy>,
  watches: PythonWatchPlan,
): Buffer {
  const byFile = new Map<string, SourceFunction[]>();
  for (const fn of wanted) {
    const others = byFile.get(fn.unit);
    if (others) others.push(fn);
    else byFile.set(fn.unit, [fn]);
  }
  const parts: Buffer[] = [word(byFile.size)];
  for (const [path, functions] of byFile) {
    parts.push(text(path), word(functions.length));
    for (const fn of functions)
      parts.push(
        ...row(fn, policies.get(fn.id) ?? usualPolicy),
        ...watchRows(watches.get(fn.id) ?? []),
      );
  }
  return Buffer.concat(parts);
}

function row(fn: SourceFunction, policy: CallPolicy): Buffer[] {
  const { every, first, depth, leastNs, when, whenReturn, start, stop } = policy;
  // Where nobody asked for a depth the tracer has its own.
  const levels = fn.depth.whole === fn.depth.levels ? fn.depth.levels : 0;
  const numbers = [fn.firstLine, fn.line, fn.column, fn.offset, every, first, depth, levels];
  const least = Buffer.alloc(8);
  least.writeBigUInt64LE(BigInt(Math.ceil(leastNs)));
  return [
    text(fn.name),
    text(fn.qualifiedName),
    ...numbers.map(word),
    least,
    ...[when, start, stop].flatMap((condition) => sized(pythonCode(condition, fn))),
    ...sized(pythonCode(whenReturn ?? null, fn, true)),
  ];
}

function watchRows(watches: readonly SampledWatch<Buffer>[]): Buffer[] {
  const bits = { ...watchAt, both: watchAt.enter | watchAt.return };
  const rows = watches.flatMap(({ number, at, code }) => [
    word(number),
    word(bits[at]),
    ...sized(code),
  ]);
  return [word(watches.length), ...rows];
}

function sized(code: Buffer): Buffer[] {
  return [word(code.length), code];
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([word(bytes.length), bytes]);
}
