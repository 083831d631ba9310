import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isSystemPath } from '../../../base/systemPaths.ts';
import type { DebugInfo } from '../dwarf/debugInfo.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import type { Library } from './library.ts';

const mostFiles = 2000;
const mostBytes = 32 << 20;
const mostLines = 4;

/**
 * Why a function that the sources of these modules write has no code in them, as whole sentences; null: no source writes it.
 * `projectRoot`: where relative paths of sources begin.
 */
export function whyNoCode(
  library: Library,
  modules: readonly string[],
  name: string,
  projectRoot = '/',
): string | null {
  const last = /\w+$/.exec(name)?.[0];
  if (last === undefined) return null;
  const written = new RegExp(`\\b${last}\\b\\s*(?:<[^;{}]*>)?\\(`);
  // A namespace, type or module of another name holds another function.
  const holder = /(\w+)(?:<[^:]*>)?(?:::|\.)\w+$/.exec(name)?.[1];
  const isHeld = new RegExp(`\\b${holder ?? ''}\\b`);
  let bytes = 0;
  for (const { path, info, unit } of sourcesOf(library, modules)) {
    const text = bytes < mostBytes ? textOf(resolve(projectRoot, path)) : '';
    bytes += text.length;
    const found = text.split('\n').flatMap((line, i) => (written.test(line) ? [i + 1] : []));
    const [first] = found;
    if (first === undefined || (holder !== undefined && !isHeld.test(`${path}\n${text}`))) continue;
    const withCode = linesWithCode(info, unit, path);
    const used = found.filter((line) => withCode.has(line)).slice(0, mostLines);
    const file = basename(path);
    const where =
      used.length === 0
        ? ''
        : ` Set a breakpoint where it is used (${used.map((line) => `${file}:${line}`).join(', ')}), or`;
    return `${name} stands in ${file}:${first}, but what is loaded has no code of it: the compiler left it out, or put what it gives where it is used.${where || ' To see it,'} build without optimisation (-O0).`;
  }
  return null;
}

/** Those of the system's libraries are none of the program's. */
function* sourcesOf(
  library: Library,
  modules: readonly string[],
): Generator<{ readonly path: string; readonly info: DebugInfo; readonly unit: Unit }> {
  const seen = new Set<string>();
  for (const module of modules) {
    const info = library.code(module).types()?.info;
    for (const unit of info?.units ?? [])
      for (const path of info?.lineHeader(unit)?.files ?? []) {
        if (!info || seen.has(path) || isSystemPath(path)) continue;
        seen.add(path);
        if (seen.size > mostFiles) return;
        yield { path, info, unit };
      }
  }
}

function textOf(path: string): string {
  try {
    return statSync(path).size > mostBytes ? '' : readFileSync(path, 'utf8');
  } catch {
    return ''; // Built elsewhere, or gone.
  }
}

function linesWithCode(info: DebugInfo, unit: Unit, path: string): ReadonlySet<number> {
  const files = info.lineHeader(unit)?.files ?? [];
  const rows = info.lineRows(unit).filter(({ file }) => files[file] === path);
  return new Set(rows.map(({ line }) => line));
}
