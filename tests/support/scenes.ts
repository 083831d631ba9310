import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { packageRoot } from './strobe.ts';
import { buildTarget, targetSource } from './targets.ts';
import { ToldRings } from './toldRings.ts';

export const engine = join(packageRoot, 'dist/engine.so');
const included = [join(packageRoot, 'native/engine/record.h'), targetSource('dynamic/writer.h')];

/** What a target is built with that tells the engine of calls. */
export const writerFlags = ['-pthread', ...included.flatMap((path) => ['-include', path])];

/** A program that records what a scene wants, as runtimes do. */
export const scenes = buildTarget('dynamic/scenes.c', writerFlags);

/** Where a scene's ring lies: in shared memory, as it does in use. */
export function ringPath(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'strobe-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'ring');
}

export function sceneArguments(ring: string, scene: string, ...more: string[]): string[] {
  return [engine, ring, scene, ...more];
}

/** Runs a scene to its end; answers what it said: numbers by words. */
export function play(ring: string, scene: string, ...more: string[]): Record<string, number> {
  const output = execFileSync(scenes, sceneArguments(ring, scene, ...more), { encoding: 'utf8' });
  return Object.fromEntries(
    output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([word = '', number]) => [word, Number(number)]),
  );
}

/** All that its rings hold. */
export function told(ring: string, keeps?: 'all' | 'counts'): ToldRings {
  const rings = new ToldRings(ring, keeps);
  onTestFinished(() => rings.close());
  return rings.poll(true);
}
