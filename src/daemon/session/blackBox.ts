import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCrashFile } from '../../collector/crash/crashFile.ts';
import type { CrashReport, DeepValue, StoredCrash } from '../../model/crash.ts';
import { secretIn } from '../../model/redaction.ts';
import type { SessionState } from '../../model/session.ts';
import { crashSignals } from '../../model/signals.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { crashLine } from '../report/crashLine.ts';
import type { IndexClient } from './indexClient.ts';
import { ringDirectory } from './instrument.ts';
import { ownModules } from './modules.ts';
import type { SessionFacts, SessionParts } from './sessionFacts.ts';

/** Threads of Frida, where the engine could not tell them from the program's. */
const ownThreads = /^(?:gum-js-loop|gmain|gdbus|pool-(?:frida|spawner)|frida-.*)$/;

/**
 * Reads what the session's processes left when they died, and explains it. A process that left nothing was
 * not traced, or did not die by a signal. Failures are told as notes.
 */
async function explainCrashes(
  facts: SessionFacts,
  services: SessionParts,
  tell: (note: string) => void,
): Promise<StoredCrash[]> {
  const crashes: StoredCrash[] = [];
  for (const path of crashFiles(facts.id)) {
    try {
      const snapshot = readCrashFile(path);
      if (snapshot === null) continue;
      crashes.push({
        time: Number((snapshot.signal?.monotonicNs ?? facts.startNs) - facts.startNs),
        pid: snapshot.pid,
        ...(await explainSnapshot(snapshot, facts, services)),
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      services.log.error('session', 'a crash cannot be explained', {
        session: facts.id,
        error: why,
      });
      tell(`A crash was written down but cannot be explained: ${why}`);
    }
  }
  return crashes;
}

/** The report of a snapshot, and its one line. */
export async function explainSnapshot(
  found: Snapshot,
  facts: SessionFacts,
  services: SessionParts,
): Promise<{ readonly text: string; readonly report: CrashReport }> {
  const snapshot: Snapshot = {
    ...found,
    threads: found.threads.map((thread) =>
      ownThreads.test(thread.name) ? { ...thread, isOurs: true } : thread,
    ),
  };
  const files = new Set(
    snapshot.mappings
      .filter((row) => row.protection.includes('x') && row.path.startsWith('/'))
      .map((row) => row.path),
  );
  const report = await services.symbols.explain(snapshot, {
    own: ownModules(files, facts.image, facts.projectRoot),
    hidden: [services.enginePath],
  });
  const shownReport = withoutSecrets(report, facts.limits.secretNames);
  return { text: crashLine(shownReport), report: shownReport };
}

function crashFiles(sessionId: string): string[] {
  const folder = ringDirectory(sessionId);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.crash'))
      .map((name) => join(folder, name));
  } catch {
    return []; // No ring was ever made.
  }
}

/** The report without values whose names look like secrets. */
export function withoutSecrets(report: CrashReport, names: readonly string[]): CrashReport {
  if (names.length === 0) return report;
  return {
    ...report,
    threads: report.threads.map((thread) => ({
      ...thread,
      frames: thread.frames.map((frame) => ({
        ...frame,
        variables: frame.variables.map((variable) => ({
          ...variable,
          value: shown(variable.name, variable.value, names),
        })),
      })),
    })),
  };
}

function shown(name: string, value: DeepValue, names: readonly string[]): DeepValue {
  switch (value.kind) {
    case 'struct':
      return {
        ...value,
        members: value.members.map((member) => ({
          ...member,
          value: shown(member.name, member.value, names),
        })),
      };
    case 'array':
      return { ...value, elements: value.elements.map((element) => shown(name, element, names)) };
    case 'pointee':
      return { ...value, value: shown(name, value.value, names) };
    case 'bool':
    case 'pointer':
    case 'null':
    case 'void':
    case 'unreadable':
    case 'notCaptured':
    case 'words':
    case 'circular':
    case 'redacted':
      return value;
    case 'int':
    case 'char':
    case 'float':
    case 'enum':
    case 'string':
    case 'list':
    case 'map':
    case 'variant':
    case 'object':
      return redacted(name, value, names);
  }
}

function redacted(name: string, value: DeepValue, names: readonly string[]): DeepValue {
  const word = secretIn(name, names);
  return word === null ? value : { kind: 'redacted', word };
}

/** What a crash is told of: a session as far as that needs one. */
interface Crashed {
  readonly facts: SessionFacts;
  readonly state: SessionState;
  readonly pid: number | null;
  readonly notes: string[];
}

/** Stores what processes of the tree left when they died; every later answer mentions it. */
export async function tellCrashes(
  session: Crashed,
  services: SessionParts,
  index: IndexClient | null,
): Promise<void> {
  const tell = (note: string): void => void session.notes.push(note);
  const crashes = await explainCrashes(session.facts, services, tell);
  for (const crash of crashes) {
    await index?.addCrash(crash).catch(() => undefined); // The index tells its own faults.
    tell(crashNote(crash, session.pid));
  }
  const signal = crashSignalOf(session.state);
  if (crashes.length === 0 && signal !== null)
    tell(
      `CRASHED by ${signal}; no stack was kept. debug_query {"view": "crash"} says what is known.`,
    );
}

/** `mainPid`: another process is named. */
export function crashNote({ pid, text }: StoredCrash, mainPid: number | null): string {
  const who = pid === mainPid ? '' : ` (pid ${pid})`;
  return `CRASHED${who}: ${text}. Read it with debug_query {"view": "crash"}.`;
}

/** The signal of a fault or abort that ended the target; null otherwise. */
export function crashSignalOf(state: SessionState): string | null {
  if (state.kind !== 'ended' || state.by !== 'itself') return null;
  if (state.exit.kind !== 'signalled') return null;
  return crashSignals.has(state.exit.signal) ? state.exit.signal : null;
}
