import { readFileSync } from 'node:fs';
import type { CrashReport } from '../../../model/endings/crashReport.ts';
import type { Snapshot, SnapshotThread } from '../../../model/endings/snapshot.ts';
import { processorNamed } from '../../../model/processors.ts';
import type { StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import type { ProcessMaps } from './processMaps.ts';
import type { StoppedRegisters } from './stopper.ts';

/** That of what is debugged, too. */
const processor = processorNamed(process.arch);

/** A thread of a process that stands still, as what reads stacks takes it. */
export function snapshotOf(
  pid: number,
  tid: number,
  stopped: StoppedRegisters,
  maps: ProcessMaps,
): Snapshot {
  return { ...processSnapshot(pid, maps), threads: [threadOf(pid, tid, stopped)] };
}

export function threadOf(
  pid: number,
  tid: number,
  { registers, vectors }: StoppedRegisters,
): SnapshotThread {
  const name = nameOf(pid, tid);
  return { tid, name, isOurs: false, registers, vectors, systemCall: null };
}

/** A process of which no thread is looked at. */
export function processSnapshot(pid: number, maps: ProcessMaps): Snapshot {
  return {
    pid,
    processor: processor.name,
    signal: null,
    threads: [],
    mappings: maps.mappings,
    memory: [],
    stored: maps.stored(),
    openFiles: null,
    problems: [],
  };
}

export function stoppedThread(
  { pid, threads, source, registers }: CrashReport,
  tid: number,
  cause: StopCause,
): StoppedThread {
  const [stack] = threads;
  return {
    pid,
    tid,
    name: stack?.name ?? '',
    cause,
    frames: (stack?.frames ?? []).map((frame) =>
      frame.isOwn && frame.variables.length === 0 ? { ...frame, isUnread: true } : frame,
    ),
    problem: stack?.problem ?? null,
    source: source[0] ?? null,
    registers,
  };
}

export function programCounter({ registers }: StoppedRegisters): bigint {
  return registers.at(-1) ?? 0n;
}

export function stackPointer({ registers }: StoppedRegisters): bigint {
  return registers[processor.stack] ?? 0n;
}

function nameOf(pid: number, tid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return ''; // It has just ended.
  }
}
