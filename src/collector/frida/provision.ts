import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPaths } from '../../base/installPaths.ts';
import { pinnedFrida } from './pinnedFrida.ts';
import { runProgram } from '../../base/process.ts';
import type { ProgramResult } from '../../base/process.ts';
import { StrobeError } from '../../model/errors.ts';
import { withFileLock } from './fileLock.ts';

export interface ProvisionOptions {
  /** Strobe's folder; default `~/.strobe`. */
  readonly home?: string;
  /** Default `python3`. */
  readonly python?: string;
  readonly progress?: (message: string) => void;
}

/** An installed Frida. */
export interface Provisioned {
  /** Holds the `frida` package. */
  readonly folder: string;
  readonly version: string;
  readonly python: string;
}

/** How Frida comes to a machine without a network; pip reads the variables. */
function byHand(): string {
  const list = installPaths().fridaRequirements;
  return `Without a network: python3 -m pip download --no-deps --only-binary :all: -d wheels -r ${list} on a machine like this one, then here: PIP_NO_INDEX=1 PIP_FIND_LINKS=/path/to/wheels strobe doctor --fix.`;
}

const limits = { probe: 20_000, install: 900_000 } as const;

/** What is installed already, or null. Starts nothing. */
export async function findProvisioned(options: ProvisionOptions): Promise<Provisioned | null> {
  const version = pinnedVersion();
  const folder = join(runtimeFolder(options), `frida-${version}`);
  const found = await stat(folder).catch(() => null);
  return found?.isDirectory() ? { folder, version, python: options.python ?? 'python3' } : null;
}

/**
 * Installs the pinned Frida with pip, checked by hash, into `<home>/runtime/frida-<version>`, unless
 * it is there. The folder appears complete or not at all; of two at once, one waits.
 * FRIDA_MISSING says which step failed and what to do.
 */
export async function provisionFrida(options: ProvisionOptions = {}): Promise<Provisioned> {
  const found = await findProvisioned(options);
  if (found) return found;
  const runtime = runtimeFolder(options);
  await mkdir(runtime, { recursive: true, mode: 0o700 });
  return await withFileLock(join(runtime, 'install.lock'), limits.install, async () => {
    const meanwhile = await findProvisioned(options);
    return meanwhile ?? (await install(runtime, options));
  });
}

async function install(runtime: string, options: ProvisionOptions): Promise<Provisioned> {
  const python = options.python ?? 'python3';
  const progress = options.progress ?? (() => undefined);
  const version = pinnedVersion();
  await checkPython(python);
  progress(`installing Frida ${version}`);
  const draft = await mkdtemp(join(runtime, '.draft-'));
  try {
    await pipInstall(python, draft, progress);
    await checkStart(python, draft, version);
    const folder = join(runtime, `frida-${version}`);
    await rename(draft, folder);
    progress(`Frida ${version} is installed`);
    return { folder, version, python };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function checkPython(python: string): Promise<void> {
  const version = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const told = await run(python, ['-I', '-c', version], limits.probe).catch((error: unknown) => {
    throw missing(
      `${python} cannot be started: ${String(error)}`,
      'Install Python 3.8 or newer with pip, or set frida.python.',
    );
  });
  const [major = 0, minor = 0] = told.stdout.toString().trim().split('.').map(Number);
  if (told.code !== 0 || major !== 3 || minor < 8) {
    throw missing(
      `${python} is version ${told.stdout.toString().trim() || 'unknown'}; 3.8 is needed.`,
      'Install a newer Python, or set frida.python.',
    );
  }
  const pip = await run(python, ['-m', 'pip', '--version'], limits.probe);
  if (pip.code !== 0) {
    throw missing(
      `${python} has no pip: ${lastLine(pip)}`,
      'Install it (Debian: apt-get install python3-pip), or run: python3 -m ensurepip.',
    );
  }
}

async function pipInstall(
  python: string,
  folder: string,
  progress: (message: string) => void,
): Promise<void> {
  const args = [
    '-m',
    'pip',
    'install',
    '--require-hashes',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--no-input',
    '--disable-pip-version-check',
    '--no-warn-script-location',
    '--progress-bar',
    'off',
    '--target',
    folder,
    '-r',
    installPaths().fridaRequirements,
  ];
  const done = await run(python, args, limits.install, (chunk) => {
    const told = /Downloading (\S+?)-[\d.]+-\S+ \(([\d.]+ [kM]B)\)/.exec(chunk.toString());
    if (told) progress(`downloading ${told[1]} (${told[2]})`);
    if (chunk.includes('Installing collected packages')) progress('unpacking Frida');
  });
  if (done.code === 0) return;
  const said = done.stderr.toString();
  if (done.stopped)
    throw missing(
      'pip did not finish within 15 minutes.',
      `Check the network, then try again. ${byHand()}`,
    );
  if (/DO NOT MATCH THE HASHES/i.test(said)) {
    throw missing(
      'The package found is not the pinned one: its hash differs.',
      'Check which package index pip uses (pip config list).',
    );
  }
  if (/connection|resolution|timed out|retrying|proxy|ssl/i.test(said)) {
    throw missing(
      `The package index cannot be reached: ${lastLine(done)}`,
      `Check network and proxy (HTTPS_PROXY, PIP_INDEX_URL), then try again. ${byHand()}`,
    );
  }
  if (/No matching distribution|not a supported wheel/i.test(said)) {
    throw missing(
      `The package index cannot be reached, or has no Frida for this machine and Python: ${lastLine(done)}`,
      `Check network and proxy; Frida needs Linux (glibc) on x86_64. ${byHand()}`,
    );
  }
  if (/no space left/i.test(said))
    throw missing('The disk is full.', 'Frida needs 200 MB below STROBE_HOME and 60 MB in TMPDIR.');
  throw missing(
    `pip failed: ${lastLine(done)}`,
    'Run the same in a terminal to see more: strobe doctor.',
  );
}

/** Starts what every session will start; with its stdin at its end it says that it is ready and goes. */
async function checkStart(python: string, folder: string, version: string): Promise<void> {
  const told = await run(python, ['-I', '-S', installPaths().fridaSidecar, folder], limits.probe);
  if (told.stdout.includes('"ready"') && told.stdout.includes(`"${version}"`)) return;
  const reason = /"reason": ?"(.*)"\}/.exec(told.stdout.toString())?.[1] ?? lastLine(told);
  throw missing(
    `Frida was installed but does not start: ${reason}`,
    'Set frida.python to another Python, or update the system’s C library.',
  );
}

async function run(
  python: string,
  args: readonly string[],
  limitMs: number,
  onOutput: (chunk: Buffer) => void = () => undefined,
): Promise<ProgramResult> {
  // PIP_USER contradicts --target.
  const env = { ...process.env, PIP_USER: '0', PYTHONDONTWRITEBYTECODE: undefined };
  return await runProgram({ command: python, args, env }, { limitMs, onOutput });
}

function lastLine(result: ProgramResult): string {
  const lines = `${result.stdout.toString()}\n${result.stderr.toString()}`
    .split('\n')
    .filter((line) => line.trim());
  return (
    lines.findLast((line) => /error/i.test(line)) ??
    lines.at(-1) ??
    `exit code ${result.code}`
  ).trim();
}

function pinnedVersion(): string {
  const found = pinnedFrida(installPaths());
  if (found === null) throw new StrobeError('INTERNAL', 'requirements.txt pins no Frida.');
  return found;
}

function runtimeFolder(options: ProvisionOptions): string {
  return join(options.home ?? join(homedir(), '.strobe'), 'runtime');
}

function missing(message: string, hint: string): StrobeError {
  return new StrobeError('FRIDA_MISSING', message, hint);
}
