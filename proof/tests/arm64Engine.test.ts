import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventKind } from '../../src/model/eventColumns.ts';
import { captureOp, captureReturn } from '../../src/protocol/record.ts';
import { pairCalls } from '../../tests/support/callPairs.ts';
import { emulator, runEmulated, traceEmulated } from './support/emulated.ts';
import { type Capture, op } from '../../tests/support/engineProgram.ts';
import { itNeeds } from '../../tests/support/needs.ts';
import { double, integers, plainCaptures } from '../../tests/support/plainCaptures.ts';
import { engineAsPart, storm } from '../../tests/support/storm.ts';
import { packageRoot } from '../../tests/support/strobe.ts';
import { buildForArm64 } from '../../tests/support/targets.ts';

const { integer, float, stack } = captureOp;

/** As AAPCS64 passes them: eight integers and eight floating-point values in registers. */
const captures: Readonly<Record<string, Capture>> = {
  ...plainCaptures,
  many: { ops: integers(0, 1, 2, 3, 4, 5, 6, 7) },
  mixed: { ops: [op(float, 2), op(integer, 6)], returns: captureReturn.float },
  by_value: { ops: integers(0, 1) },
  make_big: { ops: integers(0), returns: captureReturn.none },
  variadic: { ops: [...integers(0), op(stack, 0)], stackBytes: 256 },
};

const fixed = ['-no-pie', '-pthread'];
const builds = {
  O2: ['-O2'],
  O0: ['-O0'],
  'O2, signed return addresses': ['-O2', '-mbranch-protection=standard'],
};

for (const [name, flags] of Object.entries(builds)) {
  itNeeds(
    'arm64Emulator',
    `[trace.arm64] a traced program of every kind of call behaves as untraced, ${name}`,
    () => {
      const program = buildForArm64('engine/plain.c', [...flags, ...fixed]);
      const { verdicts, rings, ...ran } = traceEmulated(program, 'go', captures);
      expect(new Set(Object.values(verdicts))).toEqual(new Set(['hooked']));
      expect({ status: ran.status, signal: ran.signal, output: ran.output }).toEqual(
        runEmulated(program, 'go'),
      );
      expect(rings.lostNoRing).toBe(0);
      for (const { broken, events } of rings.threads) {
        const { unpaired, open } = pairCalls(events);
        expect({ broken, unpaired, open }).toEqual({ broken: 0, unpaired: 0, open: 0 });
      }
    },
  );
}

itNeeds(
  'arm64Emulator',
  '[trace.arm64] registers, stack words and returns as AAPCS64 has them',
  () => {
    const program = buildForArm64('engine/plain.c', ['-O2', ...fixed]);
    const { rings, number } = traceEmulated(program, 'go', captures);
    const events = rings.threads.find(({ tid }) => tid === rings.pid)?.events ?? [];
    const words = (name: string, kind: number) =>
      events.find((event) => event.fn === number(name) && event.kind === kind)?.words ?? [];
    const enter = (name: string) => words(name, eventKind.enter);
    const returned = (name: string) => words(name, eventKind.return);
    expect(double(enter('scale')[0])).toBe(1.5);
    expect(enter('scale')[2]).toBe(3n);
    expect(double(returned('scale')[0])).toBe(6.75);
    expect(enter('many').slice(0, 8)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
    expect(returned('many')[0]).toBe(204n);
    expect(double(enter('mixed')[0])).toBe(9.5);
    expect((enter('mixed')[1] ?? 0n) & 0xffffn).toBe(10n);
    expect(enter('by_value')[1]).toBe(100n);
    expect(enter('pair').slice(0, 2)).toEqual([7n, 8n]);
    expect(
      Buffer.from(BigUint64Array.from(enter('name_of')).buffer).toString('latin1', 8, 16),
    ).toBe('hello wo');
    const kinds = events.filter(({ fn }) => fn === number('tail_even')).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === eventKind.tail).length).toBeGreaterThan(1_000);
  },
);

itNeeds(
  'arm64Emulator',
  '[trace.arm64] a function behind a guarded landing pad is hooked, and called by pointer as untraced',
  () => {
    const program = buildForArm64('engine/guarded.c', ['-O2', '-mbranch-protection=bti', ...fixed]);
    expect(runEmulated(program, 'beside').signal).toBe('SIGILL');
    const { verdicts, status, signal, output } = traceEmulated(program, 'go', {
      twice: { ops: integers(0) },
    });
    expect(verdicts).toEqual({ twice: 'hooked' });
    expect({ status, signal, output }).toEqual(runEmulated(program, 'go'));
  },
);

const thrown = /thrower|guarded|caughtNear|rethrows|caughtFar|deep|worker|isNoexcept/;
const ways: readonly Capture[] = [
  { ops: [op(integer, 0)] },
  { ops: [op(integer, 0)], stackBytes: 256 },
];

for (const [unwinder, flags] of Object.entries({
  'the shared unwinder': ['-O2'],
  'the shared unwinder, signed return addresses': ['-O2', '-mbranch-protection=standard'],
  'its own unwinder': ['-O2', '-static-libgcc', '-static-libstdc++'],
})) {
  itNeeds(
    'arm64Emulator',
    `[trace.arm64] C++ exceptions through traced frames, with ${unwinder}`,
    () => {
      const program = buildForArm64('engine/exceptions.cpp', [...flags, ...fixed]);
      const names = execFileSync('nm', ['--defined-only', program])
        .toString()
        .split('\n')
        .map((line) => line.split(' '))
        .filter(([, kind, name]) => /[tT]/.test(kind ?? '') && thrown.test(name ?? ''))
        .map(([, , name]) => name ?? '');
      for (const way of ways) {
        const wanted = names.filter((name) => !name.includes('.'));
        const captured = Object.fromEntries(wanted.map((name) => [name, way]));
        const { verdicts, rings, status, signal, output } = traceEmulated(program, 'go', captured);
        expect(new Set(Object.values(verdicts))).toEqual(new Set(['hooked']));
        expect({ status, signal, output }).toEqual(runEmulated(program, 'go'));
        expect(rings.threads).toHaveLength(5);
        for (const { broken, events } of rings.threads) {
          const { unpaired, abandoned, counts } = pairCalls(events);
          expect({ broken, unpaired, abandoned }).toEqual({ broken: 0, unpaired: 0, abandoned: 0 });
          expect(counts.unwound).toBeGreaterThan(4_000);
        }
      }
    },
  );
}

itNeeds(
  'arm64Emulator',
  '[trace.arm64] eight threads, hooks, policies, watches and triggers in random order',
  async () => {
    const flags = ['-DIS_EMULATED', '-static', ...engineAsPart('arm64')];
    const program = buildForArm64('engine/storm.c', flags);
    const first = Math.floor(Math.random() * 1e6);
    for (let seed = first; seed < first + 3; seed++) {
      await storm([...emulator, program], seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  },
  240_000,
);

itNeeds(
  'arm64Emulator',
  '[trace.arm64] a hundred thousand random functions do with a moved first instruction what they do as they are',
  () => {
    const source = join(packageRoot, 'native/engine/arm64/relocate.c');
    const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
    const flags = ['-static', source, `-DSOURCES=0x${version}`];
    const program = buildForArm64('engine/fuzzRelocateArm64.c', flags);
    const [command, ...words] = emulator;
    // Others each time; one that fails is printed with its number.
    const seed = String(Math.floor(Math.random() * 2 ** 48));
    const output = execFileSync(command, [...words, program, '100000', seed]).toString();
    const [rounds, moved = 0, wrong] = output.split(' ').map(Number);
    expect({ rounds, wrong }).toEqual({ rounds: 100_000, wrong: 0 });
    expect(moved).toBeGreaterThan(90_000);
  },
);
