import { open } from 'node:fs/promises';
import {
  closesOnExec,
  commandOf,
  fileNumbersOf,
  linkOf,
  processFacts,
  readOf,
} from '../../base/proc.ts';
import { memoryFactsOf, type MemoryFacts } from './memoryConditions.ts';
import { readElfHeader } from './elfHeader.ts';
import { goVersionOf } from './goBuild.ts';
import { KnownFiles } from './knownFiles.ts';
import { staticLibraryOf, type StaticLibrary } from './staticLibrary.ts';

/** What of a program and its process decides whether tracing can come in. */
export interface EntryFacts {
  readonly program: ProgramFile;
  /** Null before its start. */
  readonly process: ProcessRoom | null;
}

export interface ProgramFile {
  /** Null: it has none, so it is statically linked. */
  readonly loader: string | null;
  /** Its loader is that of glibc. */
  readonly isGlibc: boolean;
  readonly hasThreadSanitizer: boolean;
  /** The version of Go that it was built with; null: with none. */
  readonly go: string | null;
  /** The C library in it; null: it is not static, or none that is known. */
  readonly staticLibrary: StaticLibrary | null;
}

/** What a process may use, and what of it is used. Infinite: without a limit. */
export interface ProcessRoom {
  readonly root: string;
  readonly isOwnRoot: boolean;
  /** It is in a user namespace in which its own user has no number. */
  readonly isNobody: boolean;
  /** It has other rights than who started it (setuid, setgid), which keeps us out. */
  readonly isPrivileged: boolean;
  /** Seccomp filters that are neither ours nor inherited from the daemon; in strict mode 1. */
  readonly filters: number;
  /** `lent`: used ones that it gets back. */
  readonly files: Share & { readonly lent: number };
  /** What a thread gets for its stack by default. */
  readonly stackBytes: number;
  readonly data: Share;
  readonly space: Share;
  readonly memory: MemoryFacts;
}

export interface Share {
  readonly limit: number;
  readonly used: number;
}

export interface EnteredProcess {
  readonly pid: number;
  /** It stands at its first instruction. */
  readonly atExec: boolean;
}

/** Where the names a program imports or exports are looked for. */
const NAMES_BYTES = 4 << 20;
const MOST_ANCESTORS = 256;

const names = new KnownFiles<boolean>();

/** What the file of a program says; one that is damaged or cannot be read says nothing against it. */
export async function programFile(image: string, loader: string | null): Promise<ProgramFile> {
  const [isGlibc, hasThreadSanitizer, go, staticLibrary] = await Promise.all([
    loader === null || loader === '' ? true : holdsName(loader, 'GLIBC_PRIVATE', true),
    holdsName(image, '__tsan_func_entry', false),
    goVersionOf(image),
    loader === null ? staticLibraryOf(image) : null,
  ]);
  return { loader, isGlibc, hasThreadSanitizer, go, staticLibrary };
}

/** The same of what a process runs. */
export async function runningFile(pid: number): Promise<ProgramFile> {
  const image = `/proc/${pid}/exe`;
  const loader = await loaderOf(image);
  return programFile(image, loader);
}

/** Null when it has ended or cannot be looked at. */
export function processRoom({ pid, atExec }: EnteredProcess): ProcessRoom | null {
  const status = readOf(pid, 'status');
  const limits = readOf(pid, 'limits');
  const root = linkOf(pid, 'root');
  if (status === null || limits === null) return null;
  const isPrivileged = hasOtherRights(status, root);
  if (root === null && !isPrivileged) return null;
  const limit = (title: string): number =>
    Number(new RegExp(`^Max ${title}\\s+(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity);
  const kilobytes = (title: string): number => 1024 * Number(statusField(status, title) || 0);
  const files = fileNumbersOf(pid);
  // What an exec closes and is open behind one is its supervisor's, and comes back once it is entered.
  const lent = atExec ? files.filter((number) => closesOnExec(pid, number)) : [];
  return {
    root: root ?? '',
    isOwnRoot: root === linkOf('self', 'root'),
    isNobody:
      linkOf(pid, 'ns/user') !== linkOf('self', 'ns/user') && readOf(pid, 'uid_map')?.trim() === '',
    isPrivileged,
    filters: foreignFilters(pid, status),
    files: { limit: limit('open files'), used: files.length, lent: lent.length },
    stackBytes: limit('stack size'),
    data: { limit: limit('data size'), used: kilobytes('VmData') },
    space: { limit: limit('address space'), used: kilobytes('VmSize') },
    memory: memoryFactsOf(pid),
  };
}

/**
 * Of a setuid program: it may not open our files. Of a setgid one: the kernel may not let us look into it, nor at its root.
 */
function hasOtherRights(status: string, root: string | null): boolean {
  const numbers = (title: string): string[] =>
    new RegExp(`^${title}:\\s*(\\d+)\\s+(\\d+)`, 'm').exec(status)?.slice(1) ?? [];
  const [user, effective] = numbers('Uid');
  const [group, effectiveGroup] = numbers('Gid');
  if (user === effective && group === effectiveGroup) return false;
  return root === null || effective !== String(process.geteuid?.());
}

/**
 * The daemon's own filters are inherited by what it starts and known to let tracing in. Kernels before 5.9 do not
 * count them: then one is taken for ours where there may be one of ours.
 */
function foreignFilters(pid: number, status: string): number {
  const mode = statusField(status, 'Seccomp');
  if (mode === '1') return 1;
  if (mode !== '2') return 0;
  const own = readOf(process.pid, 'status') ?? '';
  const inherited = Number(statusField(own, 'Seccomp_filters') || 0);
  const followed = isFollowed(pid) ? 1 : 0;
  const all = Number(statusField(status, 'Seccomp_filters') || Math.max(1, inherited + followed));
  return Math.max(0, all - inherited - followed);
}

/** Whether a supervisor above it asks about its execs, which takes a filter. */
export function isFollowed(pid: number): boolean {
  let parent = pid;
  for (let i = 0; i < MOST_ANCESTORS && parent > 1; i++) {
    parent = processFacts(parent)?.parent ?? 0;
    if (!/(^|\/)(strobe-)?supervisor$/.test(commandOf(parent)[0] ?? '')) continue;
    return fileNumbersOf(parent).some(
      (number) => linkOf(parent, `fd/${number}`) === 'anon_inode:seccomp notify',
    );
  }
  return false;
}

function statusField(status: string, title: string): string {
  return new RegExp(`^${title}:\\s*(\\S*)`, 'm').exec(status)?.[1] ?? '';
}

/** Whether it needs no loader; of what is no readable ELF file it is not known: false. */
export async function isStatic(image: string): Promise<boolean> {
  return (await loaderOf(image)) === null;
}

async function loaderOf(image: string): Promise<string | null> {
  const file = await open(image, 'r').catch(() => null);
  if (!file) return '';
  try {
    const elf = await readElfHeader(file);
    return elf ? elf.loader : '';
  } finally {
    await file.close();
  }
}

/** Whether a name stands in a string table of the file; `unknown` when it cannot be read. */
export async function holdsName(path: string, name: string, unknown: boolean): Promise<boolean> {
  return (await names.of(path, async () => await readName(path, name, unknown), name)) ?? unknown;
}

async function readName(path: string, name: string, unknown: boolean): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return unknown;
  try {
    const { size } = await file.stat();
    const bytes = Buffer.allocUnsafe(Math.min(size, NAMES_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead).includes(`\0${name}\0`, 0, 'latin1');
  } finally {
    await file.close();
  }
}
