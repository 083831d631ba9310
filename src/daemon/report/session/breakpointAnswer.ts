import { escaped } from '../../../base/visible.ts';
import type { ProbeReport } from '../../../model/probes/probe.ts';
import { engineRefusal, type SessionView } from '../../../model/session.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { endOf, sessionLine } from '../answers/header.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';

export interface BreakpointHits {
  readonly hits: number;
  readonly met: number;
}

export interface Breakpoints {
  readonly sessionId: string;
  readonly view: SessionView;
  readonly reports: readonly ProbeReport[];
  /** Ids of those that were told before: what failed of them is only named. */
  readonly known: ReadonlySet<string>;
  /** By number of a place, and by id of a breakpoint. */
  readonly hits: ReadonlyMap<number | string, BreakpointHits>;
  readonly warnings: readonly string[];
}

const placesShown: readonly number[] = [8, 3, 1, 0];

/** Answer of debug_breakpoint: a line for each, with its places. */
export function renderBreakpoints(answer: Breakpoints, budget: number): ToolAnswer {
  const { sessionId, view, warnings } = answer;
  const hits = answer.reports.map((report) => report.counts ?? hitsOf(report, answer.hits));
  const reports = answer.reports.map((report, i) => asHit(report, hits[i]));
  return richest(budget, placesShown, (places, room) => {
    const steps = chosen(stepsOf(answer, hits), room);
    const failed = reports.filter(({ id, state }) => state === 'failed' && answer.known.has(id));
    const never = reports.filter(
      ({ state }, i) => (state === 'bound' || state === 'pending') && hits[i]?.hits === 0,
    );
    return {
      text: [
        sessionLine(view),
        ...(reports.length === 0
          ? ['There are no breakpoints.', ...view.notes.map((note) => `! ${escaped(note)}`)]
          : []),
        ...warnings.map((warning) => `! ${escaped(warning)}`),
        ...reports.flatMap((report, i) =>
          failed.includes(report) ? [] : breakpointLines(report, hits[i], view, places),
        ),
        ...(failed.length > 0
          ? [`failed before: ${failed.map((report) => nameOf(report)).join(', ')}`]
          : []),
        ...(endOf(view) !== null && never.length > 0
          ? [`never hit: ${never.map((report) => nameOf(report)).join(', ')}`]
          : []),
        ...nextLines(steps),
      ].join('\n'),
      structured: {
        sessionId,
        breakpoints: reports.map((report, i) => breakpointTwin(report, hits[i], view)),
        warnings,
        nextSteps: nextTexts(steps),
      },
    };
  });
}

function isActive({ state }: ProbeReport): boolean {
  return state === 'bound' || state === 'pending';
}

/** Threads may come to it. */
export function mayStop(report: ProbeReport): boolean {
  return report.stops && isActive(report);
}

/** `b2 nosuch`: what is not there is not called. */
function nameOf({ id, label, state }: ProbeReport): string {
  return escaped(`${id} ${state === 'failed' ? label.replace(/\(\)$/, '') : label}`);
}

/** A program may end before it says that it bound what it hit. */
function asHit(report: ProbeReport, hits: BreakpointHits | undefined): ProbeReport {
  const isHit = report.state === 'pending' && (hits?.hits ?? 0) > 0;
  return isHit ? { ...report, state: 'bound', reasons: [] } : report;
}

function hitsOf({ id, numbers }: ProbeReport, known: Breakpoints['hits']): BreakpointHits {
  // Places of source text are numbered in their processes.
  const all = numbers.length > 0 ? numbers : [id];
  return all.reduce(
    (sum, of) => {
      const { hits, met } = known.get(of) ?? { hits: 0, met: 0 };
      return { hits: sum.hits + hits, met: sum.met + met };
    },
    { hits: 0, met: 0 },
  );
}

function hitsText(hits: number, met: number, isInvariant: boolean): string {
  if (isInvariant)
    return `checked ${grouped(hits)}, held ${grouped(hits - met)}, broken ${grouped(met)}`;
  return `${counted(hits, 'hit')}${met === hits ? '' : `, ${grouped(met)} met`}`;
}

/** How its hits are met, at which cost, and at how many places. */
function meansText({ state, means, cost }: ProbeReport, bound: ProbeReport['places']): string {
  if (bound.length === 0 || state === 'off') return '';
  const isReturn = bound.some(({ isReturn: is }) => is);
  const price = cost === undefined ? '' : `, ${cost}`;
  const copies = bound.length > 1 ? ` · ${grouped(bound.length)} places` : '';
  return ` · ${means ?? (isReturn ? 'return' : 'jump')}${price}${copies}`;
}

/** No process that runs it was entered. */
function awaitsJavaScript({ state, places, label }: ProbeReport): boolean {
  return state === 'pending' && places.length === 0 && /\.[cm]?[jt]sx?:/.test(label);
}

/** A breakpoint with its places. */
export function breakpointLines(
  report: ProbeReport,
  { hits, met }: BreakpointHits = { hits: 0, met: 0 },
  session: SessionView,
  most: number,
): string[] {
  const { projectRoot } = session;
  const { state, reasons, nearest, moved, places, notes, invariant, only = [] } = report;
  const bound = places.filter(({ isBound }) => isBound);
  const times = hits === 0 ? '' : ` · ${hitsText(hits, met, invariant !== null)}`;
  const how = meansText(report, bound);
  const clauses = state === 'failed' ? [] : only;
  const meant = clauses.map((clause) => ` · ${clause}`).join('');
  const shift =
    moved === null ? '' : ` · moved from line ${moved.from} to ${moved.to}: ${moved.why}`;
  const near =
    nearest.length > 0 && state === 'failed'
      ? ` Nearest lines with code: ${nearest.join(', ')}.`
      : '';
  const refusal = awaitsJavaScript(report) ? engineRefusal(session) : null;
  const whys =
    refusal === null ? reasons : [refusal.why, 'It is kept for programs that it executes.'];
  const why = state === 'bound' && bound.length === places.length ? '' : whys.join(' ');
  const head = `${state}${how}${times}${meant}${shift}${why === '' && near === '' ? '' : `: ${why}${near}`}`;
  const missing = [...new Set(places.flatMap((one) => one.missing))];
  return [
    `${nameOf(report)} ${escaped(head)}`,
    ...bound.slice(0, most).map((one) => {
      const where = place(one.file, one.line, projectRoot);
      const caller = one.inlinedIn === undefined ? '' : ` in ${one.inlinedIn}`;
      return escaped(
        `   ${one.function}${caller}  ${where}${one.text === null ? '' : `  ${one.text}`}`,
      );
    }),
    ...(bound.length > most && most > 0 ? [`   … ${bound.length - most} more`] : []),
    ...(missing.length > 0 && most > 0 ? [escaped(`   not captured: ${missing.join('; ')}`)] : []),
    ...notes.map((note) => escaped(`   ! ${note}`)),
  ];
}

export function breakpointTwin(
  report: ProbeReport,
  { hits, met }: BreakpointHits = { hits: 0, met: 0 },
  { projectRoot }: SessionView,
): Record<string, unknown> {
  const { id, label, state, reasons, nearest, moved, places, notes, invariant } = report;
  const [bound] = places.filter(({ isBound }) => isBound);
  return {
    id,
    label,
    state,
    reasons,
    nearest,
    moved,
    places: places.map((one) => ({
      function: one.function,
      ...(one.inlinedIn === undefined ? {} : { inlinedIn: one.inlinedIn }),
      place: place(one.file, one.line, projectRoot),
      text: one.text,
      bound: one.isBound,
      ...(one.missing.length > 0 ? { missing: one.missing } : {}),
    })),
    means: bound ? (report.means ?? (bound.isReturn ? 'return' : 'jump')) : null,
    ...(report.cost === undefined ? {} : { cost: report.cost }),
    hits,
    met,
    ...(invariant === null ? {} : { invariant, held: hits - met, broken: met }),
    notes,
  };
}

function stepsOf({ view, reports }: Breakpoints, hits: readonly BreakpointHits[]): NextStep[] {
  const sessionId = view.id;
  if (reports.length === 0) return [];
  if (engineRefusal(view) !== null && reports.every(awaitsJavaScript))
    return [
      {
        tool: 'debug_session',
        arguments: { action: 'status', sessionId },
        why: 'what to run instead',
      },
    ];
  if (reports.some(mayStop) && endOf(view) === null)
    return [
      {
        tool: 'debug_continue',
        arguments: { sessionId, action: 'wait', timeoutMs: 20_000 },
        why: 'trigger the behaviour; returns at the next stop',
      },
    ];
  if (reports.some(({ stops }, i) => !stops && (hits[i]?.met ?? 0) > 0))
    return [
      {
        tool: 'debug_query',
        arguments: { sessionId, view: 'events', eventType: ['logpoint'] },
        why: 'the hits, with their values',
      },
    ];
  if (endOf(view) !== null) return [];
  const off = reports.find(({ state }) => state === 'off');
  if (off && !reports.some(isActive))
    return [
      {
        tool: 'debug_breakpoint',
        arguments: { sessionId, change: [{ id: off.id, enabled: true }] },
        why: 'puts it in its place again',
      },
    ];
  return [
    {
      tool: 'debug_session',
      arguments: { action: 'wait', sessionId, for: ['event', 'exit'] },
      why: 'trigger the behaviour; returns at the first hit',
    },
  ];
}
