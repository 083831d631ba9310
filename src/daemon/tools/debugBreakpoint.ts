import type { QueryClient } from '../../db/queryClient.ts';
import type { ProbeReport, ProbeRequest } from '../../model/probes/probe.ts';
import type { CallFilter } from '../../model/questions/query.ts';
import type { DebugBreakpointInput } from '../../protocol/tools/debugBreakpoint.ts';
import { renderBreakpoints, type BreakpointHits } from '../report/session/breakpointAnswer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { queryTarget } from '../session/queryTarget.ts';
import { hexadecimal } from '../../model/decoding/scalars.ts';
import { StrobeError } from '../../model/errors.ts';
import { placeValue } from '../stops/placeValues.ts';
import type { SessionStops } from '../stops/sessionStops.ts';
import { otherRaises, requestOf } from './askedBreakpoint.ts';
import { idOf, type AnySession, type Sessions } from '../session/sessions.ts';

const deadlineMs = 5000;
const mostFunctions = 100_000;

/** debug_breakpoint: what is recorded inside functions. `answerBudget`: tokens of an answer. */
export function makeDebugBreakpoint(
  sessions: Sessions,
  queries: QueryClient,
  answerBudget: number,
): ToolHandler<DebugBreakpointInput> {
  return async (input, context) => {
    const { adapter } = input;
    const isListed = input.add.length + input.change.length + input.remove.length === 0;
    const changes = !isListed || adapter !== undefined;
    const warnings: string[] = [];
    let before: ReadonlySet<string> | null = null;
    if (changes) {
      const session = sessions.resolveLive(input.sessionId, context.client);
      sessions.requireOwner(session, context.client, input.takeOver);
      context.progress('placing breakpoints');
      const { change, remove } = input;
      const add: ProbeRequest[] = [];
      for (const asked of input.add)
        add.push(await withPlace(requestOf(asked), session.tracing.stops));
      if (adapter !== undefined) await session.tracing.stops.use(adapter);
      before = new Set(session.tracing.probes.reports().map(({ id }) => id));
      warnings.push(
        ...(await session.tracing.changeProbes({ add, change, remove }, context.client.id)),
      );
      const present = session.tracing.loaded.filter(({ units }) => units.length > 0);
      warnings.push(
        ...otherRaises(
          add,
          present.map(({ runtime }) => runtime.tracers.runtime),
        ),
      );
    }
    const found = sessions.resolve(input.sessionId, context.client);
    const reports = found.kind === 'live' ? await reportsOf(found.session) : [];
    // The first answer waits for no count: what has just come has no hit worth one.
    const isCounted = reports.some(
      ({ id, state }) => before?.has(id) !== false || state !== 'bound',
    );
    const hits = isCounted ? await hitsOf(found, queries, context) : new Map();
    const changed = new Set<string>(input.change.map(({ id }) => id));
    return renderBreakpoints(
      {
        sessionId: idOf(found),
        view: found.session.view(context.client),
        reports,
        known: new Set([...(before ?? [])].filter((id) => !changed.has(id))),
        hits,
        warnings,
      },
      answerBudget,
    );
  };
}

/** Data that a variable of the frame where a thread stands names. */
async function withPlace(request: ProbeRequest, stops: SessionStops): Promise<ProbeRequest> {
  const { where } = request;
  const [stop] = stops.held;
  if (where.kind !== 'data' || !stop) return request;
  try {
    const at = { stop: stop.id, frame: 0 };
    const { place, bytes, scalar } = await placeValue(stops.memory, at, where.expression, 1);
    if (place?.kind !== 'memory' || scalar === null) return request;
    const address = hexadecimal(place.address);
    return { ...request, where: { ...where, at: { address, bytes, scalar } } };
  } catch (error) {
    // It may be a global that the frame does not see.
    if (error instanceof StrobeError) return request;
    throw error;
  }
}

function missedHits(count: number): string {
  const [hits, were] = count === 1 ? ['hit', 'was'] : ['hits', 'were'];
  return `${count} ${hits} more ${were} neither ${count === 1 ? 'a stop' : 'stops'} nor counted: goroutines came to breakpoints at the same moment, and Delve lists 1,024 goroutines.`;
}

/** With the hits of those that stop, which leave no record. */
async function reportsOf({ tracing }: LiveSession): Promise<readonly ProbeReport[]> {
  const counts = await tracing.stops.counts();
  return tracing.probes.reports().map((report) => {
    const own = counts.get(report.id);
    if (!own) return report;
    const { missed = 0, ...hits } = own;
    const notes = missed > 0 ? [...report.notes, missedHits(missed)] : report.notes;
    return { ...report, counts: hits, notes };
  });
}

/** By number and by breakpoint: how often it was hit, and how often that met the condition. */
async function hitsOf(
  found: AnySession,
  queries: QueryClient,
  context: RequestContext,
): Promise<ReadonlyMap<number | string, BreakpointHits>> {
  const target = queryTarget(found, context.client);
  const { until } = await target.settle(context.signal);
  const ask = async (filter: CallFilter) =>
    queries.ask('stats', target.storePath, {
      filter,
      groupBy: 'function',
      sortBy: 'count',
      limit: mostFunctions,
      until,
      deadlineMs,
    });
  const [all, lines] = await Promise.all([ask({}), ask({ lines: true })]);
  // Where a filter is given what was only counted is left out; lines are no part of the others.
  const known = new Set(all.rows.map(({ number }) => number));
  const rows = [...all.rows, ...lines.rows.filter(({ number }) => !known.has(number))];
  // What did not meet the condition has a duration, of none.
  const hits = new Map<number | string, BreakpointHits>();
  for (const { number, probe, count, timed } of rows) {
    hits.set(number, { hits: count, met: count - timed });
    if (probe === undefined) continue;
    const before = hits.get(probe) ?? { hits: 0, met: 0 };
    hits.set(probe, { hits: before.hits + count, met: before.met + count - timed });
  }
  return hits;
}
