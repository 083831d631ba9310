import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../base/process.ts';

const compiler = 'g++';
const flags = ['-std=c++17', '-g', '-O1', '-pthread'] as const;
const compileLimitMs = 120_000;

/**
 * Builds the demo's program from `sources` (all its .cpp files) and returns its path. A program
 * built before from the same sources and flags is used again: `cache` has a folder for each.
 * Throws an Error with the compiler's words when it cannot be built.
 */
export async function buildLedger(
  sources: string,
  cache: string,
  progress: (done: number, total: number, file: string) => void,
): Promise<string> {
  const folder = join(cache, contentKey(sources));
  const program = join(folder, 'ledger');
  if (existsSync(program)) return program;
  const units = readdirSync(sources).filter((name) => name.endsWith('.cpp'));
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    await compileAll(sources, draft, units, progress);
    const objects = units.map((unit) => join(draft, `${unit}.o`));
    await compile(['-pthread', ...objects, '-o', join(draft, 'ledger')]);
    for (const object of objects) rmSync(object);
    if (!existsSync(program)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

function contentKey(sources: string): string {
  const hash = createHash('sha256').update(JSON.stringify([compiler, flags, sources]));
  for (const name of readdirSync(sources).toSorted()) {
    hash.update(name).update(readFileSync(join(sources, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function compileAll(
  sources: string,
  folder: string,
  units: readonly string[],
  progress: (done: number, total: number, file: string) => void,
): Promise<void> {
  const waiting = [...units];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      await compile([...flags, '-c', join(sources, unit), '-o', join(folder, `${unit}.o`)]);
      done += 1;
      progress(done, units.length, unit);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function compile(args: readonly string[]): Promise<void> {
  const ended = await runProgram({ command: compiler, args }, { limitMs: compileLimitMs });
  if (ended.code === 0) return;
  throw new Error(`${compiler} ${args.join(' ')}\n${ended.stderr.toString()}`);
}
