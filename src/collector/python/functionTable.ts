import { hash } from 'node:crypto';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { usualPolicy, type CallPolicy, type NameRule } from '../../model/functions/traceable.ts';
import { watchAt } from '../../protocol/record.ts';
import type { SampledWatch } from '../source/sampledWatches.ts';
import type { SourceWishes } from '../source/sourceProcess.ts';
import type { SourceRaise } from '../source/sourceRaises.ts';
import type { SourceSite } from '../source/sourceSites.ts';
import { pythonCode } from './pythonCondition.ts';

/** The wanted functions, as the tracer in a process reads them (src/protocol/pythonTracer.ts). */
export function encodeFunctionTable(wishes: SourceWishes<Buffer>): Buffer {
  const { functions: wanted, policies, watches, rules, sites, raises } = wishes;
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
  return Buffer.concat([
    ...parts,
    word(rules.length),
    ...rules.flatMap(ruleRow),
    ...places(sites),
    word(raises.length),
    ...raises.flatMap(raiseRow),
  ]);
}

function raiseRow({ key, type, isUncaught, after, every, most }: SourceRaise): Buffer[] {
  return [text(key), text(type), ...[Number(isUncaught), after, every, most].map(word)];
}

/** As the interpreter calls it. */
const moduleCode = { name: '<module>', qualifiedName: '<module>', firstLine: 1 };

/** What a process calls a breakpoint. */
export function siteKey({ key }: SourceSite<Buffer>): string {
  return hash('sha1', key, 'base64');
}

function places(sites: readonly SourceSite<Buffer>[]): Buffer[] {
  const byCode = new Map<string, SourceSite<Buffer>[]>();
  for (const site of sites) {
    const code = JSON.stringify([site.file, site.statement.holder?.offset]);
    const others = byCode.get(code);
    if (others) others.push(site);
    else byCode.set(code, [site]);
  }
  const rows = [...byCode.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const { file, statement } = first;
    const { name, qualifiedName, firstLine } = statement.holder ?? moduleCode;
    return [
      ...[file, name, qualifiedName].map(text),
      word(firstLine),
      word(all.length),
      ...all.flatMap(siteRow),
    ];
  });
  return [word(byCode.size), ...rows];
}

function siteRow(site: SourceSite<Buffer>): Buffer[] {
  const { name, probe, statement, after, every, most, levels, returnOf } = site;
  const { line, column, offset } = statement;
  const flags = [returnOf !== null, site.stops].map(Number);
  const numbers = [line, column, offset, after, every, most, levels, ...flags];
  return [
    ...[siteKey(site), name, JSON.stringify(probe)].map(text),
    ...numbers.map(word),
    text(site.check ?? ''),
    ...sized(site.condition ?? Buffer.alloc(0)),
    word(site.captured.length),
    ...site.captured.flatMap((value) => [text(value.text), ...sized(value.code)]),
  ];
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
