import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { arm64Kernel } from '../../../tests/support/needs.ts';
import { buildForArm64 } from '../../../tests/support/targets.ts';

const libraries = '/usr/aarch64-linux-gnu/lib';
const wanted = ['ld-linux-aarch64.so.1', 'libc.so.6', 'libm.so.6', 'libgcc_s.so.1'];
const folderMode = 0o40755;
const programMode = 0o100755;

/** How one command ended (its wait status), and what it wrote. */
export interface KernelRun {
  readonly status: number;
  readonly output: string;
}

/** Boots an emulated machine that runs the commands one after the other; `files` by absolute path. */
export async function runOnArm64Kernel(
  files: ReadonlyMap<string, Buffer>,
  commands: readonly string[],
): Promise<KernelRun[]> {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-kernel-'));
  const image = join(folder, 'initrd');
  const machine = ['-M', 'virt', '-cpu', 'max,pauth-impdef=on', '-smp', '2', '-m', '1024'];
  const quiet = ['-nic', 'none', '-nographic', '-no-reboot', '-append', 'console=ttyAMA0 quiet'];
  try {
    writeFileSync(image, archive(files, commands));
    const words = [...machine, ...quiet, '-kernel', arm64Kernel, '-initrd', image];
    const options = { timeout: 500_000, maxBuffer: 1 << 26 };
    const { stdout } = await promisify(execFile)('qemu-system-aarch64', words, options);
    return runsIn(stdout.replaceAll('\r', ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runsIn(console: string): KernelRun[] {
  return [...console.matchAll(/\n@@ \d+ (\d+)\n(.*?)\n@@\n/gs)].map(([, status, output]) => ({
    status: Number(status),
    output: output ?? '',
  }));
}

/** What the kernel unpacks: a cpio archive of the "newc" form (cpio(5)). */
function archive(files: ReadonlyMap<string, Buffer>, commands: readonly string[]): Buffer {
  const all = new Map<string, [number, Buffer]>();
  for (const folder of ['proc', 'tmp', 'dev', 'lib', 'bin'])
    all.set(folder, [folderMode, Buffer.alloc(0)]);
  all.set('dev/console', [0o20600, Buffer.alloc(0)]);
  const init = buildForArm64('engine/arm64Init.c', ['-static']);
  all.set('init', [programMode, readFileSync(init)]);
  all.set('commands', [0o100644, Buffer.from(`${commands.join('\n')}\n`)]);
  for (const name of [...wanted, 'libstdc++.so.6'])
    all.set(`lib/${name}`, [programMode, readFileSync(join(libraries, name))]);
  for (const [path, bytes] of files) all.set(path.slice(1), [programMode, bytes]);
  all.set('TRAILER!!!', [0, Buffer.alloc(0)]);
  const parts = [...all].map(([name, [mode, bytes]], index) => entry(name, mode, bytes, index + 1));
  return Buffer.concat(parts);
}

function entry(name: string, mode: number, bytes: Buffer, inode: number): Buffer {
  // /dev/console is device 5, 1 (null(4), console(4)).
  const device = name === 'dev/console' ? [5, 1] : [0, 0];
  const numbers = [inode, mode, 0, 0, 1, 0, bytes.length, 0, 0, ...device, name.length + 1, 0];
  const head = numbers.map((number) => number.toString(16).padStart(8, '0')).join('');
  return Buffer.concat([padded(Buffer.from(`070701${head}${name}\0`)), padded(bytes)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
