import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readCrashFile } from '../../src/collector/crash/readCrashFile.ts';
import type { Snapshot } from '../../src/model/endings/snapshot.ts';
import { captureOp } from '../../src/protocol/record.ts';
import { postMortem } from '../../src/symbols/native/unwind/postMortem.ts';
import { runOnArm64Kernel } from './support/arm64Kernel.ts';
import { armTableOf, engineForArm64, preloadForArm64 } from './support/emulated.ts';
import { op } from '../../tests/support/engineProgram.ts';
import { itNeeds } from '../../tests/support/needs.ts';
import { TestLibrary } from '../../tests/support/symbolLibrary.ts';
import { buildForArm64 } from '../../tests/support/targets.ts';

function readBack(digits: string): Snapshot | null {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-crash-'));
  try {
    const path = join(folder, 'crash');
    writeFileSync(path, Buffer.from(digits.replaceAll(/\s/g, ''), 'hex'));
    return readCrashFile(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

itNeeds(
  'arm64Kernel',
  '[crash.arm64] what the engine writes down of a dying program tells the stack through traced calls',
  async () => {
    const flags = ['-O1', '-mbranch-protection=standard', '-no-pie'];
    const program = buildForArm64('crash/nested.c', flags);
    const engine = engineForArm64();
    const files = new Map(
      Object.entries({
        '/lib/engine.so': engine,
        '/lib/preload.so': preloadForArm64(),
        '/bin/nested': program,
        '/bin/hex': buildForArm64('engine/hex.c', ['-static']),
      }).map(([name, path]): [string, Buffer] => [name, readFileSync(path)]),
    );
    const captured = { ops: [op(captureOp.integer, 0)] };
    files.set('/table', armTableOf(program, { inner: captured, middle: captured }));
    const [died, written] = await runOnArm64Kernel(files, [
      'LD_PRELOAD=/lib/preload.so ENGINE=/lib/engine.so FAULTS=1 TABLE=/table RINGS=/tmp/rings CODES=/tmp/codes /bin/nested',
      '/bin/hex /tmp/rings.crash',
    ]);
    expect(died).toEqual({ status: 11, output: '' });
    const snapshot = readBack(written?.output ?? '');
    if (snapshot === null) throw new Error(`no crash file: ${written?.output.slice(0, 200)}`);
    expect(snapshot).toMatchObject({
      processor: 'arm64',
      problems: [],
      signal: { number: 11, code: 1, address: 0n },
    });
    expect(snapshot.threads[0]?.vectors?.length).toBe(32 * 16);
    const here = new Map([
      ['/bin/nested', program],
      ['/lib/engine.so', engine],
    ]);
    const mappings = snapshot.mappings.map((row) => ({
      ...row,
      path: here.get(row.path) ?? `/usr/aarch64-linux-gnu${row.path}`,
    }));
    using symbols = new TestLibrary();
    const report = postMortem({ ...snapshot, mappings }, symbols.library, {
      own: [program],
      hidden: [engine],
    });
    const [stack] = report.threads;
    const called = ['inner', 'middle', 'middle', 'middle', 'middle', 'main'];
    expect(stack?.frames.map((frame) => frame.function).slice(0, called.length)).toEqual(called);
    expect(stack?.problem).toBeNull();
    expect(stack?.frames.every(({ isGuess }) => !isGuess)).toBe(true);
    const values = new Map(stack?.frames[0]?.variables.map(({ name, value }) => [name, value]));
    expect(values.get('by')).toMatchObject({ kind: 'float', value: 2.5 });
  },
  600_000,
);
