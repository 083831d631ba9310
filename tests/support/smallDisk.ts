import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './processes.ts';

/** A file system of its own, in memory, of `megabytes`; itNeeds('mounts'). */
export class SmallDisk implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'sd-'));

  constructor(megabytes: number) {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', this.path);
  }

  /** Takes all the room there is, also what has become free since. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (const block of [1 << 20, 4096, 1]) {
        const bytes = Buffer.alloc(block);
        for (;;) if (!hasRoom(file, bytes)) break;
      }
    } finally {
      closeSync(file);
    }
  }

  /** Gives the room back. */
  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  makeReadOnly(): void {
    mount('-o', 'remount,ro', this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process that ends loses its environment, by which it is known, before its files.
    const isGone = (): boolean => spawnSync('umount', [this.path]).status === 0;
    await until(`${this.path} is used no more`, isGone);
    rmdirSync(this.path);
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }
}

function hasRoom(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  }
}

function mount(...args: string[]): void {
  const done = spawnSync('mount', args);
  if (done.status !== 0) throw new Error(`mount ${args.join(' ')}: ${done.stderr.toString()}`);
}

/** Runs a command with a /dev/shm of its own of so many megabytes, of which `used` are taken. */
export function withSharedMemory(megabytes: number, used = 0): readonly string[] {
  const script = [
    `mount -t tmpfs -o size=${megabytes}m none /dev/shm`,
    ...(used > 0 ? [`{ head -c ${used}m /dev/zero > /dev/shm/taken || true; }`] : []),
    'exec "$@"',
  ].join(' && ');
  return ['unshare', '-m', 'sh', '-c', script, 'sh'];
}

/**
 * Runs a command where kernel.yama.ptrace_scope reads as `scope`. A kernel without Yama enforces
 * nothing; what we do because of the value is done.
 */
export function withPtraceScope(scope: 0 | 1 | 2 | 3): readonly string[] {
  const script = [
    'mount -t tmpfs none /mnt',
    '{ cp -r /proc/sys/kernel/. /mnt 2>/dev/null || true; }', // some of them cannot be read
    'mkdir -p /mnt/yama',
    `echo ${scope} > /mnt/yama/ptrace_scope`,
    'mount --bind /mnt /proc/sys/kernel',
    'exec "$@"',
  ].join(' && ');
  return ['unshare', '-m', 'sh', '-c', script, 'sh'];
}
