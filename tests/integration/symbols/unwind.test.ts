import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import type { CrashReport, StackFrame } from '../../../src/model/endings/crashReport.ts';
import { SymbolIndex } from '../../../src/symbols/native/symbolIndex.ts';
import { itNeeds } from '../../support/needs.ts';
import { packageRoot } from '../../support/strobe.ts';
import { buildTarget } from '../../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

interface SeenFrame {
  readonly name: string;
  readonly place: string;
  /** Integers by name. */
  readonly integers: ReadonlyMap<string, string>;
}

const programs: readonly (readonly [
  name: string,
  flags: readonly string[],
  leastValues: number,
])[] = [
  ['ledger.cpp', ['-O0'], 1],
  ['ledger.cpp', ['-O2'], 0],
  ['wild.c', ['-O0'], 1],
  ['assertion.c', ['-O0', '-pthread'], 2],
  ['assertion.c', ['-O2', '-pthread', '-fomit-frame-pointer'], 0],
  ['uncaught.cpp', ['-O0'], 1],
  ['division.c', ['-O0'], 1],
  ['reused.c', ['-O0'], 1],
  ['reused.c', ['-O2'], 0],
  ['doubleFree.c', ['-O0'], 0],
  ['unlikely.c', ['-O2'], 0],
  ['noCode.cpp', ['-O0'], 2],
];
const rustPrograms: typeof programs = [
  ['panic.rs', ['-C', 'panic=abort', '-C', 'opt-level=0'], 2],
  ['reader.rs', ['-C', 'opt-level=0'], 1],
];

describe('stacks and values of core files', () => {
  let folder = '';
  let symbols: SymbolIndex;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'strobe-cores-'));
    symbols = await SymbolIndex.start(join(packageRoot, 'dist/symbolWorker.js'), {
      cacheDir: join(folder, 'cache'),
    });
  });
  afterAll(async () => {
    await symbols.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const compare = async ([name, flags, leastValues]: (typeof programs)[number]): Promise<void> => {
    const program = buildTarget(`crash/${name}`, flags);
    const core = join(folder, 'core');
    const shown = makeCore(program, core);
    const { snapshot } = await symbols.readCore(core);
    const report = await symbols.explain(snapshot, { own: [program], hidden: [] });
    rmSync(core);
    const ours = framesOf(report);
    const theirs = gdbFrames(shown);
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours.map(({ name: fn, place }) => `${fn} ${place}`)).toEqual(
      theirs.map(({ name: fn, place }) => `${fn} ${place}`),
    );
    let compared = 0;
    for (const [i, frame] of ours.entries()) {
      for (const [variable, value] of frame.integers) {
        const other = theirs[i]?.integers.get(variable);
        if (other === undefined) continue;
        expect(`${frame.name} ${variable}=${value}`).toBe(`${frame.name} ${variable}=${other}`);
        compared++;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(leastValues);
  };

  for (const program of programs) {
    const [name, flags] = program;
    itNeeds(
      'gdb',
      `[crash.unwind] ${name} ${flags.join(' ')}: the frames and integers that gdb shows of the same core`,
      async () => compare(program),
    );
  }
  for (const program of rustPrograms) {
    const [name, flags] = program;
    itNeeds(
      'gdbAndRustc',
      `[crash.unwind] ${name} ${flags.join(' ')}: the same of Rust`,
      async () => compare(program),
    );
  }
});

/** Runs the program under gdb until it dies; answers `bt full` of the core it wrote. */
function makeCore(program: string, core: string): string {
  const run = ['run > /dev/null', `generate-core-file ${core}`, 'kill'];
  gdb([program], run);
  if (!existsSync(core)) throw new Error('gdb wrote no core file');
  return gdb([program, core], ['set print frame-arguments scalars', 'bt full']);
}

function gdb(files: readonly string[], commands: readonly string[]): string {
  const args = ['--batch', '-nx', '-ex', 'set pagination off', '-ex', 'set width 0'];
  for (const command of commands) args.push('-ex', command);
  return spawnSync('gdb', [...args, ...files], { timeout: 60_000, encoding: 'utf8' }).stdout;
}

/** Frames whose source is one of ours. */
function gdbFrames(text: string): SeenFrame[] {
  const frames: { name: string; place: string; integers: Map<string, string> }[] = [];
  let isOurs = false;
  // The newest frame is shown once more before, when the core is opened.
  for (const line of text.slice(text.lastIndexOf('\n#0 ')).split('\n')) {
    const frame = /^#\d+ +(?:0x[0-9a-f]+ in )?(.+?) \((.*)\)(?: at (\S+:\d+))?$/.exec(line);
    if (frame !== null) {
      const [, name = '', given = '', place = ''] = frame;
      isOurs = place.includes('/targets/crash/');
      if (!isOurs) continue;
      const integers = new Map<string, string>();
      for (const [, variable = '', value = ''] of given.matchAll(/(\w+)=(-?\d+)(?=,|$)/g))
        integers.set(variable, value);
      frames.push({ name: bare(name), place: lastPart(place), integers });
      continue;
    }
    const local = /^ {8}(\w+) = (-?\d+)$/.exec(line);
    if (local !== null && isOurs) frames.at(-1)?.integers.set(local[1] ?? '', local[2] ?? '');
    if (/^#\d+ /.test(line)) isOurs = false;
  }
  return frames;
}

function framesOf(report: CrashReport): SeenFrame[] {
  const frames = report.threads[0]?.frames ?? [];
  return frames
    .filter((frame) => frame.file?.includes('/targets/crash/') === true)
    .map((frame) => ({
      name: bare(frame.function ?? '?'),
      place: lastPart(`${frame.file ?? ''}:${frame.line ?? 0}`),
      integers: integersOf(frame),
    }));
}

function integersOf(frame: StackFrame): Map<string, string> {
  const integers = new Map<string, string>();
  for (const { name, value } of frame.variables)
    if (value.kind === 'int') integers.set(name, value.text);
  return integers;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Without scopes, parameters and a closure's number: the two spell them in their own ways. */
function bare(name: string): string {
  return name.replace(/<.*>$/, '').replace(/^.*::/, '').replace(/#\d+/, '').replace(/_env/, '');
}
