import type { CrashReport, FaultPlace, StackFrame, ThreadStack } from '../../model/crash.ts';

/** The newest frame of the program's own, else the newest with a name. */
export function guiltyFrame(report: CrashReport): StackFrame | null {
  const frames = report.threads[0]?.frames ?? [];
  return (
    frames.find((frame) => frame.isOwn && frame.function !== null) ??
    frames.find((frame) => frame.function !== null) ??
    null
  );
}

/** `SIGSEGV in strike (ways.c:34): null pointer, nobody->balance at 0x10`. */
export function crashLine(report: CrashReport): string {
  const frame = guiltyFrame(report);
  const where =
    frame?.function == null
      ? ''
      : ` in ${frame.function}${frame.line === null ? '' : ` (${lastPart(frame.file ?? '')}:${frame.line})`}`;
  const what = placeText(report);
  return `${report.signal.name}${where}${what === null ? '' : `: ${what}`}`;
}

/** What lies at the address, in words made of facts; null when the signal has none. */
export function placeText(report: CrashReport): string | null {
  const { place, signal } = report;
  const address = signal.address ?? '';
  switch (place.kind) {
    case 'none':
      return signal.meaning;
    case 'null':
      return nullText(place);
    case 'stackOverflow': {
      const cycle = report.threads[0]?.cycle;
      const size = `the stack (${Math.round(place.stackBytes / 1024)} KB) is full`;
      return cycle == null
        ? `stack overflow: ${size}`
        : `stack overflow: ${size} after ${roundsText(report.threads[0])} rounds of ${cycle.functions.toReversed().join(' → ')}`;
    }
    case 'notCanonical':
      return 'a pointer holds no possible address (overwritten or never set)';
    case 'unmapped':
      return place.expression === null
        ? `${address} is not mapped (wild or freed pointer)`
        : `${place.expression} at ${address}, which is not mapped`;
    case 'notPermitted':
      return signal.name === 'SIGBUS'
        ? `${address}: ${signal.meaning ?? 'bus error'} (${place.path || 'anonymous memory'})`
        : `${address} in ${place.path || 'anonymous memory'} may not be accessed so (${place.protection})`;
    case 'noCode':
      return `a call led to ${address}, which is no code`;
  }
}

function nullText(place: Extract<FaultPlace, { kind: 'null' }>): string {
  const at = place.offset === '0x0' ? '' : ` at null + ${place.offset}`;
  if (place.expression === null) return `null pointer${at}`;
  const pointer = place.type === null ? '' : ` (${place.type} is null)`;
  return `null pointer: ${place.expression}${at}${pointer}`;
}

/** Where the stack was not kept to its end, there were more. */
export function roundsText(thread: ThreadStack | undefined): string {
  const times = thread?.cycle?.times ?? 0;
  return thread?.problem == null ? String(times) : `≥ ${times}`;
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
