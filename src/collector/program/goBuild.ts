import { readAt, withSections } from './elfSections.ts';
import { KnownFiles } from './knownFiles.ts';

/** What Go's linker leaves of the version (debug/buildinfo). */
const mark = Buffer.from('\xff Go buildinf:', 'latin1');
const text = { flags: 15, inline: 2, at: 32, most: 128 } as const;

const versions = new KnownFiles<string | null>();

/** The version of Go that a program was built with, `go1.26.8`; null: with none. */
export async function goVersionOf(image: string): Promise<string | null> {
  return await versions.of(image, async () => await readVersion(image));
}

async function readVersion(image: string): Promise<string | null> {
  return await withSections(image, async (file, sections) => {
    const place = sections.find(({ name }) => name === '.go.buildinfo');
    if (!place) return null;
    const bytes = await readAt(file, place.offset, text.at + 1 + text.most);
    const isInline = ((bytes[text.flags] ?? 0) & text.inline) !== 0;
    if (!bytes.subarray(0, mark.length).equals(mark) || !isInline) return null;
    const length = bytes[text.at] ?? 0;
    return bytes.toString('latin1', text.at + 1, text.at + 1 + Math.min(length, text.most));
  });
}

/** Offsets, in bytes. */
export interface GoroutineLayout {
  /** In runtime.g: its number, and that of the goroutine which made it. */
  readonly number: number;
  readonly creator: number;
  /** In runtime._panic: the canonical address of the frame that continues once it is recovered. */
  readonly panicFrame: number;
}

/** Null: they are not known for that version. */
export function goroutineLayoutIn(version: string): GoroutineLayout | null {
  const minor = /^go1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? null : (goroutineLayouts.get(Number(minor)) ?? null);
}

const goroutineLayouts = new Map<number, GoroutineLayout>([
  [22, { number: 152, creator: 272, panicFrame: 64 }],
  [23, { number: 160, creator: 280, panicFrame: 64 }],
  [24, { number: 160, creator: 280, panicFrame: 64 }],
  [25, { number: 152, creator: 272, panicFrame: 64 }],
  [26, { number: 152, creator: 280, panicFrame: 56 }],
]);
