import { pause } from '../../base/deadline.ts';
import type { DebugInfoReport } from '../../model/session.ts';
import { adviseDebugInfo } from '../../symbols/native/advice.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { isSystem } from './ownModules.ts';

/**
 * What is known of the program's debug information, waiting at most `patienceMs` for it to be
 * read; a larger program is read on in the background, and a note says so.
 */
export async function debugInfoReport(
  session: LiveSession,
  reading: Promise<void>,
  patienceMs: number,
): Promise<DebugInfoReport> {
  const note = await Promise.race([
    reading.then(() => null, unreadable),
    pause(patienceMs).then(() => 'Symbols are still being read; the first trace waits for them.'),
  ]);
  if (note !== null) session.notes.push(note);
  const summaries = session.tracing.moduleSummaries;
  const missing = summaries
    .filter((module) => module.debugInfo !== 'dwarf')
    .map((module) => module.path);
  const isOurs = missing.some((path) => !isSystem(path));
  const advice = isOurs ? adviseDebugInfo(session.facts.projectRoot) : null;
  return {
    found: summaries.filter((module) => module.debugInfo !== 'none'),
    missing,
    advice: advice?.steps.join('; ') ?? null,
    buildSystem: advice?.buildSystem ?? null,
  };
}

function unreadable(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `The program's symbols could not be read: ${why}`;
}
