import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';

const targetsFolder = join(dirname(fileURLToPath(import.meta.url)), '..', 'targets');
const builtFolder = join(tmpdir(), `strobe-targets-${process.getuid?.() ?? 0}`);

const compilers: Readonly<Record<string, readonly string[]>> = {
  '.c': ['gcc', '-g', '-O1'],
  '.cpp': ['g++', '-std=c++17', '-g', '-O1', '-pthread'],
  '.rs': ['rustc', '-g', '-C', 'opt-level=1'],
  '.go': ['go', 'build'],
};

/**
 * Builds `tests/targets/<source>` and returns the absolute path of the result. Cached by source,
 * compiler and flags, of which some may be further files. The result has a folder of its own and is called as the source without
 * its extension, or `output`.
 */
export function buildTarget(
  source: string,
  flags: readonly string[] = [],
  output?: string,
): string {
  const compiler = compilers[extname(source)];
  if (compiler === undefined) throw new Error(`no compiler for ${source}`);
  return build(compiler, source, flags, output);
}

/** With LLVM's C++ library (needs libcxx). */
export const libcxxFlags = ['-std=c++20', '-stdlib=libc++'] as const;

/** The same by clang, whose memory sanitizer gcc does not have (needs clang). */
export function buildByClang(source: string, flags: readonly string[]): string {
  return build([source.endsWith('.cpp') ? 'clang++' : 'clang', '-g', '-O0'], source, flags);
}

/** Where scripts/musl.mjs puts a compiler for musl. */
export const muslFolder = join(dirname(dirname(targetsFolder)), '.cache', 'musl');

/** With musl (needs musl): statically, unless flags say `-dynamic`. */
export function buildWithMusl(source: string, flags: readonly string[] = []): string {
  const compiler = join(muslFolder, source.endsWith('.cpp') ? 'c++' : 'cc');
  const loader = join(muslFolder, 'debian/lib/ld-musl-x86_64.so.1');
  const linked = flags.includes('-dynamic') ? [`-Wl,-dynamic-linker,${loader}`] : ['-static'];
  return build([compiler, '-g', '-O0', ...linked], source, flags);
}

function build(
  [compiler = '', ...usual]: readonly string[],
  source: string,
  flags: readonly string[],
  output?: string,
): string {
  const path = join(targetsFolder, source);
  const name = output ?? basename(source, extname(source));
  const text = readFileSync(path);
  const key = createHash('sha256')
    .update(JSON.stringify([compiler, usual, flags, name, path]))
    .update(text)
    .update(flags.map((flag) => (existsSync(flag) ? readFileSync(flag) : '')).join())
    .digest('hex')
    .slice(0, 16);
  const folder = join(builtFolder, key);
  const built = join(folder, name);
  if (existsSync(built)) return built;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `.${name}.${process.pid}`);
  // Go takes flags before files only, linkers take libraries after them.
  const inputs = path.endsWith('.go') ? [...flags, path] : [path, ...flags];
  execFileSync(compiler, [...usual, '-o', draft, ...inputs], { stdio: 'pipe' });
  keepFirst(draft, built);
  return built;
}

/** Gives a draft its name, unless another test was quicker: the file that others have opened stays. */
export function keepFirst(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft);
  }
}

/** The source's absolute path. */
export function targetSource(source: string): string {
  return join(targetsFolder, source);
}

/** The line of a source that ends with this mark as a comment, from 1 on; 0: there is none. */
export function lineMarked(source: string, mark: string): number {
  const lines = readFileSync(targetSource(source), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`/* ${mark} */`)) + 1;
}
