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

/** Compiles demo/ledger, the program of `strobe demo`, into dist/ledger when a source is newer. Answers whether it built. */
export async function buildLedger(root) {
  const project = join(root, 'demo/ledger');
  const names = readdirSync(join(project, 'src'));
  const inputs = [
    ...names.map((name) => join(project, 'src', name)),
    fileURLToPath(import.meta.url),
  ];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  const product = join(root, 'dist/ledger');
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist', 'ledger-'));
  // Paths in its debug information are relative: it is run elsewhere than it was built.
  const flags = ['-std=c++17', '-g', '-O1', '-pthread', `-ffile-prefix-map=${project}=.`];
  const run = (args) => promisify(execFile)(process.env['CXX'] ?? 'g++', args, { cwd: project });
  try {
    const units = names.filter((name) => name.endsWith('.cpp'));
    const objects = units.map((unit) => join(folder, `${unit}.o`));
    const waiting = units.map((unit, i) => [...flags, '-c', join('src', unit), '-o', objects[i]]);
    const worker = async () => {
      for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) await run(args);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    await run(['-pthread', ...objects, '-o', join(folder, 'ledger')]);
    renameSync(join(folder, 'ledger'), product);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}
