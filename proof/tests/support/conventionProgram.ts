import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  encodeArmTable,
  planCapture,
  type CapturePlan,
} from '../../../src/collector/native/armTable.ts';
import { Walks } from '../../../src/collector/native/walkTable.ts';
import { plainValue } from '../../../src/db/reader/values/plainValues.ts';
import { noNames } from '../../../src/model/decoding/dynamic.ts';
import { decodeValue } from '../../../src/db/reader/values/capturedValues.ts';
import { eventKind } from '../../../src/model/eventColumns.ts';
import type { FoundFunction } from '../../../src/model/functions/foundFunction.ts';
import { captureReturn } from '../../../src/protocol/record.ts';
import { traceEmulatedRows } from './emulated.ts';
import type { RingEvent } from '../../../tests/support/ringEvents.ts';
import { TestLibrary } from '../../../tests/support/symbolLibrary.ts';
import { targetSource } from '../../../tests/support/targets.ts';

/** Types of tests/targets/engine/conventionTypes.h. */
const types = [
  'signed char',
  'unsigned char',
  'short',
  'unsigned short',
  'int',
  'unsigned',
  'long',
  'unsigned long',
  'bool',
  'float',
  'double',
  'long double',
  '__int128',
  'OneByte',
  'OneFloat',
  'OneDouble',
  'OneWide',
  'AlignedLong',
  'ByteShort',
  'IntFloat',
  'FloatLong',
  'TwoLongs',
  'TwoFloats',
  'TwoDoubles',
  'FloatDouble',
  'LongByte',
  'ThreeFloats',
  'FourFloats',
  'FiveFloats',
  'ThreeDoubles',
  'FourDoubles',
  'FiveDoubles',
  'ThreeBytes',
  'ElevenBytes',
  'ThreeInts',
  'ThreeLongs',
  'SevenShorts',
  'Nested',
  'NestedMixed',
  'Deep',
  'Derived',
  'Counted',
  'Empty',
  'std::string',
] as const;
const mostParameters = 9;

/** Values of one call by the parameters' names; `result` is what it returned. */
export type CallValues = Readonly<Record<string, unknown>>;

export interface ConventionRun {
  /** By function, as the program itself writes them. */
  readonly written: ReadonlyMap<string, CallValues>;
  /** As the engine captured them; what is not captured by its reason. */
  readonly captured: ReadonlyMap<string, CallValues>;
  readonly source: string;
}

const callValues = z.record(z.string(), z.unknown());

/** Numbers that follow from a seed (Park and Miller). */
function* numbersFrom(seed: number): Generator<number, never> {
  for (let state = (seed % 2147483646) + 1; ;) {
    state = (state * 48271) % 2147483647;
    yield state;
  }
}

/** A program of `count` functions, each of which writes what it was called with and what it returns. */
function sourceOf(seed: number, count: number, compiler: string): string {
  const alone = `__attribute__((noinline${compiler === 'clang++' ? '' : ', noipa'}))`;
  const numbers = numbersFrom(seed);
  const below = (limit: number): number => numbers.next().value % limit;
  const type = (): string => types[below(types.length)] ?? 'int';
  const functions = Array.from({ length: count }, (_unused, number) => {
    // Each type is returned once at least.
    const returns = types[number] ?? type();
    const parameters = Array.from({ length: below(mostParameters + 1) }, type);
    const list = parameters.map((one, at) => `${one} p${at}`).join(', ');
    const shown = parameters.map(
      (_one, at) => `printf("\\"p${at}\\":"); show(p${at}); printf(",");`,
    );
    const values = parameters.map((one) => `make<${one}>(${below(90) + 1})`).join(', ');
    return {
      text: `${alone}  ${returns} f${number}(${list}) {
  printf("f${number} {");
  ${shown.join('\n  ')}
  ${returns} result = make<${returns}>(${below(90) + 1});
  printf("\\"result\\":"); show(result); puts("}");
  return result;
}`,
      call: `f${number}(${values});`,
    };
  });
  return [
    `#include "${targetSource('engine/conventionTypes.h')}"`,
    ...functions.map(({ text }) => text),
    `int main() {\n${functions.map(({ call }) => `  ${call}`).join('\n')}\n}\n`,
  ].join('\n');
}

/** Builds such a program for arm64 by a compiler with its flags, and runs it under the engine with the plans that symbols make of it. */
export function runConvention(
  seed: number,
  count: number,
  [command = '', ...flags]: readonly string[],
): ConventionRun {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-convention-'));
  try {
    const source = join(folder, 'convention.cpp');
    const program = join(folder, 'convention');
    writeFileSync(source, sourceOf(seed, count, command));
    const compiler = ['-std=c++17', '-g', '-no-pie', ...flags, '-o', program, source];
    execFileSync(command, compiler, { stdio: 'pipe' });
    using symbols = new TestLibrary();
    const functions = symbols
      .find(program, 'f*')
      .filter(({ name }) => /^f\d+$/.test(name))
      .toSorted((a, b) => Number(a.name.slice(1)) - Number(b.name.slice(1)));
    const walks = new Walks();
    const plans = functions.map((fn) =>
      planCapture(fn, { stringBytes: 256, secretNames: [] }, walks),
    );
    const rows = plans.map((plan, number) => {
      const { address = 0, size = 0 } = functions[number] ?? {};
      return { address: BigInt(address), size, next: null, number, plan };
    });
    const { verdicts, rings, output } = traceEmulatedRows(program, {
      table: encodeArmTable(rows, 256),
      steps: walks.since(0),
    });
    const missed = verdicts.flatMap((verdict, at) =>
      verdict === 'hooked' ? [] : [`${functions[at]?.name}: ${verdict}`],
    );
    if (missed.length > 0) throw new Error(`not hooked: ${missed.join(', ')}`);
    const events = rings.threads.flatMap((thread) => thread.events);
    return {
      source: readFileSync(source, 'utf8'),
      written: new Map(output.split('\n').flatMap(writtenIn)),
      captured: new Map(
        functions.map((fn, number) => [fn.name, valuesOf(fn, plans[number], events, number)]),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writtenIn(line: string): [string, CallValues][] {
  const [, name = '', text = '{}'] = /^(f\d+) (.*)$/.exec(line) ?? [];
  return name === '' ? [] : [[name, callValues.parse(JSON.parse(text))]];
}

function valuesOf(
  fn: FoundFunction,
  plan: CapturePlan | undefined,
  events: readonly RingEvent[],
  number: number,
): CallValues {
  const bytesOf = (kind: number): Buffer => {
    const event = events.find((one) => one.fn === number && one.kind === kind);
    return Buffer.from(BigUint64Array.from(event?.words ?? []).buffer);
  };
  if (plan === undefined) return {};
  const values: Record<string, unknown> = {};
  for (const { name, reason } of plan.uncaptured) values[name] = reason;
  const entered = bytesOf(eventKind.enter);
  let at = 0;
  for (const { name, type } of plan.captured) {
    const { value, next } = decodeValue(type, entered, at, entered.length, noNames);
    values[name] = plainValue(value) ?? null;
    at = next;
  }
  const returned = bytesOf(eventKind.return);
  const isNone = plan.returnKind === captureReturn.none;
  values['result'] = isNone
    ? `not captured (${fn.returns.kind})`
    : (plainValue(decodeValue(plan.returns, returned, 0, returned.length, noNames).value) ?? null);
  return values;
}
