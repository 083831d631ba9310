import { isSystemPath } from '../../base/systemPaths.ts';
import { pause } from '../../base/deadline.ts';
import type { DebugInfoReport } from '../../model/session.ts';
import type { RuntimeList } from './runtimeList.ts';
import type { LiveSession } from '../session/liveSession.ts';

/**
 * What is known of the program's debug information, waiting at most `patienceMs` for it to be
 * read; a larger program is read on in the background, and a note says so.
 */
export async function debugInfoReport(
  runtimes: RuntimeList,
  session: LiveSession,
  reading: Promise<void>,
  patienceMs: number,
): Promise<DebugInfoReport> {
  const note = await Promise.race([
    reading.then(() => null, unreadable),
    pause(patienceMs).then(() => 'Symbols are still being read; the first trace waits for them.'),
  ]);
  if (note !== null) session.notes.push(note);
  const { summaries: all } = session.tracing.symbols;
  const summaries = all.filter(({ debugInfo }) => debugInfo !== 'source');
  const missing = summaries.filter(({ debugInfo }) => debugInfo !== 'dwarf');
  const ours = missing.find(({ path }) => !isSystemPath(path));
  const resolver = ours ? runtimes.named(ours.runtime).resolver : null;
  const advice = resolver?.advise?.(session.facts.projectRoot) ?? null;
  return {
    found: summaries.filter((module) => module.debugInfo !== 'none'),
    missing: missing.map(({ path }) => path),
    advice: advice?.steps.join('; ') ?? null,
    buildSystem: advice?.buildSystem ?? null,
  };
}

function unreadable(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `The program's symbols could not be read: ${why}`;
}
