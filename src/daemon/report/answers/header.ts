import type { SessionNs } from '../../../model/ids.ts';
import { eventLosses, lossCauses, type Counters, type LossCause } from '../../../model/loss.ts';
import type { ExitStatus } from '../../../model/outputRecord.ts';
import type { StoreSummary } from '../../../model/questions/query.ts';
import type { SessionState, SessionView } from '../../../model/session.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from './clip.ts';
import { describeExit } from '../../../model/endings/exitText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { commandText, fileName } from '../text/placeText.ts';
import { ago, duration, stamp } from '../text/timeText.ts';

const commandShown = 100;

/** Which session, what it runs, and its state with its age: one line. To a client that knows it, which one and its state. */
export function sessionLine(session: SessionView): string {
  if (!session.known) return fullLine(session);
  return [shortId(session.id), briefState(session), ...leftBehind(session)].join(' · ');
}

/** The same to a client that does not know it. */
export function fullLine(session: SessionView): string {
  const [program = '', ...args] = session.command;
  const command = escaped(shortened(commandText([fileName(program), ...args]), commandShown));
  const pid = session.pid === null ? [] : [`pid ${session.pid}`];
  return [session.id, command, ...pid, stateText(session), ...leftBehind(session)].join(' · ');
}

function leftBehind({ state, processes }: SessionView): string[] {
  const left = state.kind === 'ended' ? processes.running : 0;
  return left === 0
    ? []
    : [`${counted(left, 'process', 'processes')} it left behind still running`];
}

/** `shop-…-k7f2`: is understood wherever a session id is. */
export function shortId(id: string): string {
  return id.replace(/-\d{4}-\d\d-\d\d-\d\dh\d\d-/, '-…-');
}

function briefState(session: SessionView): string {
  const { state } = session;
  if (state.kind !== 'ended') return stateText(session);
  return `${describeExit(state.exit)}${` ${endedBy[state.by]}`.trimEnd()}`;
}

/** `running for 12 s`; `exited with code 1 3.2 s ago after 12 s`. */
export function stateText(session: SessionView): string {
  const { state, now } = session;
  switch (state.kind) {
    case 'starting':
      return `starting: ${state.doing}`;
    case 'running':
      return `running for ${duration(now)}`;
    case 'ended':
      return `${describeExit(state.exit)} ${endedBy[state.by]}after ${duration(state.at)}, ${ago(state.at, now)}`;
    case 'released':
      return `released ${ago(state.at, now)}; the program may run on`;
    case 'failed':
      return `FAILED ${ago(state.at, now)}: ${state.code}: ${escaped(shortened(state.message, 300))} Next: ${state.hint}`;
  }
}

const endedBy = {
  itself: '',
  stop: '(stopped on request) ',
  clientExit: '(stopped when its client went) ',
  daemonStop: '(stopped with the daemon) ',
} as const satisfies Record<Extract<SessionState, { kind: 'ended' }>['by'], string>;

/** The exit status of an ended session, else null. */
export function exitOf(session: SessionView): ExitStatus | null {
  return session.state.kind === 'ended' ? session.state.exit : null;
}

/** When the program stopped running, or null while it may run. */
export function endOf(session: SessionView): SessionNs | null {
  const { state } = session;
  return state.kind === 'ended' || state.kind === 'failed' || state.kind === 'released'
    ? state.at
    : null;
}

/** The session's line, and its figures: to a client that knows the session only those that tell of something missing. */
export function headLines(session: SessionView, summary: StoreSummary): string[] {
  if (!session.known) return [sessionLine(session), countersLine(session, summary)];
  const untraceable = session.tracing.kind === 'unavailable' ? [hooksText(session)] : [];
  const missing = [...missingTexts(session, summary, true), ...untraceable];
  return [sessionLine(session), ...(missing.length > 0 ? [missing.join(' · ')] : [])];
}

/** What was seen, stored and lost, and what is being traced: one line. */
export function countersLine(session: SessionView, summary: StoreSummary): string {
  const { counters } = summary;
  const parts = [
    `events: seen ${grouped(counters.seen)}`,
    `stored ${grouped(counters.stored)}`,
    ...(counters.lost === 0 ? ['lost 0'] : []),
    ...missingTexts(session, summary, false),
    hooksText(session),
  ];
  return parts.join(' · ');
}

/** What the answers of the session cannot show, and why. */
function missingTexts(session: SessionView, summary: StoreSummary, isBrief: boolean): string[] {
  const { counters } = summary;
  const { untraced = 0 } = counters.byCause;
  return [
    ...(counters.lost > 0 ? [lossText(counters)] : []),
    ...(counters.sampled > 0 ? sampledTexts(session, summary, isBrief) : []),
    ...(untraced > 0
      ? [
          `UNTRACED for up to ${grouped(untraced)} ms: calls of that time are missing ("eventType": ["loss"] says when)`,
        ]
      : []),
    ...outputLossTexts(counters),
  ];
}

function sampledTexts({ hooks }: SessionView, summary: StoreSummary, isBrief: boolean): string[] {
  const asked = (hooks.limits ?? []).slice(0, limitsShown).map(({ asks }) => escaped(asks));
  // Either may be why; only the engine knows of which call.
  const why = [...asked, 'too fast ("sampling": "off" records those)'].join(', or ');
  return isBrief ? briefSampled(summary, why) : [sampledText(summary, why)];
}

const limitsShown = 2;

/** Hits of breakpoints are counted where those are listed. */
function briefSampled(
  { counters, sampledFunctions: all = [] }: StoreSummary,
  why: string,
): string[] {
  const sampledFunctions = all.filter(({ isProbe }) => isProbe === undefined);
  if (all.length > 0 && sampledFunctions.length === 0) return [];
  const calls = sampledFunctions.reduce((sum, one) => sum + one.calls, 0);
  const [most] = sampledFunctions.toSorted((a, b) => b.calls - a.calls);
  const what = calls === 0 ? counted(counters.sampled, 'event') : counted(calls, 'call');
  const where = most === undefined ? '' : `, most of ${escaped(shortened(most.name, 60))}`;
  return [`${what} counted, not recorded${where}: ${why}`];
}

/** Which functions' calls were only counted, most first, and why. */
function sampledText({ counters, sampledFunctions = [] }: StoreSummary, why: string): string {
  if (sampledFunctions.length > 0 && sampledFunctions.every(({ isProbe }) => isProbe))
    return `counted ${grouped(counters.sampled)}: checks that held, and hits that breakpoints do not record`;
  const most = sampledFunctions.toSorted((a, b) => b.calls - a.calls);
  const named = most
    .slice(0, sampledShown)
    .map(({ name, calls }) => `${escaped(shortened(name, 60))} ${grouped(calls)}`);
  const rest = most.length - named.length;
  const names = `${named.join(', ')}${rest > 0 ? `, … ${grouped(rest)} more` : ''}`;
  return `sampled ${grouped(counters.sampled)}: calls counted and timed but not recorded (${why}): ${names}`;
}

const sampledShown = 3;

/** What is no call is counted apart: in lines, bytes, facts. */
function outputLossTexts({ byCause }: Counters): string[] {
  const { outputLimit = 0, outputUnkept = 0, outputBurst = 0, factsUnkept = 0 } = byCause;
  return [
    ...(outputLimit > 0
      ? [`OUTPUT LOST: the oldest ${counted(outputLimit, 'line')}, beyond the session's limit`]
      : []),
    ...(outputUnkept > 0
      ? [`OUTPUT LOST: ${counted(outputUnkept, 'byte')} that disk or log did not take`]
      : []),
    ...(outputBurst > 0
      ? [`OUTPUT LOST: ${counted(outputBurst, 'byte')} written faster than they were read`]
      : []),
    ...(factsUnkept > 0
      ? [
          `PROCESSES LOST: ${counted(factsUnkept, 'beginning or end', 'beginnings or ends')} of programs that a full disk did not take`,
        ]
      : []),
  ];
}

function lossText(counters: Counters): string {
  const causes = eventLosses(counters.byCause).map(
    ([cause, count]) => `${grouped(count)}: ${isCause(cause) ? lossCauses[cause] : cause}`,
  );
  return `LOST ${grouped(counters.lost)}${causes.length > 0 ? ` (${causes.join('; ')})` : ''}`;
}

function isCause(text: string): text is LossCause {
  return Object.hasOwn(lossCauses, text);
}

/** `12 functions hooked`, or why none is. */
export function hooksText(session: SessionView): string {
  const { tracing, hooks } = session;
  if (tracing.kind === 'unavailable') return `not traceable: ${tracing.code}`;
  if (tracing.kind === 'off' || hooks.patterns.length === 0) return 'no functions traced';
  const rest: string[] = [];
  if (hooks.refused > 0) rest.push(`${grouped(hooks.refused)} refused`);
  if (hooks.inlined > 0) rest.push(`${grouped(hooks.inlined)} inlined`);
  if (hooks.leftOut > 0) rest.push(`${grouped(hooks.leftOut)} left out`);
  if (hooks.waiting > 0) rest.push(`${grouped(hooks.waiting)} waiting to be loaded`);
  const until = session.state.kind === 'released' ? ' until it was let go' : '';
  return [`${counted(hooks.hooked, 'function')} hooked${until}`, ...rest].join(', ');
}

/** `lagLine` as a line of an answer. */
export function lagLines(session: SessionView, indexedTo: SessionNs | null): string[] {
  const line = lagLine(session, indexedTo);
  return line === null ? [] : [`! ${line}`];
}

/** Said when the index has not caught up with the request. */
export function lagLine(session: SessionView, indexedTo: SessionNs | null): string | null {
  if (indexedTo === null) return null;
  const missing = (endOf(session) ?? session.now) - indexedTo;
  if (missing <= 0) return 'The last exceptions are still being read; ask again for them.';
  const behind = duration(missing);
  return `The index is ${behind} behind (read up to ${stamp(indexedTo)}): output and counts are not final; ask again.`;
}
