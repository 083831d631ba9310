import { readFileSync } from 'node:fs';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { memoryOf, wordsAt } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';

/** Types of getauxval(3). */
const auxiliary = { headers: 3, headerBytes: 4, headerCount: 5, linker: 7, vdso: 33 } as const;
/** elf(5). */
const segment = { bytes: 56, dynamic: 2, interpreter: 3, headers: 6 } as const;
const dynamic = { bytes: 16, most: 256, end: 0n, debug: 21n } as const;
/** What is loaded before a library is: the program, the linker, the kernel's. */
const mostOwn = 3;
const longestPath = 4096;

const limitMs = 10_000;
const lookMs = 1;

/**
 * Waits until the dynamic linker of a process has done its work, which only then lets code be brought in: a library that is
 * not relocated crashes its callers, and the linker's lock is taken. INSTRUMENTATION_FAILED after 10 s.
 */
export async function untilLinked(pid: number): Promise<void> {
  const until = monotonicMs() + limitMs;
  while (isLinking(pid)) {
    if (monotonicMs() > until)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `Process ${pid} has not finished loading its libraries within ${limitMs / 1000} s, and cannot be entered before. It runs on untraced.`,
        'Try again when it has begun.',
      );
    await pause(lookMs);
  }
}

/** Whether the dynamic linker is at work, at the start or for dlopen(3); what is not known counts as no. */
function isLinking(pid: number): boolean {
  const known = auxiliaryOf(pid);
  const linker = known.get(auxiliary.linker);
  if (linker === undefined || linker === 0n) return false; // A static program, or it is gone.
  const program = programOf(pid, known);
  if (program === null || program.debug === null) return false;
  if (program.debug === 0n) return true;
  // struct r_debug of link.h: version, list, function, state.
  const [version, list = 0n, , state = 0n] = wordsAt(pid, program.debug, 4);
  if (version === undefined) return false;
  if (BigInt.asUintN(32, version) === 0n || BigInt.asUintN(32, state) !== 0n) return true;
  // glibc tells a consistent list also before it loads the first library; musl only at the end.
  const isMusl = program.interpreter.includes('ld-musl');
  return !isMusl && !hasLibrary(pid, list, [program.bias, linker, known.get(auxiliary.vdso)]);
}

/** `own`: where those are loaded that need no linker. */
function hasLibrary(pid: number, list: bigint, own: readonly (bigint | undefined)[]): boolean {
  let at = list;
  for (let looked = 0; at !== 0n && looked <= mostOwn; looked++) {
    // struct link_map of link.h: address, name, dynamic section, next.
    const [address = 0n, , , next = 0n] = wordsAt(pid, at, 4);
    if (!own.includes(address)) return true;
    at = next;
  }
  return false;
}

interface LoadedProgram {
  /** Where it is loaded, above the addresses in its file. */
  readonly bias: bigint;
  readonly interpreter: string;
  /** Where the linker tells of its work; 0: it has not begun; null: it does not tell. */
  readonly debug: bigint | null;
}

function programOf(pid: number, known: ReadonlyMap<number, bigint>): LoadedProgram | null {
  const at = known.get(auxiliary.headers) ?? 0n;
  const count = Number(known.get(auxiliary.headerCount) ?? 0n);
  if (Number(known.get(auxiliary.headerBytes)) !== segment.bytes) return null;
  const headers = memoryOf(pid, at, count * segment.bytes);
  const placeOf = (type: number): bigint | null => {
    for (let from = 0; from + segment.bytes <= headers.length; from += segment.bytes)
      if (headers.readUInt32LE(from) === type) return headers.readBigUInt64LE(from + 16);
    return null;
  };
  const own = placeOf(segment.headers);
  const section = placeOf(segment.dynamic);
  const interpreter = placeOf(segment.interpreter);
  if (own === null || section === null || interpreter === null) return null;
  const bias = at - own;
  return {
    bias,
    interpreter: textAt(pid, bias + interpreter),
    debug: debugIn(memoryOf(pid, bias + section, dynamic.most * dynamic.bytes)),
  };
}

function debugIn(section: Buffer): bigint | null {
  for (let from = 0; from + dynamic.bytes <= section.length; from += dynamic.bytes) {
    const tag = section.readBigUInt64LE(from);
    if (tag === dynamic.debug) return section.readBigUInt64LE(from + 8);
    if (tag === dynamic.end) return null;
  }
  return null;
}

function auxiliaryOf(pid: number): ReadonlyMap<number, bigint> {
  const found = new Map<number, bigint>();
  try {
    const bytes = readFileSync(`/proc/${pid}/auxv`);
    for (let at = 0; at + 16 <= bytes.length; at += 16)
      found.set(Number(bytes.readBigUInt64LE(at)), bytes.readBigUInt64LE(at + 8));
  } catch {
    // It is gone, and the attach says so.
  }
  return found;
}

function textAt(pid: number, address: bigint): string {
  const bytes = memoryOf(pid, address, longestPath);
  const end = bytes.indexOf(0);
  return bytes.subarray(0, Math.max(end, 0)).toString('utf8');
}
