import { escaped } from '../../../base/visible.ts';
import { describeExit } from '../../../model/endings/exitText.ts';
import type { StoredCrash } from '../../../model/endings/crashReport.ts';
import type { ExitStatus, OutputLine } from '../../../model/outputRecord.ts';
import { engineRefusal, type ProcessView } from '../../../model/session.ts';
import { exitOf } from '../answers/header.ts';
import type { Scene } from '../answers/scene.ts';

/** The end of a program whose functions and exceptions nothing records, and why; null: it is none, or ended well. */
interface FailedEngine {
  readonly exit: ExitStatus;
  /** Null: the main process. */
  readonly child: ProcessView | null;
  readonly refusal: string;
}

export function failedEngine({ session }: Scene): FailedEngine | null {
  const refusal = engineRefusal(session)?.note;
  const exit = exitOf(session);
  if (refusal === undefined || exit === null) return null;
  if (hasFailed(exit)) return { exit, child: null, refusal };
  for (const child of session.processes.shown) {
    const end = child.ended?.exit ?? null;
    if (end !== null && hasFailed(end)) return { exit: end, child, refusal };
  }
  return null;
}

function hasFailed(exit: ExitStatus): boolean {
  return exit.kind !== 'exited' || exit.code !== 0;
}

/** What is known of that end. */
export function engineLines(
  { exit, child }: FailedEngine,
  { session }: Scene,
  { crash, output }: { readonly crash: StoredCrash | null; readonly output: readonly OutputLine[] },
): string[] {
  if (crash !== null)
    return ['Its stack is that of the engine: which JavaScript ran then is not known.'];
  const who =
    child === null
      ? []
      : [escaped(`Process ${child.pid} (${child.command.join(' ')}) ${describeExit(exit)}.`)];
  if (exit.kind === 'signalled')
    return [...who, 'No stack was kept, and which JavaScript ran then is not known.'];
  const passes = 'what it wrote passed through and was not recorded (strobe launch records it)';
  const unsaid = session.outputPassesBy ? passes : 'it wrote nothing that is recorded';
  const said = output.length > 0 ? 'what it wrote is below' : unsaid;
  return [...who, `No signal ended it. Exceptions that it throws are not recorded: ${said}.`];
}
