import { readAt, withSections } from './elfSections.ts';

/** The C library that is part of a static program, which distinguishes its threads. */
export type StaticLibrary = 'glibc' | 'musl';

/** Where in its block a thread of the library keeps its number. */
export const threadNumberAt = { glibc: 0x2d0, musl: 0x30 } as const;

const mostNames = 64 << 20;

/** Null: another one, none, or musl in a program that is stripped. */
export async function staticLibraryOf(image: string): Promise<StaticLibrary | null> {
  return await withSections(image, async (file, sections) => {
    if (sections.some(({ name }) => name.startsWith('__libc_'))) return 'glibc';
    const names = sections.find(({ name }) => name === '.strtab');
    if (!names) return null;
    const bytes = await readAt(file, names.offset, Math.min(names.size, mostNames));
    return bytes.includes('\0__init_tls\0') || bytes.includes('\0__init_tp\0') ? 'musl' : null;
  });
}
