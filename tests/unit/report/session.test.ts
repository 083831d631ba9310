import { expect, test } from 'vitest';
import { renderLaunch } from '../../../src/daemon/report/session/launchAnswer.ts';
import {
  renderInput,
  renderList,
  renderStatus,
} from '../../../src/daemon/report/session/sessionAnswers.ts';
import { renderWait } from '../../../src/daemon/report/session/waitAnswer.ts';
import { renderStop } from '../../../src/daemon/report/session/sessionEnds.ts';
import { renderTrace } from '../../../src/daemon/report/session/traceAnswer.ts';
import { sessionId } from '../../../src/model/ids.ts';
import type { LaunchReport, SessionView } from '../../../src/model/session.ts';
import { answersOf } from './expectAnswer.ts';
import {
  call,
  ended,
  line,
  pattern,
  projectRoot,
  session,
  summary,
  traceReport,
} from './samples.ts';
import { refusals, type RefusalCode } from '../../../src/protocol/refusals.ts';

const expectAnswer = answersOf(import.meta.dirname, 'session', 'debug_session');

const launched: LaunchReport = {
  session: session({ now: 90_000_000 }),
  reused: false,
  pendingPatternsApplied: 0,
  trace: traceReport(),
  debugInfo: {
    found: [
      {
        runtime: 'native',
        path: `${projectRoot}/build/settle`,
        buildId: 'ab12',
        functions: 412,
        debugInfo: 'dwarf',
        dwarfVersion: 5,
        languages: ['C++'],
        indexMs: 80,
        fromCache: false,
        problems: [],
      },
    ],
    missing: [],
    advice: null,
    buildSystem: 'CMake',
  },
  output: [],
  tookMs: 310,
};

const untraced: Pick<SessionView, 'tracing' | 'hooks'> = {
  tracing: { kind: 'off', reason: 'no patterns were given' },
  hooks: { patterns: [], matched: 0, hooked: 0, inlined: 0, refused: 0, leftOut: 0, waiting: 0 },
};

const none: LaunchReport['debugInfo'] = {
  found: [],
  missing: [`${projectRoot}/build/settle`],
  advice: 'Build with debug information: cmake -DCMAKE_BUILD_TYPE=Debug, or -DCMAKE_CXX_FLAGS=-g.',
  buildSystem: 'CMake',
};

const died = {
  ...session({
    ...untraced,
    state: {
      ...ended,
      exit: { kind: 'signalled', signal: 'SIGSEGV', number: 11, coreDumped: true },
      at: 40_000_000,
    },
    now: 60_000_000,
  }),
};

const launches: Readonly<Record<string, LaunchReport>> = {
  launch: launched,
  launchWithoutPatterns: {
    ...launched,
    session: session({ ...untraced, now: 90_000_000 }),
    trace: null,
  },
  launchWithoutDebugInfo: {
    ...launched,
    session: session({ ...untraced, now: 90_000_000 }),
    trace: null,
    debugInfo: none,
  },
  launchThatDied: {
    ...launched,
    session: died,
    trace: null,
    output: [line(0, 'reading /etc/settle.conf', { stream: 'stderr' })],
  },
  launchStatic: {
    ...launched,
    session: session({
      ...untraced,
      tracing: {
        kind: 'unavailable',
        code: 'STATIC_PROGRAM',
        message: 'settle is statically linked.',
        hint: 'Link it dynamically for debugging.',
      },
    }),
    trace: null,
    reused: true,
  },
};

test.each(Object.entries(launches))('debug_launch: %s', async (name, report) => {
  await expectAnswer(name, renderLaunch(report), { tool: 'debug_launch', twin: name === 'launch' });
});

function because(code: RefusalCode) {
  return { code, reason: refusals[code] };
}

const mixedPatterns = [
  pattern({
    matched: 14,
    hooked: 12,
    refused: [
      {
        function: 'settle::Account::id',
        file: null,
        line: null,
        ...because('tooShort'),
        instead: [],
      },
      {
        function: 'settle::sleepUntil',
        file: null,
        line: null,
        ...because('special'),
        instead: ['settle::Worker::run'],
      },
    ],
    inlined: [
      {
        name: 'settle::Account::valid',
        callers: ['settle::Ledger::book', 'settle::Ledger::find'],
        sites: 3,
      },
    ],
    waiting: [{ module: '/usr/lib/libplugin.so', functions: 7 }],
    shared: 2,
  }),
  pattern({
    pattern: 'setle::**',
    matched: 0,
    hooked: 0,
    examples: [],
    nearest: ['settle::Ledger::book', 'settle::Queue::take'],
  }),
  pattern({
    pattern: 'main.total',
    matched: 1,
    hooked: 0,
    examples: [],
    leftOut: 1,
    notes: ['2 of them have no name (the file is stripped)'],
  }),
  pattern({
    pattern: '@file:src/[',
    matched: 0,
    hooked: 0,
    examples: [],
    problem: { code: 'BAD_PATTERN', subject: '@file:src/[', detail: 'a bracket is not closed' },
  }),
];

test('debug_trace: hooked, inlined, refused, waiting, unknown', async () => {
  const report = traceReport({
    patterns: mixedPatterns,
    removed: [
      { pattern: '@usercode', unhooked: 380, found: true },
      { pattern: 'gone', unhooked: 0, found: false },
    ],
  });
  await expectAnswer('trace', renderTrace(report, session()), { tool: 'debug_trace', twin: true });
});

test('debug_trace: pending, and nothing traced', async () => {
  const staged = traceReport({
    mode: 'pending',
    sessionId: null,
    tookMs: null,
    hookedFunctions: 0,
    matchedFunctions: 0,
    patterns: [pattern({ state: 'staged', matched: 0, hooked: 0, examples: [] })],
  });
  await expectAnswer('tracePending', renderTrace(staged, null), { tool: 'debug_trace' });
  const empty = traceReport({ patterns: [], hookedFunctions: 0, matchedFunctions: 0 });
  await expectAnswer('traceNothing', renderTrace(empty, session(untraced)), {
    tool: 'debug_trace',
  });
});

test('debug_trace: sixty-four patterns with hundreds of refusals in 400 tokens', async () => {
  const refused = Array.from({ length: 300 }, (_, at) => ({
    function: `settle::tiny${at}`,
    file: null,
    line: null,
    ...because('tooShort'),
    instead: [],
  }));
  const report = traceReport({
    patterns: Array.from({ length: 64 }, (_, at) =>
      pattern({ pattern: `settle::part${at}::*`, refused, matched: 312 }),
    ),
  });
  await expectAnswer('traceTight', renderTrace(report, session(), 400), {
    tool: 'debug_trace',
    budget: 400,
  });
});

const status = {
  session: session({ notes: ['The Frida host was restarted once.'] }),
  summary: summary({ openCalls: 2 }),
  trace: traceReport({ patterns: [pattern({ state: 'active' })] }),
  look: null,
  indexedTo: null,
  outputTail: [
    line(218, 'batch 7 settled'),
    line(219, 'settle: payment 17 booked twice', { stream: 'stderr' }),
  ],
};

test('debug_session status', async () => {
  await expectAnswer('status', renderStatus(status), { twin: true });
  const state = {
    kind: 'failed',
    code: 'SUPERVISOR_LOST',
    message: 'The supervisor of pid 4711 is gone.',
    hint: 'What was captured can be queried.',
    at: 9e9,
  } as const;
  await expectAnswer(
    'statusFailed',
    renderStatus({ ...status, trace: null, session: session({ state }) }),
  );
});

test('debug_session list', async () => {
  const sessions = Array.from({ length: 40 }, (_, at) =>
    session({
      id: sessionId(`settle-2026-02-05-14h${10 + at}-k7f2`),
      state: at === 0 ? { kind: 'running' } : ended,
    }),
  );
  await expectAnswer(
    'list',
    renderList({
      scope: 'all',
      state: null,
      sessions: sessions.slice(0, 2),
      cursor: null,
      total: 2,
      others: 0,
    }),
    { twin: true },
  );
  await expectAnswer(
    'listMany',
    renderList({ scope: 'mine', state: null, sessions, cursor: 'abc', total: 140, others: 3 }, 500),
    { budget: 500 },
  );
  await expectAnswer(
    'listNone',
    renderList({ scope: 'mine', state: null, sessions: [], cursor: null, total: 0, others: 0 }),
  );
});

test('[mcp.sessions] the next page of a list has the same filter', () => {
  const sessions = [session({ state: ended })];
  const filtered = { scope: 'mine', state: 'exited', sessions, cursor: 'abc', total: 140 } as const;
  const { text } = renderList({ ...filtered, others: 3 });
  expect(text).toContain('1 of 140 own exited sessions');
  expect(text).toContain('{"action":"list","scope":"mine","state":"exited","cursor":"abc"}');
  expect(text).toContain('{"action":"list","scope":"all","state":"exited"}');
});

const wait = {
  session: session(),
  summary: summary(),
  waitedFor: ['output', 'exit'] as const,
  match: 'booked twice',
  waitedMs: 812,
  timeoutMs: 10_000,
  output: {
    lines: [line(219, 'settle: payment 17 booked twice', { stream: 'stderr' })],
    total: 1,
    which: 'fitting' as const,
  },
  calls: [],
  indexedTo: null,
  cursor: 'w12400000000.220',
};

test('debug_session wait', async () => {
  const nothing = { lines: [], total: 0, which: 'since' as const };
  await expectAnswer(
    'waitOutput',
    renderWait({ ...wait, result: { kind: 'happened', what: 'output' } }),
    { twin: true },
  );
  await expectAnswer(
    'waitEvent',
    renderWait({
      ...wait,
      indexedTo: null,
      waitedFor: ['event'],
      match: 'book',
      result: { kind: 'happened', what: 'event' },
      calls: [call(3, 'settle::Ledger::book')],
    }),
  );
  const again = [1, 2, 3].map((id) => line(id, 'no answer, trying again'));
  const repeated = { lines: [...again, line(4, 'gave up')], total: 4, which: 'since' as const };
  await expectAnswer(
    'waitRepeated',
    renderWait({ ...wait, output: repeated, result: { kind: 'happened', what: 'exit' } }),
  );
  await expectAnswer(
    'waitTimeout',
    renderWait({ ...wait, waitedMs: 10_000, output: nothing, result: { kind: 'timeout' } }),
  );
  await expectAnswer(
    'waitEnded',
    renderWait({ ...wait, session: session({ state: ended }), result: { kind: 'ended' } }),
  );
});

test('debug_session stop and input', async () => {
  const state = {
    ...ended,
    by: 'stop',
    exit: { kind: 'signalled', signal: 'SIGKILL', number: 9, coreDumped: false },
  } as const;
  await expectAnswer(
    'stop',
    renderStop({
      ...status,
      session: session({ state }),
      how: 'killed',
      retained: true,
      keptUntilMs: Date.parse('2026-02-12T14:32:09.200Z'),
    }),
    { twin: true },
  );
  await expectAnswer(
    'input',
    renderInput({
      session: session({ stdin: 'open' }),
      cursor: 'w1204000000',
      bytes: 12,
      eof: true,
    }),
    { twin: true },
  );
});
