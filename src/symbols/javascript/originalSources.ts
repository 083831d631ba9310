import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readSourceMap } from '../../model/rewriting/readSourceMap.ts';
import type { SourceMap } from '../../model/rewriting/sourceMap.ts';

const MOST_BYTES = 64 << 20;

/** The source map of a text that is in a file, with the places of its sources. */
export interface LocatedMap {
  readonly map: SourceMap;
  /** Absolute paths, by the number of the source; null: it is no file. */
  readonly files: readonly (string | null)[];
  /** What the sources are called, wherever the map is. */
  readonly urls: readonly string[];
}

/** The map that a text names in its last comments, in the text or in a file beside it; null: none that can be read. */
export function sourceMapOf(text: string, path: string): LocatedMap | null {
  const url = mapUrl(text);
  if (url === null) return null;
  try {
    const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
    const file = inline ? path : resolve(dirname(path), decodeURIComponent(url));
    const content = inline ? decodedUrl(inline) : readMapFile(file);
    const map = readSourceMap(content);
    const folder = dirname(file);
    return {
      map,
      files: map.sources.map((source) => sourceFile(source, folder)),
      urls: map.sources.map((source) => sourceUrl(source, folder)),
    };
  } catch {
    return null;
  }
}

/** Whether a compiler made a text of files that are there. */
export function hasOriginals(text: string, path: string): boolean {
  const located = sourceMapOf(text, path);
  return (
    located !== null &&
    located.files.some((file) => file !== null && file !== path && existsSync(file))
  );
}

/** The last one counts, as for engines. */
function mapUrl(text: string): string | null {
  const at = text.lastIndexOf('sourceMappingURL=');
  if (at < 0) return null;
  const before = text.slice(Math.max(0, at - 4), at);
  if (!/[/][/*][#@] $/.test(before)) return null;
  return /^[^\s'"]+/.exec(text.slice(at + 'sourceMappingURL='.length))?.[0] ?? null;
}

function decodedUrl([, base64, content = '']: RegExpExecArray): string {
  return base64 ? Buffer.from(content, 'base64').toString('utf8') : decodeURIComponent(content);
}

function readMapFile(file: string): string {
  if (statSync(file).size > MOST_BYTES) throw new RangeError('the source map is too large');
  return readFileSync(file, 'utf8');
}

function sourceUrl(source: string, folder: string): string {
  return /^[a-z][\w+.-]*:/.test(source) ? source : pathToFileURL(resolve(folder, source)).href;
}

/** Bundlers name files by schemes of their own: `webpack://name/./src/a.ts`, which is below the folder they ran in. */
function sourceFile(source: string, folder: string): string | null {
  if (source === '') return null;
  if (source.startsWith('file:')) return fileURLToPath(source);
  const bundled = /^[a-z][\w+.-]*:\/\/[^/]*\/+(?:\.\/)?(.*?)(?:\?.*)?$/s.exec(source);
  if (!bundled) return /^[a-z][\w+.-]*:/.test(source) ? null : resolve(folder, source);
  const [, path = ''] = bundled;
  return path.startsWith('/') ? path : nearestFile(folder, path);
}

const MOST_FOLDERS = 40;

/** The file of this relative path in a folder or in one around it. */
function nearestFile(folder: string, path: string): string | null {
  for (let [here, n] = [folder, 0]; n < MOST_FOLDERS; n++) {
    const file = resolve(here, path);
    if (existsSync(file)) return file;
    if (dirname(here) === here) return null;
    here = dirname(here);
  }
  return null;
}
