import type { ErrorCode } from '../../model/errors.ts';
import { whyNoMemory } from './memoryConditions.ts';
import { goroutineLayoutIn } from './goBuild.ts';
import type { EntryFacts, ProcessRoom, ProgramFile, Share } from './entryFacts.ts';

/** Why tracing cannot come into a program, and what to do instead. */
export interface Obstacle {
  readonly code: ErrorCode;
  /** A clause about the program: `it is statically linked`. */
  readonly reason: string;
  readonly hint: string;
}

/**
 * What coming in takes in a process. Measured with Frida 17.25, by programs under ever smaller limits: with 32 files, a
 * stack of 16 KB or 55 MB of address space left they died; with 90 MB of data and 1 GB of address space they could
 * not be entered.
 */
const needs = {
  files: 40,
  /** Before those that were lent are given back. */
  firstFiles: 23,
  stackBytes: 64 << 10,
  dataBytes: 128 << 20,
  spaceBytes: 2 ** 31,
} as const;

/** Answers null where it does not stand in the way. */
type Condition = (facts: EntryFacts) => Obstacle | null;

const otherRoot: Condition = ofProcess(({ isOwnRoot }) => !isOwnRoot, {
  code: 'INSTRUMENTATION_FAILED',
  reason: ({ root }) => `its root folder is ${root}, where the libraries of Strobe do not exist`,
  hint: 'Run it without chroot to trace it.',
});

const privileged: Condition = ofProcess(({ isPrivileged }) => isPrivileged, {
  code: 'INSTRUMENTATION_FAILED',
  reason: () =>
    'it is a setuid or setgid program: it has the rights of another user or group, not yours',
  hint: 'To trace it, run a copy without that bit (cp leaves it out), Strobe too as the user whose rights it needs.',
});

const sandbox: Condition = ofProcess(({ filters }) => filters > 0, {
  code: 'INSTRUMENTATION_FAILED',
  reason: () =>
    'it has a seccomp filter of its own, which may end it for a system call that the tracing agent makes',
  hint: 'Run it without its sandbox to trace it.',
});

const littleMemory: Condition = ({ process }) => {
  const lack = process && whyNoMemory(process.memory);
  return lack && { code: 'INSTRUMENTATION_FAILED', ...lack };
};

/**
 * Everything that is known to keep tracing out, or to harm a program that it would come into. It is checked before
 * anything touches the program, which then runs as it would alone.
 */
const conditions: readonly Condition[] = [
  ofProgram(({ isGlibc }) => !isGlibc, {
    code: 'INSTRUMENTATION_FAILED',
    reason: ({ loader }) => `its C library is not glibc (its loader is ${loader ?? ''})`,
    hint: 'Build it against glibc to trace it.',
  }),
  ofProgram(({ hasThreadSanitizer }) => hasThreadSanitizer, {
    code: 'INSTRUMENTATION_FAILED',
    reason: () =>
      'it is a program built with -fsanitize=thread, whose sanitizer ends it when a thread of the tracing agent, which it did not see begin, asks for memory',
    hint: 'To trace it, build it without -fsanitize=thread (address and undefined may stay).',
  }),
  privileged,
  otherRoot,
  ofProcess(({ isNobody }) => isNobody, {
    code: 'INSTRUMENTATION_FAILED',
    reason: () =>
      'it is in a user namespace that maps no users, from where Frida cannot say who it is',
    hint: 'Map a user there (unshare -r) to trace it.',
  }),
  sandbox,
  ofProcess(({ files }) => files.limit - files.used < filesNeeded(files.lent), {
    code: 'INSTRUMENTATION_FAILED',
    reason: ({ files }) =>
      `its limit of open files is ${files.limit} and ${files.used - files.lent} are open: tracing takes ${needs.files} more`,
    hint: 'Raise the limit (ulimit -n) to trace it.',
  }),
  ofProcess(({ stackBytes }) => stackBytes < needs.stackBytes, {
    code: 'INSTRUMENTATION_FAILED',
    reason: ({ stackBytes }) =>
      `its stack limit is ${size(stackBytes)}: threads of the tracing agent take ${size(needs.stackBytes)}`,
    hint: 'Raise the limit (ulimit -s) to trace it.',
  }),
  ofProcess(({ data }) => isShort(data, needs.dataBytes), {
    code: 'INSTRUMENTATION_FAILED',
    reason: ({ data }) =>
      `its data limit is ${size(data.limit)} and ${size(data.used)} are used: tracing takes ${size(needs.dataBytes)} more`,
    hint: 'Raise the limit (ulimit -d) to trace it.',
  }),
  ofProcess(({ space }) => isShort(space, needs.spaceBytes), {
    code: 'INSTRUMENTATION_FAILED',
    reason: ({ space }) =>
      `its address space is limited to ${size(space.limit)} and ${size(space.used)} are used: tracing takes ${size(needs.spaceBytes)} more`,
    hint: 'Raise the limit (ulimit -v) to trace it.',
  }),
  littleMemory,
];

/** The same where a static program is traced from outside: nothing of ours runs in it by itself. */
const conditionsOutside: readonly Condition[] = [
  ofProgram(({ go, staticLibrary }) => go === null && staticLibrary === null, {
    code: 'STATIC_PROGRAM',
    reason: () =>
      'it is statically linked, with neither glibc nor musl (or stripped of musl’s names)',
    hint: 'Link it dynamically for debugging (drop -static), or keep its symbols (no strip, no -s).',
  }),
  ofProgram(({ go }) => go !== null && goroutineLayoutIn(go) === null, {
    code: 'STATIC_PROGRAM',
    reason: ({ go }) => `it is built with ${go ?? ''}, whose goroutines are not known`,
    hint: 'Build it with Go 1.22 to 1.26 to trace it.',
  }),
  privileged,
  otherRoot,
  sandbox,
  littleMemory,
];

/** Whether a program is traced from outside: no loader is in it that could load the agent. */
export function isTracedFromOutside({ loader }: ProgramFile): boolean {
  return loader === null;
}

/** The first that stands in the way; null: nothing is known to. */
export function obstacleTo(facts: EntryFacts): Obstacle | null {
  for (const condition of isTracedFromOutside(facts.program) ? conditionsOutside : conditions) {
    const obstacle = condition(facts);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

interface Row<Of> {
  readonly code: ErrorCode;
  readonly reason: (of: Of) => string;
  readonly hint: string;
}

function ofProgram(holds: (program: ProgramFile) => boolean, row: Row<ProgramFile>): Condition {
  return ({ program }) => (holds(program) ? { ...row, reason: row.reason(program) } : null);
}

function ofProcess(holds: (room: ProcessRoom) => boolean, row: Row<ProcessRoom>): Condition {
  return ({ process }) =>
    process !== null && holds(process) ? { ...row, reason: row.reason(process) } : null;
}

function filesNeeded(lent: number): number {
  return Math.max(needs.firstFiles, needs.files - lent);
}

function isShort({ limit, used }: Share, needed: number): boolean {
  return limit - used < needed;
}

function size(bytes: number): string {
  const kilobytes = Math.floor(bytes / 1024);
  return kilobytes < 10_000 ? `${kilobytes} KB` : `${Math.floor(kilobytes / 1024)} MB`;
}
