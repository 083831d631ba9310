import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verdictCodes } from '../../../src/protocol/refusals.ts';
import { armEntry } from '../../../src/protocol/record.ts';
import { type Capture, encodeRow, symbolsOf } from '../../../tests/support/engineProgram.ts';
import { readRings, type RingContent } from '../../../tests/support/ringEvents.ts';
import { packageRoot } from '../../../tests/support/strobe.ts';
import { engineFiles } from '../../../tests/support/storm.ts';
import { buildForArm64, buildOnce } from '../../../tests/support/targets.ts';

const libraries = '/usr/aarch64-linux-gnu';

/** How an emulated program ended, and what it wrote. */
export interface EmulatedRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface EmulatedTrace extends EmulatedRun {
  /** By function. */
  readonly verdicts: Readonly<Record<string, string>>;
  readonly rings: RingContent;
  readonly number: (name: string) => number;
}

/** The emulator, with what a dynamically linked program of arm64 needs. */
export const emulator = ['qemu-aarch64', '-cpu', 'max', '-L', libraries] as const;

/** The engine for arm64, as scripts/builders/engine.mjs compiles it. */
export function engineForArm64(): string {
  const builder = join(packageRoot, 'scripts/builders/engine.mjs');
  return buildOnce('engine.so', [...engineFiles('arm64'), builder], (product) => {
    const compiler = 'aarch64-linux-gnu-gcc-12';
    const work = JSON.stringify({ root: packageRoot, processor: 'arm64', compiler, product });
    const code = `import { compileEngine } from './scripts/builders/engine.mjs'; await compileEngine(${work});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: packageRoot,
      stdio: 'pipe',
    });
  });
}

/** tests/targets/engine/preload.c */
export function preloadForArm64(): string {
  return buildForArm64('engine/preload.c', ['-shared', '-fPIC', '-ldl']);
}

/** The rows by which functions of a program are armed that is linked to fixed addresses. */
export function armTableOf(program: string, captures: Readonly<Record<string, Capture>>): Buffer {
  const symbols = symbolsOf(program);
  const rows = Object.entries(captures).map(([name, capture], number) => {
    const symbol = symbols.get(name);
    if (symbol === undefined) throw new Error(`${program} has no function ${name}`);
    return encodeRow(symbol.address, symbol.size, number, capture);
  });
  return Buffer.concat(rows);
}

/** Runs a program of arm64 with `line` as its input. */
export function runEmulated(
  program: string,
  line: string,
  environment: Readonly<Record<string, string>> = {},
): EmulatedRun {
  const [command, ...words] = emulator;
  const set = Object.entries(environment).flatMap(([name, value]) => ['-E', `${name}=${value}`]);
  const { status, signal, stdout, stderr } = spawnSync(command, [...words, ...set, program], {
    input: `${line}\n`,
    timeout: 100_000,
    maxBuffer: 1 << 26,
  });
  return { status, signal, output: `${stdout.toString()}${stderr.toString()}` };
}

/** The same with functions armed before it begins. The program is linked to fixed addresses. */
export function traceEmulated(
  program: string,
  line: string,
  captures: Readonly<Record<string, Capture>>,
): EmulatedTrace {
  const names = Object.keys(captures);
  const { verdicts, ...ran } = traceEmulatedRows(program, {
    table: armTableOf(program, captures),
    line,
  });
  const byName = names.map((name, at): [string, string] => [name, verdicts[at] ?? 'missing']);
  return {
    ...ran,
    verdicts: Object.fromEntries(byName),
    number: (name) => names.indexOf(name),
  };
}

/** The same with rows of a table and the steps of the walks they name; verdicts in the order of the rows. */
export function traceEmulatedRows(
  program: string,
  {
    table,
    steps = new Uint8Array(),
    line = '',
  }: { readonly table: Uint8Array; readonly steps?: Uint8Array; readonly line?: string },
): EmulatedRun & { readonly verdicts: readonly string[]; readonly rings: RingContent } {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'strobe-arm64-'));
  const file = (name: string) => join(folder, name);
  try {
    writeFileSync(file('table'), table);
    writeFileSync(file('steps'), steps);
    const ran = runEmulated(program, line, {
      STEPS: file('steps'),
      LD_PRELOAD: preloadForArm64(),
      ENGINE: engineForArm64(),
      TABLE: file('table'),
      RINGS: file('rings'),
      CODES: file('codes'),
    });
    const codes = existsSync(file('codes')) ? [...readFileSync(file('codes'))] : [];
    const rows = Array.from({ length: table.length / armEntry.bytes });
    return {
      ...ran,
      verdicts: rows.map((_row, at) => verdictCodes[codes[at] ?? -1] ?? 'missing'),
      rings: readRings(file('rings')),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
