import type { QueryClient } from '../../db/queryClient.ts';
import { readComplaints } from '../../model/endings/complaint.ts';
import type { StackFrame, StoredCrash } from '../../model/endings/crashReport.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import { FRAMES_KEPT, raisers } from '../../collector/exceptions/nativeExceptions.ts';
import type { IndexClient } from '../indexing/indexClient.ts';
import { outputTail } from '../session/outputTail.ts';

/** Rust's run-time library for `panic=abort`: nothing is raised that could be caught. */
const aborter = /^panic_abort::/;
/** Number of last lines in which the message is looked for. */
const LINES_READ = 200;

/** The panic that a crash was; null when it was none. The message is what the program wrote of it. */
export async function abortedPanic(
  { pid, time, report }: StoredCrash,
  lines: () => Promise<readonly string[]>,
): Promise<RaisedException | null> {
  const [thread] = report.threads;
  const all = thread?.frames ?? [];
  const abort = all.findIndex(({ function: name }) => name !== null && aborter.test(name));
  if (thread === undefined || abort < 0) return null;
  const first = all.findIndex(
    ({ function: name }, i) => i > abort && name !== null && !raisers.test(name),
  );
  const frames = first < 0 ? [] : all.slice(first, first + FRAMES_KEPT);
  return {
    key: `${pid}.${time}.${thread.tid}`,
    time,
    pid,
    tid: thread.tid,
    language: 'Rust',
    type: null,
    message: messageOf(await lines(), frames),
    isMessageFound: false,
    isAgain: false,
    frames,
    end: { kind: 'uncaught', what: 'main' },
  };
}

/** Of the last panic that names a line of the stack. */
function messageOf(lines: readonly string[], frames: readonly StackFrame[]): string | null {
  const said = readComplaints(lines).findLast(
    ({ kind, place }) =>
      kind === 'panic' &&
      place !== null &&
      frames.some(({ file, line }) => line === place.line && file?.endsWith(place.file) === true),
  );
  if (said === undefined) return null;
  return [said.text.replace(/^thread '.*?' panicked: /, ''), ...said.details].join('\n').trimEnd();
}

/** The last lines of a session's output, as far as it was drained by now. */
export async function lastLines(
  queries: QueryClient,
  storePath: string,
  index: IndexClient,
): Promise<readonly string[]> {
  const settled = await index.settle();
  const tail = await outputTail(queries, storePath, LINES_READ, settled);
  return tail.map(({ text }) => text);
}
