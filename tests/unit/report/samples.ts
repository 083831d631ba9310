import { callId, sessionId } from '../../../src/model/ids.ts';
import type { OutputLine } from '../../../src/model/outputRecord.ts';
import type { CallView, StoreSummary, Value } from '../../../src/model/questions/query.ts';
import type { TreeNode, TreeResult } from '../../../src/model/questions/treeResult.ts';
import type { StatsRow } from '../../../src/model/questions/statsResult.ts';
import type { SessionView } from '../../../src/model/session.ts';
import type { PatternReport, TraceReport } from '../../../src/model/functions/hookReport.ts';
import type { Scene } from '../../../src/daemon/report/answers/scene.ts';

/* One imagined session of a settlement service, from which every sample is made. */

export const projectRoot = '/home/me/settle';

export function session(changes: Partial<SessionView> = {}): SessionView {
  const running = changes.state?.kind === 'ended' ? 0 : 1;
  return {
    id: sessionId('settle-2026-02-05-14h32-k7f2'),
    command: ['./build/settle', '--threads', '4'],
    cwd: projectRoot,
    projectRoot,
    state: { kind: 'running' },
    now: 12_400_000_000,
    startedAtMs: Date.UTC(2026, 1, 5, 14, 32),
    pid: 4711,
    runtime: 'native (C++)',
    tracing: { kind: 'armed' },
    processes: { running, ended: 1 - running, failed: 0, shown: [] },
    hooks: {
      patterns: ['settle::*'],
      matched: 13,
      hooked: 12,
      inlined: 2,
      refused: 1,
      leftOut: 0,
      waiting: 0,
    },
    owner: { clientId: 'a', kind: 'mcp', mine: true },
    onClientExit: 'stop',
    stdin: 'closed',
    notes: [],
    ...changes,
  };
}

export const ended: Extract<SessionView['state'], { kind: 'ended' }> = {
  kind: 'ended',
  exit: { kind: 'exited', code: 1 },
  at: 9_200_000_000,
  by: 'itself',
};

export function summary(changes: Partial<StoreSummary> = {}): StoreSummary {
  return {
    counters: { seen: 24_108, stored: 24_108, lost: 0, sampled: 0, byCause: {} },
    calls: 12_054,
    openCalls: 0,
    outputLines: 220,
    outputBytes: 9_800,
    functions: 12,
    threads: {
      count: 3,
      first: [
        { key: 1, pid: 4711, tid: 4711, name: 'settle' },
        { key: 2, pid: 4711, tid: 4713, name: 'worker-1' },
        { key: 3, pid: 4711, tid: 4714, name: 'worker-2' },
      ],
      pids: [4711],
    },
    indexedTo: 12_400_000_000,
    ...changes,
  };
}

export function scene(changes: Partial<Scene> = {}): Scene {
  const { id } = session();
  return {
    session: session(),
    summary: summary(),
    indexedTo: null,
    request: { sessionId: id, view: 'events' },
    verbose: false,
    notes: [],
    ...changes,
  };
}

export const int = (text: number | string): Value => ({ kind: 'int', text: String(text) });
export const text = (content: string, truncated = false): Value => ({
  kind: 'string',
  text: content,
  truncated,
});
export const pointer = (address: string): Value => ({ kind: 'pointer', address, isNull: false });
export const bool = (value: boolean): Value => ({ kind: 'bool', value });
export const nothing: Value = { kind: 'void' };

const numbers = new Map<string, number>();
/** Each name is a function of its own. */
function numberOf(name: string): number {
  const number = numbers.get(name) ?? numbers.size + 1;
  numbers.set(name, number);
  return number;
}

/** A call of thread 2; `at` in microseconds. */
export function call(ordinal: number, name: string, changes: Partial<CallView> = {}): CallView {
  return {
    id: callId(2, ordinal),
    parent: null,
    time: 1_204_000_000 + ordinal * 15_000,
    durationNs: 12_300,
    end: 'returned',
    fn: numberOf(name),
    function: name,
    file: `${projectRoot}/src/ledger.cpp`,
    line: 40 + name.length,
    thread: 2,
    tid: 4713,
    threadName: 'worker-1',
    pid: 4711,
    depth: 0,
    arguments: [
      { name: 'this', value: pointer('0x55d0c0a81f40') },
      { name: 'cents', value: int(500 + ordinal) },
    ],
    returns: bool(true),
    ...changes,
  };
}

export function node(
  of: CallView,
  children: readonly TreeNode[] = [],
  changes: Partial<TreeNode> = {},
): TreeNode {
  return {
    call: of,
    isRead: true,
    times: 1,
    totalNs: of.durationNs ?? 0,
    minNs: of.durationNs,
    maxNs: of.durationNs,
    selfNs: null,
    varying: [],
    children,
    omitted: 0,
    ...changes,
  };
}

export function forest(
  roots: readonly TreeNode[],
  changes: Partial<TreeResult['threads'][number]> = {},
): TreeResult {
  const count = (one: TreeNode): number =>
    one.times + one.omitted + one.children.reduce((sum, child) => sum + count(child), 0);
  const calls = roots.reduce((sum, root) => sum + count(root), 0);
  return {
    threads: [
      { thread: 2, tid: 4713, name: 'worker-1', pid: 4711, calls, roots, omitted: 0, ...changes },
    ],
    calls,
    complete: true,
    uncompared: 0,
  };
}

export function statsRow(
  name: string,
  count: number,
  totalNs: number,
  changes: Partial<StatsRow> = {},
): StatsRow {
  const mean = totalNs / count;
  return {
    key: name,
    function: name,
    file: `${projectRoot}/src/ledger.cpp`,
    line: 40 + name.length,
    number: numberOf(name),
    timed: count,
    count,
    open: 0,
    unwound: 0,
    totalNs,
    selfNs: totalNs / 2,
    meanNs: mean,
    minNs: mean / 3,
    p50Ns: mean * 0.8,
    p95Ns: mean * 2,
    p99Ns: mean * 3,
    maxNs: mean * 4,
    ...changes,
  };
}

export function line(id: number, content: string, changes: Partial<OutputLine> = {}): OutputLine {
  return {
    id,
    time: 1_000_000_000 + id * 40_000_000,
    stream: 'stdout',
    pid: 4711,
    text: content,
    bytes: null,
    ...changes,
  };
}

export function pattern(changes: Partial<PatternReport> = {}): PatternReport {
  return {
    pattern: 'settle::*',
    state: 'added',
    matched: 13,
    hooked: 12,
    shared: 0,
    examples: ['settle::Ledger::book', 'settle::Ledger::balance', 'settle::Queue::take'].map(
      (name, at) => ({
        function: name,
        file: `${projectRoot}/src/ledger.cpp`,
        line: 31 + at * 12,
      }),
    ),
    waiting: [],
    inlined: [],
    moreInlined: 0,
    refused: [],
    leftOut: 0,
    nearest: [],
    notes: [],
    problem: null,
    ...changes,
  };
}

export function traceReport(changes: Partial<TraceReport> = {}): TraceReport {
  return {
    mode: 'runtime',
    sessionId: session().id,
    patterns: [pattern()],
    removed: [],
    watches: [],
    hookedFunctions: 12,
    matchedFunctions: 13,
    eventLimit: null,
    tookMs: 42,
    warnings: [],
    ...changes,
  };
}
