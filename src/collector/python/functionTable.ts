import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { usualPolicy, type CallPolicy, type NameRule } from '../../model/functions/traceable.ts';
import { watchAt } from '../../protocol/record.ts';
import type { SampledWatch } from '../source/sampledWatches.ts';
import type { SourceWishes } from '../source/sourceProcess.ts';
import { pythonCode } from './pythonCondition.ts';

/** The wanted functions, as the tracer in a process reads them (src/protocol/pythonTracer.ts). */
export function encodeFunctionTable(wishes: SourceWishes<Buffer>): Buffer {
  const { functions: wanted, policies, watches, rules } = wishes;
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
  return Buffer.concat([...parts, word(rules.length), ...rules.flatMap(ruleRow)]);
}

function ruleRow({ tokens, policy: { every, first, depth, leastNs } }: NameRule): Buffer[] {
  const signed = Buffer.alloc(4 * tokens.length);
  for (const [i, token] of tokens.entries()) signed.writeInt32LE(token, 4 * i);
  return [word(every), word(first), word(depth), long(leastNs), word(tokens.length), signed];
}

function row(fn: SourceFunction, policy: CallPolicy): Buffer[] {
  const { every, first, depth, leastNs, when, whenReturn, start, stop } = policy;
  // Where nobody asked for a depth the tracer has its own.
  const levels = fn.depth.whole === fn.depth.levels ? fn.depth.levels : 0;
  const numbers = [fn.firstLine, fn.line, fn.column, fn.offset, every, first, depth, levels];
  return [
    text(fn.name),
    text(fn.qualifiedName),
    ...numbers.map(word),
    long(leastNs),
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

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(Math.ceil(value)));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([word(bytes.length), bytes]);
}
