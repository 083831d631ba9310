import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { eventKind } from '../../src/model/eventColumns.ts';
import { pairCalls } from './callPairs.ts';
import { readRings } from './ringEvents.ts';
import { packageRoot } from './strobe.ts';
import { buildTarget } from './targets.ts';

/** Flags and files to build the engine as a part of a program, else as scripts/builders/engine.mjs does. */
export function engineAsPart(): string[] {
  const folder = join(packageRoot, 'native/engine');
  const files = [folder, join(folder, 'x64')].flatMap((from) =>
    readdirSync(from)
      .filter((name) => name.includes('.'))
      .toSorted()
      .map((name) => join(from, name)),
  );
  const hash = createHash('sha256');
  for (const path of files) hash.update(readFileSync(path));
  return [
    '-std=gnu11',
    '-O2',
    '-pthread',
    '-fvisibility=hidden',
    '-mgeneral-regs-only',
    '-mcx16',
    '-fno-tree-loop-distribute-patterns',
    '-fno-stack-protector',
    '-fno-strict-aliasing',
    '-ftls-model=initial-exec',
    // Built targets are kept by their flags: this one changes with the engine.
    `-DSOURCES=0x${hash.digest('hex').slice(0, 12)}`,
    ...files.filter((name) => /\.[cS]$/.test(name)),
  ];
}

/** `leaf` of the program, armed all the time. */
const leaf = 0;

/** Runs tests/targets/engine/storm.c and looks at what it recorded. */
export async function storm(command: readonly string[], seed: number): Promise<void> {
  const [program = '', ...before] = command;
  const place = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'strobe-storm-'));
  try {
    const ringFile = join(place, 'rings');
    const words = [...before, ringFile, String(seed)];
    const ran = await promisify(execFile)(program, words, { timeout: 100_000 });
    expect(ran.stderr).toBe('');
    const [calls = 0, lives, switches = 0, counted = 0, isPartial] = ran.stdout
      .split(' ')
      .map(Number);
    expect(lives).toBe(24);
    expect(switches).toBeGreaterThan(24);
    if (isPartial === 1) return;
    const { threads, lostNoRing, lostNoMemory } = readRings(ringFile);
    expect({ lostNoRing, lostNoMemory }).toEqual({ lostNoRing: 0, lostNoMemory: 0 });
    const of = (kind: number) =>
      threads.flatMap(({ events }) => events).filter((one) => one.fn === leaf && one.kind === kind);
    expect(of(eventKind.enter).length + counted).toBe(calls);
    for (const { events, broken } of threads) {
      const samples: number = eventKind.watch;
      const { unpaired } = pairCalls(events.filter(({ kind }) => kind !== samples));
      expect({ broken, unpaired }).toEqual({ broken: 0, unpaired: 0 });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Three storms that are others each time, in a program built with a sanitizer. */
export async function stormUnder(sanitizer: readonly string[]): Promise<void> {
  const first = Math.floor(Math.random() * 1e6);
  const program = buildTarget('engine/storm.c', [...engineAsPart(), '-O1', ...sanitizer]);
  for (let seed = first; seed < first + 3; seed++) {
    await storm([program], seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
}
