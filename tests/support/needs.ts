import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import type { TestContext } from 'vitest';
import { canLimitMemory } from './memoryGroup.ts';
import { pythons } from './pythons.ts';
import { packageRoot } from './strobe.ts';
import { buildByClang, buildTarget, libcxxFlags, muslFolder } from './targets.ts';

/** Where scripts/frameworks.mjs puts an environment with pytest and pytest-xdist. */
export const pytestFolder = join(packageRoot, '.cache', 'frameworks', 'python');
/** Where scripts/frameworks.mjs puts Perfetto's Python package. */
export const perfettoPackages = join(packageRoot, '.cache', 'perfetto');

const isKnownPython =
  'import sys; sys.exit(sys.implementation.name != "cpython" or not (3, 9) <= sys.version_info[:2] <= (3, 15))';

/** Where scripts/pythonPeers.mjs puts other tools that look into Python programs. */
export function pythonPeers(minor: '3.11' | '3.12'): string {
  return join(packageRoot, '.cache', 'pythonPeers', minor);
}

/** Where scripts/delve.mjs puts the debugger of Go. */
export const delvePath = join(packageRoot, '.cache', 'delve', 'dlv');

/** Where scripts/rustls.mjs puts a client and server with rustls. */
export const rustlsPath = join(packageRoot, '.cache', 'rustls', 'release', 'talks');

/** Where scripts/adapters.mjs puts a gdb that speaks the Debug Adapter Protocol. */
export const gdbPath = join(packageRoot, '.cache', 'adapters', 'bin', 'gdb');
export const lldbPath = join(packageRoot, '.cache', 'lldb', 'bin', 'lldb-dap');

/** Where scripts/stagePrograms.mjs puts a display server and a window manager. */
export const stageFolder = join(packageRoot, '.cache', 'stage');
/** What programs of GTK 3 are linked with. */
export const gtk3 = '/usr/lib/x86_64-linux-gnu/libgtk-3.so.0';

const alsaPlugin = '/usr/lib/x86_64-linux-gnu/alsa-lib/libasound_module_pcm_pulse.so';

interface Needed {
  readonly reason: string;
  readonly isMet: () => boolean;
  /** `npm run proof` runs these tests, `npm test` does not: they are variants that few machines can run. */
  readonly isProof?: boolean;
}

/** What a test may lack on a machine. A test that lacks it is skipped for this reason and no other. */
export const needs = {
  gdb: { reason: 'no debugger (gdb)', isMet: () => runs('gdb') },
  go: { reason: 'no Go compiler (go)', isMet: () => runs('go', ['version']) },
  delve: {
    reason: 'no Go compiler (go) or no Delve (node scripts/delve.mjs)',
    isMet: () => runs('go', ['version']) && runs(delvePath, ['version']),
  },
  gdbAdapter: {
    reason: 'no gdb with a debug adapter (node scripts/adapters.mjs)',
    isMet: () => runs(gdbPath, ['--version']),
  },
  lldbAdapter: {
    reason: 'no lldb with a debug adapter (node scripts/adapters.mjs)',
    isMet: () => runs(lldbPath, ['--help']),
  },
  java: {
    reason: 'no Java (java, javac)',
    isMet: () => runs('java', ['-version']) && runs('javac', ['-version']),
  },
  clang: {
    isProof: true,
    reason: 'no clang with its memory sanitizer',
    isMet: () => buildsMemorySanitizer(),
  },
  clangBuilds: {
    isProof: true,
    reason: 'no clang that builds C++',
    isMet: () => builds(() => buildByClang('e2e/wholeCpp.cpp', ['-std=c++20'])),
  },
  libcxx: {
    isProof: true,
    reason: "no clang with LLVM's C++ library (libc++-dev)",
    isMet: () => builds(() => buildByClang('e2e/wholeClasses.cpp', libcxxFlags)),
  },
  dwz: { reason: 'no dwz', isMet: () => runs('dwz', ['-v']) },
  dwp: {
    reason: 'no packagers of split files (dwp, llvm-dwp)',
    isMet: () => runs('dwp') && runs('llvm-dwp'),
  },
  dwpAndClang: {
    isProof: true,
    reason: 'no packager of split files (llvm-dwp) or no clang that builds C++',
    isMet: () => runs('llvm-dwp') && builds(() => buildByClang('e2e/wholeCpp.cpp', ['-std=c++20'])),
  },
  musl: {
    isProof: true,
    reason: 'no compiler for musl (node scripts/musl.mjs)',
    isMet: () => existsSync(join(muslFolder, 'debian')) && runs(join(muslFolder, 'c++')),
  },
  rustc: { reason: 'no Rust compiler (rustc)', isMet: () => runs('rustc') },
  rustls: {
    reason: 'no program with rustls (node scripts/rustls.mjs) or no openssl',
    isMet: () => existsSync(rustlsPath) && runs('openssl', ['version']),
  },
  gdbAndLibcxx: {
    isProof: true,
    reason: "no debugger (gdb) or no clang with LLVM's C++ library (libc++-dev)",
    isMet: () => runs('gdb') && builds(() => buildByClang('e2e/wholeClasses.cpp', libcxxFlags)),
  },
  gdbAndClang: {
    isProof: true,
    reason: 'no debugger (gdb) or no clang that builds C++',
    isMet: () => runs('gdb') && builds(() => buildByClang('e2e/wholeCpp.cpp', ['-std=c++20'])),
  },
  gdbAndRustc: {
    reason: 'no debugger (gdb) or no Rust compiler (rustc)',
    isMet: () => runs('gdb') && runs('rustc'),
  },
  coreFiles: {
    reason:
      'no debugger (gdb), or core files are not written where the program runs (core_pattern)',
    isMet: () =>
      runs('gdb') && readFileSync('/proc/sys/kernel/core_pattern', 'utf8').startsWith('core'),
  },
  cpython: {
    reason: 'no CPython 3.9 to 3.15 (python3)',
    isMet: () => runs('python3', ['-c', isKnownPython]),
  },
  pyenv: {
    reason: 'no pyenv with Python 3.12',
    isMet: () => runs('pyenv', ['prefix', '3.12']),
  },
  pythonPeers: {
    reason: 'no coverage.py, greenlet, uv, debugpy and numpy (node scripts/pythonPeers.mjs)',
    isMet: () =>
      (['3.11', '3.12'] as const).every((one) =>
        existsSync(join(pythonPeers(one), 'bin', 'debugpy')),
      ),
  },
  pytest: { reason: 'no pytest', isMet: () => runs('pytest') },
  xdist: {
    reason: 'no pytest-xdist (node scripts/frameworks.mjs)',
    isMet: () => existsSync(join(pytestFolder, 'bin', 'pytest')),
  },
  stage: {
    reason: 'no display server (node scripts/stagePrograms.mjs), accessibility bus or GTK 3',
    isMet: () => hasStage() && existsSync(gtk3),
  },
  windowManager: {
    reason: 'no stage, no GTK 3 or no openbox (node scripts/stagePrograms.mjs)',
    isMet: () => hasStage() && existsSync(gtk3) && runs(staged('openbox')),
  },
  ocr: {
    reason: 'no stage, no GTK 3 or no OCR (tesseract-ocr)',
    isMet: () => hasStage() && existsSync(gtk3) && runs('tesseract'),
  },
  gtk4: {
    reason: 'no stage or no GTK 4 (libgtk-4-1)',
    isMet: () => hasStage() && existsSync(gtk3.replace('gtk-3.so.0', 'gtk-4.so.1')),
  },
  qt5: {
    reason: 'no stage or no Qt 5 (qtbase5-dev)',
    isMet: () => hasStage() && runs('pkg-config', ['Qt5Widgets']),
  },
  qt6: {
    reason: 'no stage or no Qt 6 (qt6-base-dev)',
    isMet: () => hasStage() && runs('pkg-config', ['Qt6Widgets']),
  },
  swing: {
    reason: 'no stage or no Java whose windows can be read (default-jdk, libatk-wrapper-java)',
    isMet: () =>
      hasStage() &&
      existsSync('/usr/share/java/java-atk-wrapper.jar') &&
      runs('java', ['-version']) &&
      runs('javac', ['-version']),
  },
  chromium: {
    reason: 'no stage or no browser (chromium)',
    isMet: () => hasStage() && runs('chromium'),
  },
  webShop: {
    reason: 'no stage, no browser (chromium), or no CPython of pyenv',
    isMet: () => hasStage() && runs('chromium') && pythons.some(({ isSystem }) => !isSystem),
  },
  sound: {
    reason: 'no sound server or its player (pulseaudio, paplay)',
    isMet: () => runs('pulseaudio') && runs('paplay'),
  },
  jack: {
    reason: 'no JACK server (jackd2)',
    isMet: () => runs('jackd') && existsSync('/usr/bin/jack_midiseq'),
  },
  alsaSound: {
    reason: 'no sound server, or ALSA cannot play to it (pulseaudio, aplay, libasound2-plugins)',
    isMet: () => runs('pulseaudio') && runs('aplay') && existsSync(alsaPlugin),
  },
  till: {
    reason: 'no display server, or no GTK 3 for Python (python3-gi, gir1.2-gtk-3.0)',
    isMet: () =>
      runs(staged('Xvfb'), ['-help']) &&
      hasAccessibility() &&
      runs('/usr/bin/python3', ['-c', 'import gi; gi.require_version("Gtk", "3.0")']),
  },
  perf: {
    reason: 'the kernel lets nobody sample (perf_event_paranoid)',
    isMet: () => Number(readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8')) <= 2,
  },
  debugRegisters: {
    reason: 'the kernel or the virtual machine has no debug registers for us',
    isMet: () => watchesWrites(),
  },
  transactions: {
    reason: 'the processor has no memory transactions (rtm)',
    isMet: () => / rtm /.test(readFileSync('/proc/cpuinfo', 'utf8')),
  },
  mounts: {
    reason: 'this user may not mount file systems',
    isMet: () => spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
  },
  fuse: {
    reason: 'this user may not mount FUSE file systems',
    isMet: () =>
      existsSync('/dev/fuse') && process.getuid?.() === 0 && runs('unshare', ['-m', 'true']),
  },
  memoryGroups: {
    reason: 'this user may not make memory cgroups',
    isMet: canLimitMemory,
  },
  timeNamespaces: {
    reason: 'this user may not make time namespaces',
    isMet: () => spawnSync('unshare', ['--time', 'true']).status === 0,
  },
  processNamespaces: {
    reason: 'this user may not make process namespaces',
    isMet: () => spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0,
  },
  ia32: {
    reason: 'this machine neither builds nor runs 32-bit programs',
    isMet: () => process.arch === 'x64' && runsIa32(),
  },
  gtest: { reason: 'no GoogleTest', isMet: () => existsSync('/usr/include/gtest/gtest.h') },
  catch2: { reason: 'no Catch2', isMet: () => existsSync('/usr/include/catch2/catch.hpp') },
  cargo: { reason: 'no cargo', isMet: () => runs('cargo') },
  nextest: {
    reason: 'no cargo-nextest',
    isMet: () => runs('cargo', ['nextest', '--version']),
  },
  gtestCmake: {
    reason: 'no GoogleTest, or no CMake',
    isMet: () => existsSync('/usr/include/gtest/gtest.h') && runs('cmake'),
  },
  cmake: { reason: 'no CMake', isMet: () => runs('cmake') },
  jest: { reason: 'no Jest (node scripts/frameworks.mjs)', isMet: () => hasFramework('jest') },
  mocha: { reason: 'no Mocha (node scripts/frameworks.mjs)', isMet: () => hasFramework('mocha') },
  nodes: {
    reason: 'no versions of Node (node scripts/nodes.mjs)',
    isMet: () => existsSync(join(packageRoot, '.cache/nodes/node_modules/node24')),
  },
  loaders: {
    reason: 'no loaders and compilers of TypeScript (node scripts/loaders.mjs)',
    isMet: () => existsSync(join(packageRoot, '.cache/loaders/node_modules/tsx')),
  },
  bun: { reason: 'no Bun (node scripts/frameworks.mjs)', isMet: () => hasFramework('bun') },
  deno: { reason: 'no Deno (node scripts/frameworks.mjs)', isMet: () => hasFramework('deno') },
  perfetto: {
    reason: "no schema of Perfetto's (node scripts/frameworks.mjs)",
    isMet: () => existsSync(join(perfettoPackages, 'perfetto')),
  },
  root: {
    reason: 'not run as root: no other user to be',
    isMet: () => process.getuid?.() === 0 && runs('setpriv'),
  },
} as const satisfies Record<string, Needed>;

/** Whether `npm run proof` runs this. */
/** Whether everything is tried that there is, also what takes minutes. */
export const underProof = process.env['STROBE_PROOF'] === '1';

export type Need = keyof typeof needs;

/** The only place where a test skips: for a declared reason, which the end of the report names. */
function skipUnless(need: Need, context: TestContext): void {
  const { isMet, reason }: Needed = needs[need];
  context.skip(!isMet(), reason); // a reason of `needs`, never another
}

type Run = (context: TestContext) => Promise<void> | void;

/** As vitest's `it`, for a test that cannot run everywhere. */
export function itNeeds(need: Need, title: string, run: Run, timeoutMs?: number): void {
  const { isProof = false }: Needed = needs[need];
  if (isProof) itProves(need, title, run, timeoutMs);
  else it(title, unlessSkipped(need, run), timeoutMs);
}

/** As `itNeeds`, or without a need, for a variant that `npm run proof` runs, and `npm test` does not. */
export function itProves(need: Need | null, title: string, run: Run, timeoutMs?: number): void {
  if (underProof) it.only(title, unlessSkipped(need, run), timeoutMs);
}

function unlessSkipped(need: Need | null, run: Run): Run {
  return async (context) => {
    if (need !== null) skipUnless(need, context);
    await run(context);
  };
}

export function buildIa32(): string {
  const bare = ['-m32', '-nostdlib', '-static', '-ffreestanding', '-fno-pic', '-no-pie'];
  return buildTarget('attach/ia32.c', [...bare, '-fno-stack-protector']);
}

function buildsMemorySanitizer(): boolean {
  return builds(() => buildByClang('crash/uninitialised.c', ['-fsanitize=memory']));
}

function builds(build: () => string): boolean {
  try {
    return build() !== '';
  } catch {
    return false; // The compiler or a library of it is not there.
  }
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

function hasStage(): boolean {
  return runs(staged('Xvfb'), ['-help']) && hasAccessibility();
}

function staged(program: string): string {
  const own = join(stageFolder, program);
  return existsSync(own) ? own : program;
}

function hasAccessibility(): boolean {
  return runs('dbus-daemon') && existsSync('/usr/libexec/at-spi-bus-launcher');
}

function hasFramework(name: string): boolean {
  return existsSync(join(packageRoot, '.cache', 'frameworks', 'node_modules', name));
}

/** Whether a tool is there and works: a version manager's shim may stand on the PATH without one. */
function runs(program: string, args: readonly string[] = ['--version']): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
}

/** Whether a place of this very process can be watched for writes. */
function watchesWrites(): boolean {
  const spotter = join(packageRoot, 'dist', 'spotter');
  const address = (readFileSync('/proc/self/maps', 'utf8').split('-')[0] ?? '0').padStart(2, '0');
  const { stdout } = spawnSync(spotter, [String(process.pid), address, '8'], { input: '' });
  return stdout.includes('ready');
}
