import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import type { TestContext } from 'vitest';
import { packageRoot } from './strobe.ts';
import { buildTarget } from './targets.ts';

/** Where scripts/frameworks.mjs puts Perfetto's Python package. */
export const perfettoPackages = join(packageRoot, '.cache', 'perfetto');

/** What a test may lack on a machine. A test that lacks it is skipped for this reason and no other. */
export const needs = {
  gdb: { reason: 'no debugger (gdb)', isMet: () => runs('gdb') },
  go: { reason: 'no Go compiler (go)', isMet: () => runs('go', ['version']) },
  rustc: { reason: 'no Rust compiler (rustc)', isMet: () => runs('rustc') },
  gdbAndRustc: {
    reason: 'no debugger (gdb) or no Rust compiler (rustc)',
    isMet: () => runs('gdb') && runs('rustc'),
  },
  pytest: { reason: 'no pytest', isMet: () => runs('pytest') },
  perf: {
    reason: 'the kernel lets nobody sample (perf_event_paranoid)',
    isMet: () => Number(readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8')) <= 2,
  },
  mounts: {
    reason: 'this user may not mount file systems',
    isMet: () => spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
  },
  timeNamespaces: {
    reason: 'this user may not make time namespaces',
    isMet: () => spawnSync('unshare', ['--time', 'true']).status === 0,
  },
  ia32: {
    reason: 'this machine neither builds nor runs 32-bit programs',
    isMet: () => process.arch === 'x64' && runsIa32(),
  },
  arm64: {
    reason: 'no compiler for arm64 (gcc-12-aarch64-linux-gnu, libc6-dev-arm64-cross)',
    isMet: () =>
      existsSync('/usr/aarch64-linux-gnu/include/stdio.h') && runs('aarch64-linux-gnu-gcc-12'),
  },
  gtest: { reason: 'no GoogleTest', isMet: () => existsSync('/usr/include/gtest/gtest.h') },
  catch2: { reason: 'no Catch2', isMet: () => existsSync('/usr/include/catch2/catch.hpp') },
  cargo: { reason: 'no cargo', isMet: () => runs('cargo') },
  cmake: { reason: 'no CMake', isMet: () => runs('cmake') },
  jest: { reason: 'no Jest (node scripts/frameworks.mjs)', isMet: () => hasFramework('jest') },
  mocha: { reason: 'no Mocha (node scripts/frameworks.mjs)', isMet: () => hasFramework('mocha') },
  fridaAddon: {
    reason: 'the Frida npm package has no prebuilt binary for this machine',
    isMet: () =>
      existsSync(join(packageRoot, 'node_modules', 'frida', 'build', 'frida_binding.node')),
  },
  perfetto: {
    reason: "no schema of Perfetto's (node scripts/frameworks.mjs)",
    isMet: () => existsSync(join(perfettoPackages, 'perfetto')),
  },
  root: {
    reason: 'not run as root: no other user to be',
    isMet: () => process.getuid?.() === 0 && runs('setpriv'),
  },
} as const satisfies Record<string, { reason: string; isMet: () => boolean }>;

export type Need = keyof typeof needs;

/** As vitest's `it`, for a test that cannot run everywhere; docs/health.md lists it. */
export function itNeeds(
  need: Need,
  title: string,
  run: (context: TestContext) => Promise<void> | void,
): void {
  it(title, async (context) => {
    context.skip(!needs[need].isMet(), needs[need].reason);
    await run(context);
  });
}

export function buildIa32(): string {
  const bare = ['-m32', '-nostdlib', '-static', '-ffreestanding', '-fno-pic', '-no-pie'];
  return buildTarget('attach/ia32.c', [...bare, '-fno-stack-protector']);
}

/** The kernel's support; the compiler brings its own. */
function runsIa32(): boolean {
  try {
    const { stdout } = spawnSync(buildIa32(), { timeout: 1000 });
    return stdout.toString() === 'ready\n';
  } catch {
    return false; // The compiler makes no such programs.
  }
}

function hasFramework(name: string): boolean {
  return existsSync(join(packageRoot, '.cache', 'frameworks', 'node_modules', name));
}

/** Whether a tool is there and works: a version manager's shim may stand on the PATH without one. */
function runs(program: string, args: readonly string[] = ['--version']): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}
