import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The native programs of `strobe demo`, by folder: the compiler and what only their language needs. */
const programs = {
  ledger: { compiler: process.env['CXX'] ?? 'g++', flags: ['-std=c++17', '-O1'], suffix: '.cpp' },
  ranks: { compiler: process.env['CC'] ?? 'gcc', flags: ['-std=gnu11', '-O2'], suffix: '.c' },
};

/** Compiles them into dist where a source is newer. Answers whether one was built. */
export async function buildDemoPrograms(root) {
  let isBuilt = false;
  for (const name of Object.keys(programs)) isBuilt = (await compiled(root, name)) || isBuilt;
  return isBuilt;
}

async function compiled(root, name) {
  const { compiler, flags: own, suffix } = programs[name];
  const project = join(root, 'demo', name);
  const names = readdirSync(join(project, 'src'));
  const inputs = [
    ...names.map((source) => join(project, 'src', source)),
    fileURLToPath(import.meta.url),
  ];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  const product = join(root, 'dist', name);
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist', `${name}-`));
  // Paths in its debug information are relative: it is run elsewhere than it was built.
  const flags = [...own, '-g', '-gz', '-pthread', `-ffile-prefix-map=${project}=.`];
  const run = (args) => promisify(execFile)(compiler, args, { cwd: project });
  try {
    const units = names.filter((source) => source.endsWith(suffix));
    const objects = units.map((unit) => join(folder, `${unit}.o`));
    const waiting = units.map((unit, i) => [...flags, '-c', join('src', unit), '-o', objects[i]]);
    const worker = async () => {
      for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) await run(args);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    await run(['-gz', '-pthread', ...objects, '-o', join(folder, name)]);
    renameSync(join(folder, name), product);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}
