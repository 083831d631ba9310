import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { monotonicMs } from '../../base/clock.ts';
import { commandOf, linkOf, sessionOf, startTimeOf } from '../../base/proc.ts';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { AttachedTarget } from '../../collector/attach/attachedTarget.ts';
import type { AttachableProcess } from '../../collector/attach/inspectProcess.ts';
import { inspectReleased } from '../../collector/attach/inspectReleased.ts';
import { StrobeError } from '../../model/errors.ts';
import { attachNotes } from '../../model/session.ts';
import type { TraceReport } from '../../model/functions/hookReport.ts';
import type { Client, RequestContext } from '../request.ts';
import { debugInfoReport } from '../tracing/programDebugInfo.ts';
import { outputPathOf, ringDirectory } from '../../collector/rings/ringFolder.ts';
import { existingDirectory, openIndex, SPARE_AFTER_MS, type LaunchParts } from './launchSession.ts';
import { readSymbols } from '../tracing/readSymbols.ts';
import type { LiveSession } from './liveSession.ts';
import { newSession } from './newSession.ts';
import type { WatchRequest } from '../../model/watches/watch.ts';
import type { PatternRequest } from '../tracing/patternRequest.ts';

/** Reading the program's symbols may hold up an answer without patterns this long. */
const SYMBOLS_PATIENCE_MS = 1500;
/** A second reading of the clock tells the rate of the cycle counter; later ones make it exact. */
const CLOCK_AFTER_MS = [5, 100, 2_000, 30_000] as const;

/** How often it is attached to while it replaces its program. */
const TRIES = 3;

export interface AttachRequest {
  readonly pid: number;
  readonly projectRoot: string | null;
  readonly patterns: readonly PatternRequest[];
  readonly watches: readonly WatchRequest[];
  readonly pendingPatterns: number;
  readonly redact: boolean;
  readonly onClientExit: 'stop' | 'detach' | 'keep';
  readonly requestId: string | null;
}

/**
 * Attaches to a process that runs already: agent, hooks and the recording of its output. When it
 * throws, the process is as it was, and nothing else is left. What inspectReleased and
 * FridaHost.attach throw, and of `patterns` what tracing throws.
 */
export async function attachSession(
  services: LaunchParts,
  request: AttachRequest,
  context: RequestContext,
): Promise<LiveSession> {
  const began = monotonicMs();
  for (let left = TRIES; ;) {
    const process = await inspectReleased(request.pid, context.signal, () =>
      context.progress('waiting until another Strobe has left the process', 0, 3),
    );
    try {
      return await attachTo(services, { process, began }, request, context);
    } catch (error) {
      if (--left === 0 || !hasReplacedProgram(process)) throw error;
    }
  }
}

async function attachTo(
  services: LaunchParts,
  { process, began }: { readonly process: AttachableProcess; readonly began: number },
  request: AttachRequest,
  context: RequestContext,
): Promise<LiveSession> {
  const { pid, image, loader } = process;
  const claim = await services.runtimes.claim({
    image,
    loader,
    process: { pid, atExec: false },
  });
  if (!claim.able) throw new StrobeError(claim.code, claim.message, claim.hint);
  const session = await prepareSession(services, process, request, context.client);
  try {
    services.register(session, null);
    context.progress('attaching', 1, 3);
    const target = await AttachedTarget.watch({
      watcherPath: services.watcherPath,
      sessionDir: session.facts.directory,
      pid: process.pid,
      startTicks: process.startTicks,
      outputPath: outputPathOf(join(ringDirectory(session.facts.id), `${process.pid}.ring`)),
      clock: () => session.tracing.clock(),
    });
    session.beginAttached(target, openIndex(services, session, false));
    const symbols = process.imageReplaced
      ? Promise.resolve()
      : readSymbols(services, session, request.patterns, context);
    symbols.catch(() => undefined); // Told by debugInfoReport, unless the attach fails before.
    session.notes.push(...(await session.tracing.enter(process.pid)), CHILDREN);
    readClock(session);
    context.progress('reading symbols and setting hooks', 2, 3);
    const trace = await firstPatterns(session, process, request);
    session.running();
    const debugInfo = await debugInfoReport(
      services.runtimes,
      session,
      symbols,
      SYMBOLS_PATIENCE_MS,
    );
    context.progress('attached', 3, 3);
    // Once the answer is on its way: should the process replace its program, another tracer follows it.
    setTimeout(() => services.runtimes.warm(), SPARE_AFTER_MS).unref();
    session.launched({
      session: session.view(context.client),
      reused: false,
      pendingPatternsApplied: request.pendingPatterns,
      trace,
      debugInfo,
      output: [],
      tookMs: Math.round(monotonicMs() - began),
    });
    return session;
  } catch (error) {
    await session.abandon();
    services.forget(session);
    await rm(session.facts.directory, { recursive: true, force: true });
    throw hasEnded(process)
      ? new StrobeError(
          'NO_SUCH_PROCESS',
          `Process ${process.pid} ended while it was being attached to.`,
          'Start its program by debug_launch: then it is there from the first instruction on.',
        )
      : error;
  }
}

/** Whether an exec has taken away what was brought in, as when a shell becomes the program that it starts. */
function hasReplacedProgram({ pid, image, command, imageReplaced }: AttachableProcess): boolean {
  const now = linkOf(pid, 'exe');
  // A script may become another of the same shell.
  const isOther = now !== image || !isDeepStrictEqual(commandOf(pid), command);
  return now !== null && isOther && !imageReplaced;
}

function hasEnded({ pid, startTicks }: AttachableProcess): boolean {
  return sessionOf(pid) === null || startTimeOf(pid) !== startTicks;
}

async function prepareSession(
  services: LaunchParts,
  process: AttachableProcess,
  request: AttachRequest,
  client: Client,
): Promise<LiveSession> {
  const sources = await services.runtimes.sourceFolder(process.image, process.pid);
  const root = request.projectRoot ?? projectRootAbove(sources);
  const projectRoot = await existingDirectory(resolve(client.cwd, root), 'projectRoot');
  return await newSession(services, client, {
    named: basename(process.image),
    command: process.command,
    cwd: process.cwd,
    projectRoot,
    image: process.image,
    onClientExit: request.onClientExit,
    stdin: 'closed',
    requestId: request.requestId,
    follow: 'none',
    capturesOutput: true,
    isAttached: true,
    redact: request.redact,
  });
}

/** Hooks are placed by the symbols of the file: they must be those of what runs. */
async function firstPatterns(
  session: LiveSession,
  process: AttachableProcess,
  { patterns, watches }: AttachRequest,
): Promise<TraceReport | null> {
  if (process.imageReplaced) {
    session.tracing.cannotTrace(
      'BAD_BINARY',
      `${process.image} was replaced since process ${process.pid} was started: its symbols are not those of what runs.`,
      'Output is captured. Start the program again to trace it.',
    );
    if (patterns.length + watches.length > 0)
      session.notes.push('The patterns and watches were not applied.');
    return null;
  }
  return await session.tracing.begin(patterns, watches);
}

/** A filter of its execs cannot be put into a process from outside, and to trace it with ptrace would lock out debuggers. */
const CHILDREN = `${attachNotes.children} (children by fork alone are): debug_session status lists those that run; attach to one by its pid.`;

/** In the background, while the session lasts. */
function readClock(session: LiveSession): void {
  for (const ms of CLOCK_AFTER_MS) {
    setTimeout(() => {
      if (session.isLive) session.tracing.clock().catch(() => undefined);
    }, ms).unref();
  }
}

/** Told to whoever attaches to a process that a session has already. */
export function alreadyObserved(pid: number, session: LiveSession, client: Client): StrobeError {
  const { id } = session.facts;
  const { owner } = session.view(client);
  const whose = owner.mine ? 'your session' : `session ${id} of another client`;
  return new StrobeError(
    'ALREADY_OBSERVED',
    `Process ${pid} is observed already by ${owner.mine ? `${whose} ${id}` : whose}.`,
    `Continue there: debug_trace {"sessionId":"${id}"}; or let it go first: debug_session {"action":"detach","sessionId":"${id}"${owner.mine ? '' : ',"takeOver":true'}}.`,
  );
}
