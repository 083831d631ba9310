import { listMember, member, numberMember, textMember } from '../../../src/client/messages.ts';
import { duration } from '../../../src/daemon/report/text/timeText.ts';
import type { StrobeServer } from './strobeServer.ts';

/** A session as the sessions view shows it. */
export interface SessionRow {
  readonly id: string;
  readonly program: string;
  readonly pid: number | null;
  readonly projectRoot: string;
  /** Its program runs under this session. */
  readonly isLive: boolean;
  /** A signal ended it, or it could not be run. */
  readonly hasFailed: boolean;
  /** What is written beside the program. */
  readonly state: string;
  /** Calls and counts of what was recorded; null: not asked. */
  readonly counts: SessionCounts | null;
}

interface SessionCounts {
  readonly functions: number;
  /** Entries and returns that the program made. */
  readonly events: number;
  readonly lost: number;
}

/** A function with its calls, as below a session. */
export interface FunctionRow {
  readonly name: string;
  /** What filters and patterns call it. */
  readonly pattern: string;
  /** A breakpoint at a line that records, with its hits: `src/a.c:12`. */
  readonly isHit: boolean;
  readonly calls: number;
  readonly totalNs: number;
  readonly maxNs: number;
  /** `src/a.c:12`, as the answer has it; empty: unknown. */
  readonly place: string;
}

/** All sessions of the user, newest first: those of agents, terminals, tests and editors. Live ones have their counts. */
export async function listSessions(server: StrobeServer): Promise<SessionRow[]> {
  const { body } = await server.call('debug_session', { action: 'list', scope: 'all' });
  return await Promise.all(
    listMember(body, 'sessions').map(async (session) => {
      const row = readSession(session);
      return row.isLive ? { ...row, counts: await countsOf(server, row.id) } : row;
    }),
  );
}

/** The functions of a session, those with the most time first. */
export async function listFunctions(server: StrobeServer, sessionId: string, limit: number) {
  const { body } = await server.call('debug_query', { view: 'stats', sessionId, limit });
  return listMember(body, 'rows').map(readFunction);
}

/** `1,204 calls · mean 12 µs · max 1.2 ms`. */
export function functionFigures({ calls, totalNs, maxNs, isHit }: FunctionRow): string {
  if (isHit) return calls === 1 ? '1 hit' : `${grouped(calls)} hits`;
  if (calls === 0) return 'no calls yet';
  const mean = duration(totalNs / calls);
  return calls === 1
    ? `1 call · ${mean}`
    : `${grouped(calls)} calls · mean ${mean} · max ${duration(maxNs)}`;
}

/** `runs · 3 functions · 12,000 events · 5 lost`. */
export function sessionFigures({ state, counts }: SessionRow): string {
  if (counts === null) return state;
  const { functions, events, lost } = counts;
  return [
    state,
    ...(functions > 0
      ? [`${grouped(functions)} ${functions === 1 ? 'function' : 'functions'}`]
      : []),
    ...(events > 0 ? [`${grouped(events)} events`] : []),
    ...(lost > 0 ? [`${grouped(lost)} lost`] : []),
  ].join(' · ');
}

function readSession(session: unknown): SessionRow {
  const state = textMember(session, 'state');
  const command = textMember(session, 'command');
  const pid = member(session, 'pid');
  const exit = member(session, 'exit');
  return {
    id: textMember(session, 'sessionId'),
    program: command.split(' ')[0]?.split('/').at(-1) ?? command,
    pid: typeof pid === 'number' ? pid : null,
    projectRoot: textMember(session, 'projectRoot'),
    isLive: state === 'running' || state === 'starting',
    hasFailed: state === 'failed' || textMember(exit, 'kind') === 'signalled',
    state: stateText(state, exit, numberMember(session, 'endedMsAgo')),
    counts: null,
  };
}

function stateText(state: string, exit: unknown, endedMsAgo: number): string {
  if (state === 'running') return 'runs';
  if (state === 'starting') return 'starts';
  if (state === 'released') return 'runs untraced';
  if (state === 'failed') return 'failed';
  const when = `${duration(endedMsAgo * 1e6)} ago`;
  const kind = textMember(exit, 'kind');
  if (kind === 'signalled') return `ended by ${textMember(exit, 'signal')} ${when}`;
  return kind === 'exited' ? `exit ${numberMember(exit, 'code')}, ${when}` : `ended ${when}`;
}

/** A session that ends meanwhile has none. */
async function countsOf(server: StrobeServer, sessionId: string): Promise<SessionCounts | null> {
  const asked = { view: 'stats', sessionId, limit: 1 };
  const answer = await server.call('debug_query', asked).catch(() => null);
  if (answer === null) return null;
  const counters = member(answer.body, 'counters');
  return {
    functions: numberMember(answer.body, 'totalCount'),
    events: numberMember(counters, 'seen'),
    lost: numberMember(counters, 'lost'),
  };
}

function readFunction(row: unknown): FunctionRow {
  return {
    name: textMember(row, 'key'),
    pattern: textMember(row, 'function', textMember(row, 'key')),
    isHit: /:\d+$/.test(textMember(row, 'key')),
    calls: numberMember(row, 'count'),
    totalNs: numberMember(row, 'totalNs'),
    maxNs: numberMember(row, 'maxNs'),
    place: textMember(row, 'place'),
  };
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}
