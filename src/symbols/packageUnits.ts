import { statSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, isFile, realPath } from '../base/paths.ts';
import { globTest, type Pattern } from '../model/names/pattern.ts';
import type { SourceLanguage } from './sourceLanguage.ts';

/** They are asked for again at each module that a program loads; one that came since is a unit once it is loaded. */
const listed = new Map<string, { readonly changedMs: number; readonly files: readonly string[] }>();

const limits = { mostFiles: 5000, mostFolders: 1000 } as const;

/**
 * Of these units the source files of the package that a pattern names, loaded or not: before its `!`, or, where names
 * of functions begin with their package, as its first word. A unit that ends with `/` is a folder of packages.
 */
export function packageUnits(
  language: SourceLanguage,
  pattern: Pattern,
  units: readonly string[],
): string[] {
  const name = pattern.module ?? firstWord(language, pattern);
  if (name === null) return [];
  const isMeant = globTest(name);
  const loaded = units.filter((unit) => {
    const own = language.packageOf(unit);
    return !unit.endsWith('/') && own !== null && isMeant(own);
  });
  const kept = units
    .filter((unit) => unit.endsWith('/'))
    .flatMap((folder) => filesOfPackage(language, folder, name));
  return [...new Set([...loaded, ...kept])];
}

/** The words of a pattern before its first wildcard, each whole: of `pip._internal.cli*` they are `pip._internal`. */
export function leadingWords(text: string): string[] {
  const body = text.replaceAll('::', '.');
  const [lead = ''] = /^[\w$.]*/.exec(body) ?? [];
  const words = lead.split('.');
  return lead.length === body.length ? words : words.slice(0, -1);
}

/** The package that the first word of a pattern may be; null: it is none. */
export function firstWord(language: SourceLanguage, { module, text }: Pattern): string | null {
  if (module !== null || !language.namesBeginWithPackage) return null;
  return /^([A-Za-z_]\w*)(?:\.|::)/.exec(text)?.[1] ?? null;
}

/** Not of a path that leads elsewhere, and without wildcards. */
export function isPackageName(name: string): boolean {
  return /^@?\w[\w$.-]*(?:\/\w[\w$.-]*)?$/.test(name);
}

function filesOfPackage(language: SourceLanguage, folder: string, name: string): readonly string[] {
  if (!isPackageName(name)) return [];
  const package_ = join(folder, name);
  const found = statSync(package_, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    const known = listed.get(package_);
    if (known?.changedMs === found.mtimeMs) return known.files;
    const isOpen = (inner: string): boolean => inner !== 'node_modules' && !inner.startsWith('.');
    const isWanted = (file: string): boolean => language.isSource(file);
    const files = filesBelow(realPath(package_), { isWanted, isOpen, ...limits });
    listed.set(package_, { changedMs: found.mtimeMs, files });
    return files;
  }
  const single = language.packageFile(name);
  const file = single === null ? null : join(folder, single);
  return file !== null && isFile(file) ? [realPath(file)] : [];
}
