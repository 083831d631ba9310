import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { StrobeError } from '../../model/errors.ts';

/** Where a request may write, and what is meant by a relative path. */
export interface WritePlaces {
  /** A relative path begins here. */
  readonly from: string;
  /** Folders in which files may be made; those that do not exist are left out. */
  readonly folders: readonly string[];
  /** A folder that notes what has no name yet, for the daemon that finds it left behind. */
  readonly drafts: string;
}

/**
 * A file that is written under another name and gets its own when it is whole. It is its user's
 * alone (0600).
 */
export class WrittenFile {
  readonly path: string;
  /** Made, and empty. */
  readonly temporary: string;
  readonly #overwrite: RegExp | null;
  /** A link to it in `drafts`; null: it is in a folder of ours and is removed with it. */
  readonly #note: string | null;

  private constructor(path: string, overwrite: RegExp | null, drafts: string | null) {
    this.path = path;
    this.#overwrite = overwrite;
    this.temporary = join(dirname(path), `.strobe-${randomBytes(6).toString('hex')}.partial`);
    this.#note = drafts === null ? null : join(drafts, basename(this.temporary));
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    try {
      if (this.#note !== null) symlinkSync(this.temporary, this.#note);
      closeSync(openSync(this.temporary, O_CREAT | O_EXCL | O_WRONLY, 0o600));
    } catch (error) {
      this.discard();
      throw new StrobeError('EXPORT_FAILED', messageOf(error));
    }
  }

  /**
   * Throws BAD_PARAMETER for a place where nothing may be written, FILE_EXISTS for a file that is
   * there and may not be replaced. `overwrite`: how a file must begin that may be.
   */
  static at(asked: string, places: WritePlaces, overwrite: RegExp | null): WrittenFile {
    const path = allowedPath(asked, places);
    checkFree(path, overwrite);
    return new WrittenFile(path, overwrite, places.drafts);
  }

  /** In a folder of ours, under the first free name: `name.ext`, `name-2.ext`, … */
  static inFolder(folder: string, name: string, extension: string): WrittenFile {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (let number = 1; ; number++) {
      const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.${extension}`);
      if (!lstatSync(path, { throwIfNoEntry: false })) return new WrittenFile(path, null, null);
    }
  }

  /** Gives the file its name. Throws FILE_EXISTS when another one has taken it meanwhile. */
  publish(): void {
    checkFree(this.path, this.#overwrite);
    try {
      if (this.#overwrite) renameSync(this.temporary, this.path);
      else {
        // A link fails where a rename would replace.
        linkSync(this.temporary, this.path);
        rmSync(this.temporary);
      }
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw exists(this.path);
      if (codeOf(error) !== 'EPERM') throw new StrobeError('EXPORT_FAILED', messageOf(error));
      // A file system without links.
      renameSync(this.temporary, this.path);
    }
  }

  /** Writes it whole and gives it its name. Throws EXPORT_FAILED, with what it was to be, when it cannot be written. */
  async fill(content: string | Uint8Array, what: string): Promise<void> {
    try {
      await writeFile(this.temporary, content);
      this.publish();
    } catch (error) {
      if (error instanceof StrobeError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new StrobeError('EXPORT_FAILED', `The ${what} could not be written: ${why}.`);
    } finally {
      this.discard();
    }
  }

  /** Removes what has no name yet. */
  discard(): void {
    removeDraft(this.temporary);
    if (this.#note !== null) rmSync(this.#note, { force: true });
  }
}

/** Removes what daemons that died had not finished writing. */
export function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const note = join(folder, name);
    try {
      const draft = readlinkSync(note);
      if (basename(draft) === name) removeDraft(draft);
      rmSync(note);
    } catch {
      // Its folder takes no change now: the next daemon tries again.
    }
  }
}

/** What SQLite keeps beside a file goes with it. */
function removeDraft(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

function allowedPath(asked: string, { from, folders }: WritePlaces): string {
  const wanted = resolve(from, asked);
  const parent = realFolder(dirname(wanted));
  if (parent === null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `There is no folder ${dirname(wanted)}.`,
      'Create it first, or give another path.',
    );
  }
  const path = join(parent, basename(wanted));
  const real = [...new Set(folders.flatMap((folder) => realFolder(folder) ?? []))];
  const folder = real.find((one) => isBelow(parent, one));
  if (folder === undefined) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `${path} is outside the folders that Strobe may write to.`,
      `Give a path below ${real.join(' or ')}, or none: the file is then written to Strobe's own folder.`,
    );
  }
  // Tools act on such folders (.git, .vscode), and ours are there.
  if (
    relative(folder, path)
      .split(sep)
      .some((part) => part.startsWith('.'))
  ) {
    throw new StrobeError('BAD_PARAMETER', `${path} is hidden or in a hidden folder.`);
  }
  return path;
}

function realFolder(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // It does not exist, or cannot be looked into.
  }
}

function checkFree(path: string, overwrite: RegExp | null): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!overwrite) throw exists(path);
  const isOwn = stat.isFile() && (process.getuid?.() ?? stat.uid) === stat.uid;
  if (!isOwn || !overwrite.test(beginningOf(path))) {
    throw new StrobeError(
      'FILE_EXISTS',
      `${path} is there, and it is not a file of this kind that Strobe wrote: it is not replaced.`,
      'Give another path, or remove it yourself.',
    );
  }
}

function exists(path: string): StrobeError {
  return new StrobeError(
    'FILE_EXISTS',
    `${path} is there already.`,
    'Give another path; overwrite: true replaces an earlier export of the same format.',
  );
}

const HEAD = 1 << 16;

/** What a plain file begins with, a character for each byte; empty for anything else. */
export function beginningOf(path: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return '';
    const head = Buffer.alloc(HEAD);
    return head.toString('latin1', 0, readSync(file, head, 0, HEAD, 0));
  } finally {
    closeSync(file);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
