import type { ElfFile } from './elfFile.ts';

/** Of Go 1.18 and newer: debug/buildinfo, cmd/go/internal/modload (what stands around the modules). */
const mark = Buffer.from('\xff Go buildinf:', 'latin1');
const head = { flags: 15, isInline: 2, texts: 32 } as const;
const around = 16;

/**
 * How the paths of a program's own sources begin where `-trimpath` made them relative: with the name of its main module,
 * or of another of its workspace. Those of the standard library begin with a package, those of other modules have a
 * version. Empty: it is no program of Go, or says none of its modules.
 */
export function goSourcePrefixes(elf: ElfFile): string[] {
  const bytes = elf.content('.go.buildinfo')?.all();
  if (!bytes || !Buffer.from(bytes.subarray(0, mark.length)).equals(mark)) return [];
  if (((bytes[head.flags] ?? 0) & head.isInline) === 0) return [];
  const version = textAt(bytes, head.texts);
  const { text } = textAt(bytes, version.end);
  const own = text
    .slice(around, -around)
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([kind, , , sum = '']) => kind === 'mod' || (kind === 'dep' && sum === ''))
    .flatMap(([, path = '']) => (path === '' ? [] : [`${path}/`, `${path}@`]));
  return ['./', ...own];
}

/** Whether a source may be the program's own: an absolute path does not say. */
export function mayBeOwnGo(path: string, prefixes: readonly string[]): boolean {
  return (
    prefixes.length === 0 ||
    path.startsWith('/') ||
    prefixes.some((prefix) => path.startsWith(prefix))
  );
}

/** A text behind its length (encoding/binary.Uvarint), and where it ends. */
function textAt(bytes: Uint8Array, start: number): { readonly text: string; readonly end: number } {
  let length = 0;
  let at = start;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return {
    text: Buffer.from(bytes.subarray(at, at + length)).toString('latin1'),
    end: at + length,
  };
}
