import { join } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { TestAdapter, TestPlan } from '../../testing/adapter.ts';
import { launchSession, type LaunchParts } from '../session/launch.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { RequestContext } from '../tools/handler.ts';
import type { RunnerProcess } from './runnerProcess.ts';

/** From TERM to KILL of a traced tree that is stopped. */
const GRACE_MS = 1500;

/** What a traced run is started with. */
export interface TracedStart {
  readonly plan: TestPlan;
  readonly projectRoot: string;
  readonly env: Readonly<Record<string, string>>;
  readonly patterns: readonly string[];
}

/** BAD_PARAMETER for tests whose own language cannot be traced yet. */
export function requireTraceable({ name, language }: TestAdapter): void {
  if (['C++', 'Rust', 'any'].includes(language)) return;
  throw new StrobeError(
    'BAD_PARAMETER',
    `${name} runs ${language}, whose functions cannot be traced yet: only C, C++ and Rust can.`,
    'Run without tracePatterns. Native libraries it loads can be traced with debug_launch.',
  );
}

/**
 * Starts a runner as a session: the patterns reach every program it executes, so the test binary
 * behind cargo, ctest or a script is traced.
 */
export async function startTraced(
  parts: LaunchParts,
  start: TracedStart,
  context: RequestContext,
): Promise<{ readonly process: RunnerProcess; readonly session: LiveSession }> {
  const { plan, projectRoot, env, patterns } = start;
  const session = await launchSession(
    parts,
    {
      command: plan.command,
      args: plan.args,
      cwd: plan.cwd,
      env: { ...env, ...plan.env },
      envMode: 'replace',
      stdin: 'closed',
      tty: false,
      projectRoot,
      patterns: patterns.map((pattern) => ({ pattern })),
      pendingPatterns: 0,
      redact: true,
      follow: 'all',
      onClientExit: 'keep',
      requestId: null,
    },
    context,
  );
  return { session, process: underSession(session) };
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
export function traceNotes(session: LiveSession, patterns: readonly string[]): string[] {
  const { hooked, refused } = session.tracing.hooks;
  if (hooked > 0)
    return [`traced: ${hooked} functions hooked${refused > 0 ? `, ${refused} refused` : ''}`];
  return [`Nothing was traced: no function of a program it ran matched ${patterns.join(', ')}.`];
}
