import { StrobeError } from '../../model/errors.ts';
import type { Evidence } from '../../model/scenario/scenarioReport.ts';
import { linesById } from '../../model/ui/elementLine.ts';
import { lookCall } from './readSteps.ts';
import type { ScenarioProgram } from './scenarioRun.ts';

const MOST_EVENTS = 6;

/** What is there when a step has failed. Whatever of it cannot be had is said in its place. */
export async function evidenceOf(
  program: ScenarioProgram,
  failed: { readonly seen: readonly string[]; readonly since: number },
  channels: readonly string[],
): Promise<Evidence> {
  const others = channels.filter((name) => name !== 'ui');
  const isLive = channels.includes('ui') && program.session.isLive;
  return {
    seen: failed.seen,
    screenshot: isLive ? await screenshot(program) : null,
    tree: isLive ? await treeLines(program) : [],
    events: await Promise.all(
      others.map(async (channel) => ({
        channel,
        lines: await lastEvents(program, channel, failed.since),
      })),
    ),
  };
}

async function screenshot(program: ScenarioProgram): Promise<string | null> {
  const request = { action: 'screenshot', sessionId: program.session.facts.id, image: false };
  return await orElse(async () => {
    const { structured } = await program.call({ tool: 'debug_ui', request });
    return 'path' in structured ? String(structured['path']) : null;
  }, null);
}

async function treeLines(program: ScenarioProgram): Promise<readonly string[]> {
  return await orElse(async () => [...linesById(await program.tree()).values()], []);
}

/** The newest lines of output; of other channels the first events since the last action. */
async function lastEvents(
  { session, channels, call }: ScenarioProgram,
  channel: string,
  since: number,
): Promise<readonly string[]> {
  const sessionId = session.facts.id;
  const { output } = channels.called(channel);
  const isOutput = output?.kind === 'recorded' && output.view === 'output';
  return await orElse(async () => {
    const { text } = await call(
      isOutput
        ? { tool: 'debug_query', request: { view: 'output', sessionId, tail: MOST_EVENTS } }
        : lookCall({ on: channel }, channels, { sessionId, timeFrom: since }),
    );
    const lines = text.split('\n').filter((line) => line.startsWith('+'));
    return lines.slice(0, MOST_EVENTS);
  }, []);
}

/** Evidence that cannot be had hides no failure. */
async function orElse<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StrobeError) return otherwise;
    throw error;
  }
}
