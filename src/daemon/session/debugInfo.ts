import { pause } from '../../base/deadline.ts';
import type { DebugInfoReport } from '../../model/session.ts';
import { adviseDebugInfo } from '../../symbols/advice.ts';
import type { LiveSession } from './liveSession.ts';

/**
 * What is known of the program's debug information, waiting at most `patienceMs` for it to be
 * read; a larger program is read on in the background, and a note says so.
 */
export async function debugInfoReport(
  session: LiveSession,
  reading: Promise<void>,
  patienceMs: number,
): Promise<DebugInfoReport> {
  let failure: string | null = null;
  const done = await Promise.race([
    reading.then(
      () => true,
      (error: unknown) => {
        failure = error instanceof Error ? error.message : String(error);
        return true;
      },
    ),
    pause(patienceMs).then(() => false),
  ]);
  if (!done) session.notes.push('Symbols are still being read; the first trace waits for them.');
  if (failure !== null) session.notes.push(`The program's symbols could not be read: ${failure}`);
  const summaries = session.moduleSummaries;
  const missing = summaries.filter((module) => module.debugInfo !== 'dwarf').map((module) => module.path);
  const advice = missing.length > 0 ? adviseDebugInfo(session.facts.projectRoot) : null;
  return {
    found: summaries.filter((module) => module.debugInfo !== 'none'),
    missing,
    advice: advice?.steps.join('; ') ?? null,
    buildSystem: advice?.buildSystem ?? null,
  };
}
