import { access, constants, open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { Problem } from '../../model/problem.ts';
import { ownMachine, readElfHeader } from './elfHeader.ts';
import type { ElfHeader } from './elfHeader.ts';
import { findProgram } from './findProgram.ts';
import type { ProgramSurroundings } from './findProgram.ts';

/** What a command turns out to be. */
export interface FoundProgram {
  /** What execve is given: the command itself when it holds a slash (relative to cwd), else where the PATH led. */
  readonly path: string;
  readonly kind: 'elf' | 'script';
  readonly interpreter: Interpreter | null;
  /** The ELF file that will run, with symbolic links followed: the program, or the interpreter of a script. */
  readonly image: string;
  /** `x86_64`, `aarch64` */
  readonly machine: string;
  readonly pie: boolean;
  /** Its dynamic loader; null: it has none. */
  readonly loader: string | null;
  /** What will work otherwise than expected. */
  readonly problems: readonly Problem[];
}

/** From a `#!` line. */
export interface Interpreter {
  readonly path: string;
  /** The kernel passes the rest of the line as one argument. */
  readonly args: readonly string[];
  /** The program that `env` will turn into, when the interpreter is env and the program was found. */
  readonly runs: string | null;
}

/** BINPRM_BUF_SIZE: the kernel looks no further for the end of a `#!` line. */
const scriptLineBytes = 256;
/** The kernel follows this many scripts that are run by scripts. */
const maxScripts = 4;

/**
 * Finds what `command` would run, as execvp in `cwd` with `env` does, and reads its kind.
 * PROGRAM_NOT_FOUND (with the nearest names), NOT_EXECUTABLE, WRONG_ARCHITECTURE,
 * NO_SUCH_DIRECTORY, EXEC_FAILED (its loader is missing).
 */
export async function resolveProgram(
  command: string,
  around: ProgramSurroundings,
): Promise<FoundProgram> {
  const folder = await stat(around.cwd).catch(() => null);
  if (!folder?.isDirectory())
    throw new StrobeError('NO_SUCH_DIRECTORY', `cwd ${around.cwd} is not an existing folder.`);
  const path = await findProgram(command, around);
  const problems: Problem[] = [];
  let interpreter: Interpreter | null = null;
  let file = resolve(around.cwd, path);
  for (let scripts = 0; scripts <= maxScripts; scripts++) {
    const found = await inspect(file, problems);
    if ('elf' in found) {
      await checkElf(file, found.elf);
      return {
        path,
        kind: interpreter ? 'script' : 'elf',
        interpreter,
        image: await realpath(file),
        machine: found.elf.machine,
        pie: found.elf.pie,
        loader: found.elf.loader,
        problems,
      };
    }
    const next = await readInterpreter(file, found.line, around, problems);
    interpreter ??= next;
    file = resolve(around.cwd, next.path);
  }
  throw new StrobeError(
    'NOT_EXECUTABLE',
    `${path} is run by scripts that are run by scripts, more than ${maxScripts} deep.`,
  );
}

async function inspect(
  path: string,
  problems: Problem[],
): Promise<{ elf: ElfHeader } | { line: string }> {
  const file = await openProgram(path);
  try {
    const { size, mode } = await file.stat();
    if ((mode & 0o6000) !== 0) {
      problems.push({
        code: 'PTRACE_DENIED',
        subject: path,
        detail: 'A setuid or setgid program runs without its privilege while it is traced.',
      });
    }
    if (size === 0) throw new StrobeError('NOT_EXECUTABLE', `${path} is empty.`, 'Build it first.');
    const start = Buffer.alloc(scriptLineBytes);
    const { bytesRead } = await file.read(start, 0, scriptLineBytes, 0);
    const text = start.toString('latin1', 0, bytesRead);
    if (text.startsWith('#!'))
      return { line: Buffer.from(text.slice(2).split('\n')[0] ?? '', 'latin1').toString() };
    if (!text.startsWith('\x7fELF')) throw unknownFormat(path, text);
    const elf = await readElfHeader(file);
    if (!elf)
      throw new StrobeError('NOT_EXECUTABLE', `${path} is a damaged ELF file.`, 'Build it again.');
    return { elf };
  } finally {
    await file.close();
  }
}

async function openProgram(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    // The kernel could run it, but nothing could be said about it.
    throw new StrobeError(
      'NOT_EXECUTABLE',
      `${path} cannot be read: ${String(error)}`,
      'Make it readable (chmod +r).',
    );
  }
}

function unknownFormat(path: string, text: string): StrobeError {
  if (text.startsWith('MZ'))
    return new StrobeError('WRONG_ARCHITECTURE', `${path} is a Windows program.`);
  if (/^(\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(text)) {
    return new StrobeError('WRONG_ARCHITECTURE', `${path} is a macOS program or a Java class.`);
  }
  return new StrobeError(
    'NOT_EXECUTABLE',
    `${path} is neither an ELF program nor a script with a #! line.`,
    `Name the program that runs it, for instance: sh ${basename(path)}`,
  );
}

async function checkElf(path: string, elf: ElfHeader): Promise<void> {
  if (!elf.runnable) {
    throw new StrobeError(
      'NOT_EXECUTABLE',
      `${path} is an object file or a core dump, not a program.`,
      'Link it first.',
    );
  }
  if (elf.machine !== ownMachine || elf.bits !== 64 || elf.bigEndian) {
    const order = elf.bigEndian ? ', big-endian' : '';
    throw new StrobeError(
      'WRONG_ARCHITECTURE',
      `${path} is built for ${elf.machine} (${elf.bits} bits${order}); this machine runs ${ownMachine} (64 bits).`,
    );
  }
  if (elf.loader !== null && !(await exists(elf.loader))) {
    throw new StrobeError(
      'EXEC_FAILED',
      `${path} needs the dynamic loader ${elf.loader}, which does not exist here.`,
      'It was built for another system (for instance another C library): build it on this one.',
    );
  }
}

/** The first word is the interpreter, the rest of the line one argument (execve(2)). */
async function readInterpreter(
  script: string,
  line: string,
  around: ProgramSurroundings,
  problems: Problem[],
): Promise<Interpreter> {
  const [, path = '', rest = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
  if (path === '')
    throw new StrobeError(
      'NOT_EXECUTABLE',
      `${script} has a #! line without a program.`,
      'Correct its first line.',
    );
  const file = resolve(around.cwd, path);
  if (!(await exists(file))) {
    const windows = line.endsWith('\r')
      ? ' (the line ends with a carriage return: a Windows line end)'
      : '';
    throw new StrobeError(
      'PROGRAM_NOT_FOUND',
      `${script} is run by ${JSON.stringify(path)}, which does not exist${windows}.`,
      windows
        ? 'Convert the file to Unix line ends.'
        : 'Install it, or correct the first line of the script.',
    );
  }
  await access(file, constants.X_OK).catch(() => {
    throw new StrobeError(
      'NOT_EXECUTABLE',
      `${script} is run by ${path}, which is not executable.`,
    );
  });
  const runs = basename(path) === 'env' ? await envProgram(script, rest, around, problems) : null;
  return { path, args: rest === '' ? [] : [rest], runs };
}

async function envProgram(
  script: string,
  rest: string,
  around: ProgramSurroundings,
  problems: Problem[],
): Promise<string | null> {
  const word = rest.split(/[ \t]+/).find((one) => one !== '-S' && !/^\w+=/.test(one));
  if (word === undefined || word.startsWith('-')) return null;
  const runs = resolve(around.cwd, await findProgram(word, around));
  problems.push({
    code: 'INSTRUMENTATION_FAILED',
    subject: script,
    detail: `env replaces itself by ${runs}: hooks set at the start do not reach it. Launch ${word} with the script as its argument instead.`,
  });
  return runs;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}
