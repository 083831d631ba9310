import { basename } from 'node:path';
import { commandOf, processFacts, statFields, threadsOf } from '../../base/proc.ts';

/** A process that holds threads of another by ptrace. */
export interface Debugger {
  readonly pid: number;
  readonly name: string;
}

/** In a stop of ptrace's (proc(5)). */
const TRACED = 't';

/** Who holds a thread stopped by ptrace; null when nobody does, or our engine for a moment. */
export function debuggerOf(tid: number): Debugger | null {
  const facts = processFacts(tid);
  if (facts === null || facts.state !== TRACED || facts.tracer === 0) return null;
  const holder = processFacts(facts.tracer);
  if (holder === null || holder.isTracer) return null;
  const [program = ''] = commandOf(holder.group);
  return { pid: holder.group, name: program === '' ? 'a debugger' : basename(program) };
}

/** Who holds all threads of a process stopped, ours in it among them; null when some thread is not held. */
export function debuggerOfAll(pid: number): Debugger | null {
  const threads = threadsOf(pid);
  const [first] = threads;
  const areHeld = threads.every((tid) => statFields(tid)?.[0] === TRACED);
  return first !== undefined && areHeld ? debuggerOf(first) : null;
}
