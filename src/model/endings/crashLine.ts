import type {
  CrashReport,
  FatalSignal,
  FaultPlace,
  HookBreakpoint,
  StackFrame,
  ThreadStack,
} from './crashReport.ts';

/** A session's note that says that a process crashed. */
export function isCrashNote(note: string): boolean {
  return note.startsWith('CRASHED');
}

/** How a crash note leads to the reason why its stack is missing. */
export const noStackBecause = 'no stack was kept:';

/** What is to be told of crashes with every answer about a session. */
export function crashNotes({ notes }: { readonly notes: readonly string[] }): string[] {
  return notes.filter(isCrashNote);
}

/** The newest frame of the program's own, else the newest with a name. */
export function guiltyFrame(report: CrashReport, newest = 0): StackFrame | null {
  const frames = report.threads[0]?.frames.slice(newest) ?? [];
  return (
    frames.find((frame) => frame.isOwn && frame.function !== null && frame.function !== '_start') ??
    frames.find((frame) => frame.function !== null) ??
    null
  );
}

/** `SIGSEGV in strike (ways.c:34): null pointer, nobody->balance at 0x10`. */
export function crashLine(report: CrashReport): string {
  const { earlier } = report;
  const cause = report.breakpoints?.find(({ isCause }) => isCause);
  if (cause !== undefined) return `${report.signal.name}: ${breakpointText(cause)}`;
  const end = faultText(report, report.signal, report.place, 0);
  if (earlier === undefined) return end;
  return `${end}; a handler of its own was at work for ${faultText(report, earlier.signal, earlier.place, earlier.position)}`;
}

/** What a breakpoint in a hook did, or may have done. */
export function breakpointText({ function: name, isCause }: HookBreakpoint): string {
  const where = `a debugger's breakpoint in the jump that tracing put at the beginning of ${name}`;
  return isCause
    ? `${where} changed where it leads, which ended the program: set breakpoints behind a traced function's first bytes`
    : `${where} changes where it leads, and may be the cause`;
}

function faultText(
  report: CrashReport,
  signal: FatalSignal,
  at: FaultPlace,
  newest: number,
): string {
  const frame = guiltyFrame(report, newest);
  const where =
    frame?.function == null
      ? ''
      : ` in ${frame.function}${frame.line === null ? '' : ` (${lastPart(frame.file ?? '')}:${frame.line})`}`;
  const what = placeText(signal, at, report.threads[0]);
  return `${signal.name}${where}${what === null ? '' : `: ${what}`}`;
}

/** What lies at the address, in words made of facts; null when the signal has none. */
function placeText(
  signal: FatalSignal,
  place: FaultPlace,
  thread: ThreadStack | undefined,
): string | null {
  const address = signal.address ?? '';
  switch (place.kind) {
    case 'none':
      return signal.meaning;
    case 'null':
      return nullText(place);
    case 'stackOverflow': {
      const cycle = thread?.cycle;
      const size = `the stack (${Math.round(place.stackBytes / 1024)} KB) is full`;
      return cycle == null
        ? `stack overflow: ${size}`
        : `stack overflow: ${size} after ${roundsText(thread)} rounds of ${cycle.functions.toReversed().join(' → ')}`;
    }
    case 'notCanonical':
      return impossibleText(place);
    case 'misaligned': {
      const what = place.expression === null ? '' : `${place.expression} at `;
      return `${what}${place.address} is not aligned to ${place.alignment} bytes, as the instruction needs it`;
    }
    case 'badReturn':
      return `the return address on the stack was overwritten: ${place.address}${wordAsText(BigInt(place.address))} is no code`;
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

function impossibleText({
  address,
  expression,
}: Extract<FaultPlace, { kind: 'notCanonical' }>): string {
  const why = 'no possible address (overwritten or never set)';
  if (address === undefined) return `a pointer holds ${why}`;
  const value = `${address}${wordAsText(BigInt(address))}`;
  return expression == null
    ? `a pointer holds ${value}, ${why}`
    : `${expression} at ${value}, ${why}`;
}

/** Letters where a pointer should be tell what overwrote it; else empty. */
export function wordAsText(value: bigint): string {
  const bytes = Array.from({ length: 8 }, (_unused, i) => Number((value >> BigInt(8 * i)) & 0xffn));
  const [text = ''] = /^[ -~]{4,8}(?=\0*$)/.exec(String.fromCharCode(...bytes)) ?? [];
  return text === '' ? '' : ` ${JSON.stringify(text)}`;
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
