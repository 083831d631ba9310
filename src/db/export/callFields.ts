import { plainWatched } from '../reader/values/plainValues.ts';
import type { ExportedCall, ExportedSnapshot } from './port.ts';

/** What of a call needs no decoding, by the names of the `events` view. */
export function callFields({ id, time, durationNs, end, fn, thread }: ExportedCall) {
  return {
    id,
    timestampNs: time,
    durationNs,
    end,
    functionName: fn.name,
    functionNameRaw: fn.linkageName,
    sourceFile: fn.file,
    lineNumber: fn.line,
    pid: thread.pid,
    threadId: thread.tid,
    threadName: thread.name,
  };
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
