import { realpath, stat } from 'node:fs/promises';
import { resolveProgram } from './program.ts';

/** The ELF file that a program is or is run by. */
export interface Image {
  readonly path: string;
  /** Its dynamic loader; null: it has none. */
  readonly loader: string | null;
}

const known = new Map<string, Promise<Image | null>>();
const MAX_KNOWN = 1000;

/** What runs when a path is executed: scripts are followed to their interpreter. Null: nothing that could be traced. */
export async function imageOf(path: string): Promise<Image | null> {
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  const key = `${found.dev}.${found.ino}.${found.mtimeMs}.${path}`;
  let image = known.get(key);
  if (!image) {
    if (known.size >= MAX_KNOWN) known.clear();
    image = readImage(path);
    known.set(key, image);
  }
  return await image;
}

async function readImage(path: string): Promise<Image | null> {
  try {
    const program = await resolveProgram(await realpath(path), { cwd: '/', env: {} });
    return { path: program.image, loader: program.loader };
  } catch {
    return null; // The kernel will refuse it, too, or it is of another architecture.
  }
}
