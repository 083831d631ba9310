import { basename, join } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { StrobeError } from '../../model/errors.ts';
import type { TestAdapter } from '../../testing/adapter.ts';
import { launchSession, type LaunchParts, type LaunchRequest } from '../session/launchSession.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';
import { counted } from '../report/text/groupedNumber.ts';
import type { RequestContext } from '../request.ts';
import type { ProgramsBehind } from '../stops/stoppedProcess.ts';
import type { RunnerProcess } from './runnerProcess.ts';
import type { TestRunFacts } from './testRunFacts.ts';

/** From TERM to KILL of a traced tree that is stopped. */
const GRACE_MS = 1500;
/** One address leads to a test's name. */
const NAME_DEPTH = 1;

/** A runner and what is said of it when it has ended. */
export interface Started {
  readonly process: RunnerProcess;
  readonly atEnd: () => readonly string[];
}

/** Why tests of a framework cannot be traced, and what shows more; null: they can. */
export function whyUntraceable({ name, language, inCode }: TestAdapter): StrobeError | null {
  if (['C++', 'Rust', 'Python', 'any'].includes(language) || inCode !== undefined) return null;
  return new StrobeError(
    'BAD_PARAMETER',
    `${name} runs ${language}, whose functions cannot be traced there: C, C++, Rust, Go, Python and JavaScript on Node and Deno can.`,
    'Without patterns each failure has its values and its frames. To trace a function that it names, call it in a file that Node or Deno runs, debug_launch {"command": "node", "args": ["FILE"], "patterns": ["NAME"]}, or have Vitest, Jest, Mocha, node:test or Deno run the test.',
  );
}

/** BAD_PARAMETER for tests whose own language cannot be traced. */
export function requireTraceable(adapter: TestAdapter): void {
  const why = whyUntraceable(adapter);
  if (why !== null) throw why;
}

/** Which programs hold the tests that its runner starts; null: the runner holds them itself. */
function programsBehind({ language, isTestBinary }: TestAdapter): ProgramsBehind | null {
  if (language === 'Go') return '.test';
  return isTestBinary !== true && ['C++', 'Rust'].includes(language) ? 'own' : null;
}

/** Patterns that also mean programs which were built outside the project's folder. */
export function inPrograms(
  patterns: readonly PatternRequest[],
  programs: readonly string[],
  projectRoot: string,
): PatternRequest[] {
  const outside = programs
    .filter((path) => !isBelow(path, projectRoot))
    .map((path) => basename(path));
  const further = patterns
    .filter(({ pattern }) => pattern.module === null)
    .flatMap((request) => outside.map((module) => patternRequest({ ...request.asked, module })));
  return [...patterns, ...further];
}

/**
 * Starts a runner as a session: the patterns reach every program it executes, so the test binary
 * behind cargo, ctest or a script is traced.
 */
export async function startTraced(
  parts: LaunchParts,
  { plan, request, adapter }: TestRunFacts,
  { patterns, watches, probes = [] }: Pick<LaunchRequest, 'patterns' | 'watches' | 'probes'>,
  context: RequestContext,
): Promise<Started & { readonly session: LiveSession }> {
  const session = await launchSession(
    parts,
    {
      command: plan.command,
      args: plan.args,
      cwd: plan.cwd,
      env: { ...request.env, ...plan.env },
      envMode: 'replace',
      stdin: 'closed',
      tty: false,
      projectRoot: request.projectRoot,
      patterns: inTestPrograms(adapter, [...patterns, ...boundaryPatterns(adapter)]),
      watches,
      probes,
      runs: probes.length > 0 ? programsBehind(adapter) : null,
      pendingPatterns: 0,
      redact: true,
      follow: 'all',
      onClientExit: 'keep',
      requestId: null,
    },
    context,
  );
  const texts = patterns.map(({ asked }) => asked.pattern);
  const atEnd = (): readonly string[] => (texts.length === 0 ? [] : traceNotes(session, texts));
  return { session, process: underSession(session), atEnd };
}

/** What tells the tests of a session apart. */
function boundaryPatterns({ inCode }: TestAdapter): PatternRequest[] {
  const { start, end } = inCode?.boundary ?? {};
  const { startedBy } = inCode ?? {};
  return [
    ...[start, end].flatMap((pattern) => (pattern === undefined ? [] : [patternRequest(pattern)])),
    ...(startedBy === undefined ? [] : [patternRequest(startedBy, NAME_DEPTH)]),
  ];
}

/** Where the programs that hold the tests have a name, patterns mean these. */
function inTestPrograms(
  { inCode }: TestAdapter,
  patterns: readonly PatternRequest[],
): readonly PatternRequest[] {
  const module = inCode?.programs;
  if (module === undefined) return patterns;
  return patterns.map((request) =>
    request.pattern.module === null ? patternRequest({ ...request.asked, module }) : request,
  );
}

function underSession(session: LiveSession): RunnerProcess {
  return {
    pid: session.pid ?? 0,
    logPath: join(session.facts.directory, 'output.log'),
    startNs: session.facts.startNs,
    sessionId: session.facts.id,
    onGrown: (callback) => void eachChange(session, callback),
    onGone: (callback) => void untilFinished(session).then(callback),
    async signalTree(name) {
      if (name === 'SIGTERM') await session.stop(GRACE_MS, 'stop');
    },
    letGo: () => Promise.resolve(),
  };
}

const never = new AbortController().signal;
const LOOK_MS = 1000;

async function eachChange(session: LiveSession, callback: () => void): Promise<void> {
  while (!session.isFinished) {
    await session.changes.next(LOOK_MS, never);
    callback();
  }
}

async function untilFinished(session: LiveSession): Promise<void> {
  while (!session.isFinished) await session.changes.next(LOOK_MS, never);
}

/** What the trace came to, for the answer. */
function traceNotes(session: LiveSession, patterns: readonly string[]): string[] {
  const asked = (session.tracing.report()?.patterns ?? []).filter(
    ({ pattern }) =>
      patterns.includes(pattern.slice(pattern.lastIndexOf('!') + 1)) || patterns.includes(pattern),
  );
  const hooked = asked.reduce((sum, one) => sum + one.hooked - one.shared, 0);
  const refused = new Set(asked.flatMap((one) => one.refused.map((fn) => fn.function))).size;
  if (hooked > 0)
    return [
      `traced: ${counted(hooked, 'function')} hooked${refused > 0 ? `, ${refused} refused` : ''}`,
      ...watchNotes(session),
    ];
  return [
    `Nothing was traced: no function of a program it ran matched ${patterns.join(', ')}.`,
    ...session.notes,
  ];
}

/** What was watched, and why the rest was not. */
function watchNotes(session: LiveSession): string[] {
  const reports = session.tracing.watches.reports();
  const active = reports.filter(({ state, functions }) => state === 'active' && functions > 0);
  const labels = active.map(({ label }) => label).join(', ');
  return [
    ...(active.length > 0
      ? [`watched: ${labels}; debug_query {"view":"changes"} tells what changed`]
      : []),
    ...reports
      .filter((one) => !active.includes(one))
      .map(({ label, notes }) => `not watched: ${label}. ${notes.join(' ')}`.trim()),
  ];
}
