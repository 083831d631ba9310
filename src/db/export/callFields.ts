import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import { plainWatched } from '../reader/values/plainValues.ts';
import type { ExportedCall, ExportedSnapshot } from './port.ts';

/** What all calls of a function have, by the names of the `events` view. */
export function functionFields({ name, linkageName, file, line }: TracedFunction) {
  return {
    functionName: name,
    functionNameRaw: linkageName,
    sourceFile: file,
    lineNumber: line,
  };
}

/** What all calls of a thread have. */
export function threadFields({ pid, tid, name }: TracedThread) {
  return { pid, threadId: tid, threadName: name };
}

/** What a call is in the `events` view: hits of breakpoints are stored as calls. */
export function eventTypeOf({ fn }: Pick<ExportedCall, 'fn'>): 'call' | 'logpoint' {
  return fn.probe ? 'logpoint' : 'call';
}

/** A watched value as an event of its own, by the names of the `events` view. */
export function snapshotFields({
  type,
  time,
  pid,
  tid,
  within,
  isWritten,
  text,
  watched,
}: ExportedSnapshot) {
  return {
    eventType: type,
    timestampNs: time,
    pid,
    threadId: tid,
    parentEventId: within,
    text,
    watchValues: [plainWatched(watched, isWritten)],
  };
}
