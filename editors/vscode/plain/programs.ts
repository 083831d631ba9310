import { constants } from 'node:fs';
import { access, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders with nothing a person builds to debug. */
const passedOver = new Set(['node_modules', '.git', '.cache', '.venv', 'venv', '__pycache__']);
const mostFolders = 4000;
const mostFiles = 40_000;
const mostPrograms = 200;
/** `e_type` of an ELF file that can be run: an executable, or one that may be anywhere. */
const runnable = [2, 3];

/** A program of a folder. */
export interface FoundProgram {
  readonly path: string;
  readonly changedMs: number;
}

/** ELF programs below a folder, those built last first. The search is bounded; libraries are left out. */
export async function programsBelow(root: string): Promise<FoundProgram[]> {
  const found: FoundProgram[] = [];
  const folders = [root];
  let files = 0;
  for (let at = 0; at < folders.length && at < mostFolders && files < mostFiles; at++) {
    const folder = folders[at] ?? root;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory() && !passedOver.has(entry.name))
        folders.push(join(folder, entry.name));
      if (!entry.isFile() || /\.(so(\.\d+)*|o|a|js|py|sh|node)$/.test(entry.name)) continue;
      files += 1;
      const path = join(folder, entry.name);
      if (await isElfProgram(path)) found.push({ path, changedMs: (await stat(path)).mtimeMs });
    }
  }
  return found.toSorted((a, b) => b.changedMs - a.changedMs).slice(0, mostPrograms);
}

async function isElfProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    const file = await open(path);
    try {
      const header = Buffer.alloc(18);
      await file.read(header, 0, header.length, 0);
      return header.toString('latin1', 0, 4) === '\x7fELF' && runnable.includes(header[16] ?? 0);
    } finally {
      await file.close();
    }
  } catch {
    return false; // Removed meanwhile, or not ours to read.
  }
}

/** A process of this user. */
export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** The user's processes that can be attached to, newest first. */
export async function ownProcesses(): Promise<FoundProcess[]> {
  const user = process.getuid?.();
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const processes = pids.map(async (pid) => {
    const owner = await stat(`/proc/${pid}`).catch(() => null);
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const command = words.replaceAll('\0', ' ').trim();
    return owner?.uid === user && command !== '' ? [{ pid, command }] : [];
  });
  return (await Promise.all(processes)).flat().toSorted((a, b) => b.pid - a.pid);
}
