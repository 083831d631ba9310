import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from './strobe.ts';
import { buildTarget } from './targets.ts';

const engine = join(packageRoot, 'native/engine/x64');
const checked = ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'];
const sources = ['decode.c', 'relocate.c', 'body.c'].map((file) => join(engine, file));
/** Built targets are kept by their flags: this one changes with the engine. */
const version = createHash('sha256')
  .update(sources.map((path) => readFileSync(path, 'utf8')).join('\n'))
  .digest('hex')
  .slice(0, 12);
export const decoderFlags = [...sources, ...checked, `-DSOURCES=0x${version}`];

/** Random functions, others each time, do with moved first instructions what they do as they are. */
export function expectMovedAlike(count: number): void {
  const program = buildTarget('engine/fuzzRelocate.c', decoderFlags);
  // One that fails is printed with its number.
  const first = String(Math.floor(Math.random() * 2 ** 48));
  const output = execFileSync(program, [String(count), first]).toString();
  const [rounds = 0, moved = 0, wrong = 0] = output.split(' ').map(Number);
  expect({ rounds, wrong }).toEqual({ rounds: count, wrong: 0 });
  expect(moved).toBeGreaterThan(0.9 * count);
}
