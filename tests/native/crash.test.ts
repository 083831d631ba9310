import { beforeAll, expect, it } from 'vitest';
import { crashPathOf, readCrashFile } from '../../src/collector/crash/readCrashFile.ts';
import type { Snapshot } from '../../src/model/endings/snapshot.ts';
import { mappingOf } from '../../src/model/endings/snapshot.ts';
import { EngineProgram, runPlain } from '../support/engineProgram.ts';
import { buildTarget } from '../support/targets.ts';

let program = '';
beforeAll(() => {
  program = buildTarget('crash/ways.c', ['-pthread', '-O0']);
});

interface Died {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly snapshot: Snapshot | null;
}

async function die(line: string): Promise<Died> {
  await using traced = await EngineProgram.start(program);
  expect(await traced.arm({ strike: {} })).toEqual({ strike: 'hooked' });
  const ran = await traced.end(line);
  return { ...ran, snapshot: readCrashFile(crashPathOf(traced.ringPath)) };
}

const ways = [
  ['segv', 'SIGSEGV', 11, 1, 0x10n],
  ['wild', 'SIGSEGV', 11, 128, 0n],
  ['bus', 'SIGBUS', 7, 2, null],
  ['fpe', 'SIGFPE', 8, 1, null],
  ['ill', 'SIGILL', 4, 2, null],
  ['trap', 'SIGTRAP', 5, 128, 0n],
  ['abort', 'SIGABRT', 6, -6, null],
  ['sent', 'SIGSEGV', 11, -6, null],
  ['overflow', 'SIGSEGV', 11, null, null],
  ['small segv', 'SIGSEGV', 11, 1, 0x10n],
] as const;

for (const [way, signal, number, code, address] of ways) {
  for (const prefix of ['', 'thread ']) {
    it(`[crash.capture] ${prefix}${way}: dies as untraced, and registers, stacks and maps are kept`, async () => {
      const plain = await runPlain(program, prefix + way);
      const { snapshot, ...ran } = await die(prefix + way);
      expect(ran).toEqual(plain);
      expect(ran.signal).toBe(signal);
      expect(snapshot?.problems).toEqual([]);
      expect(snapshot?.signal).toMatchObject(code === null ? { number } : { number, code });
      if (address !== null) expect(snapshot?.signal?.address).toBe(address);
      const threads = snapshot?.threads.filter((thread) => !thread.isOurs) ?? [];
      expect(threads.length).toBeGreaterThanOrEqual(prefix === '' ? 1 : 2);
      const [pc, sp] = [threads[0]?.registers[16] ?? 0n, threads[0]?.registers[7] ?? 0n];
      expect(mappingOf(snapshot?.mappings ?? [], pc)?.protection).toContain('x');
      const isKept = snapshot?.memory.some(
        (part) => part.address <= sp + 4096n && sp < part.address + BigInt(part.bytes.length),
      );
      expect(isKept).toBe(true);
    });
  }
}

it('[crash.handled] a program that handles the signal goes on, and nothing is written', async () => {
  for (const line of [
    'handled',
    'jump',
    'small',
    'thread handled',
    'thread jump',
    'thread small',
  ]) {
    const plain = await runPlain(program, line);
    const { snapshot, ...ran } = await die(line);
    expect(ran).toEqual(plain);
    expect(snapshot).toBeNull();
  }
});
