import { watch, type FSWatcher } from 'node:fs';

/** A file whose writer can be asked to wake its reader. */
export interface WakingFile {
  readonly path: string;
  /** Asks for it; false when the writer cannot. */
  sleep(): boolean;
  /** Takes it back. */
  wake(): void;
}

/** Waits for the writers of files, who touch them: nothing is polled meanwhile. */
export class WakeCalls {
  #files: readonly WakingFile[] = [];
  readonly #watchers: FSWatcher[] = [];

  /**
   * From now on the first thing that is written calls `woken`. It may have been missed when it was
   * written at the same moment, so look once more, a little later. False when one of the files cannot be
   * waited for: then nothing is.
   */
  sleep(files: readonly WakingFile[], woken: () => void): boolean {
    this.wake();
    this.#files = files;
    try {
      // What is written into the file ourselves would wake us, so that it is watched only after that.
      const can = files.every((file) => file.sleep());
      if (can) for (const { path } of files) this.#watch(path, woken);
      if (can) return true;
    } catch {
      // No more watches: inotify(7) has limits.
    }
    this.wake();
    return false;
  }

  wake(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    for (const file of this.#files) file.wake();
    this.#files = [];
  }

  #watch(path: string, woken: () => void): void {
    const watcher = watch(path, { persistent: false }, woken);
    this.#watchers.push(watcher);
    watcher.on('error', woken);
  }
}
