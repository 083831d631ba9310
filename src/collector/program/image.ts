import { realpath } from 'node:fs/promises';
import { KnownFiles } from './knownFiles.ts';
import { resolveProgram } from './program.ts';

/** The ELF file that a program is or is run by. */
export interface Image {
  readonly path: string;
  /** Its dynamic loader; null: it has none. */
  readonly loader: string | null;
}

const known = new KnownFiles<Image | null>();

/** What runs when a path is executed: scripts are followed to their interpreter. Null: nothing that could be traced. */
export async function imageOf(path: string): Promise<Image | null> {
  return await known.of(path, async () => await readImage(path), path);
}

async function readImage(path: string): Promise<Image | null> {
  try {
    const program = await resolveProgram(await realpath(path), { cwd: '/', env: {} });
    return { path: program.image, loader: program.loader };
  } catch {
    return null; // The kernel will refuse it, too, or it is of another architecture.
  }
}
