import { constants } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { isBelow } from '../../base/paths.ts';
import { hasEnded } from '../../base/proc.ts';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { browserFor, isChromium, withPages } from '../../collector/ui/page/chromium.ts';
import { javaAccess } from '../../collector/ui/javaAccess.ts';
import type { Stage } from '../../collector/ui/stage.ts';
import type { LaunchSpec, TerminalSize } from '../../collector/supervisor/launchSpec.ts';
import { resolveProgram } from '../../collector/program/program.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { OutputLine } from '../../model/outputRecord.ts';
import type { TraceReport } from '../../model/functions/hookReport.ts';
import type { Client, RequestContext } from '../request.ts';
import { IndexClient } from '../indexing/indexClient.ts';
import { debugInfoReport } from '../tracing/programDebugInfo.ts';
import type { Displays } from '../ui/displays.ts';
import type { ProgramsBehind } from '../stops/stoppedProcess.ts';
import type { LiveSession } from './liveSession.ts';
import { newSession, type OpenerParts } from './newSession.ts';
import { startWithStops } from '../stops/startWithStops.ts';
import { readSymbols } from '../tracing/readSymbols.ts';
import type { IndexWorkers } from '../indexing/indexWorkers.ts';
import { isSystemPath } from '../../base/systemPaths.ts';
import { oneOf, type Claimed } from '../tracing/runtimeList.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import { hasWrites, type WatchRequest } from '../../model/watches/watch.ts';
import type { PatternRequest } from '../tracing/patternRequest.ts';

/** What enters an untraced program is started ahead once the answer is on its way: a breakpoint may come next. */
export const SPARE_AFTER_MS = 100;
/** Reading the program's symbols may hold up an untraced launch this long. */
const SYMBOLS_PATIENCE_MS = 1500;
/** A file given as input is held in memory until the program has read it. */
const MOST_INPUT_BYTES = 256 << 20;
/** A target that is not resumed by then is let go by its supervisor. */
const RELEASE_MS = 60_000;
/** How long a killed process takes to end at most, and its supervisor to tell that it did. */
const DYING_MS = 200;
const END_TOLD_MS = 5000;
const TERMINAL = 'xterm-256color';

export type Stdin =
  | 'open'
  | 'closed'
  | { readonly text: string }
  | { readonly file: string }
  | { readonly base64: string };

/** What to run and how, arguments checked. */
export interface LaunchRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly envMode: 'merge' | 'replace';
  readonly stdin: Stdin;
  /** A pseudo-terminal of its own instead of pipes. */
  readonly tty: boolean;
  /** A display of its own. */
  readonly ui?: boolean;
  readonly projectRoot: string;
  readonly patterns: readonly PatternRequest[];
  readonly watches: readonly WatchRequest[];
  /** Breakpoints that are there before anything runs. */
  readonly probes?: readonly ProbeRequest[];
  /** It runs the programs that breakpoints stop. */
  readonly runs?: ProgramsBehind | null;
  readonly pendingPatterns: number;
  /** Leave values whose names look like secrets in the target. */
  readonly redact: boolean;
  readonly follow: 'all' | 'none';
  readonly onClientExit: 'stop' | 'detach' | 'keep';
  readonly requestId: string | null;
  /** Programs of which a crash was seen before: what starts them has theirs explained at once. */
  readonly toExplain?: readonly string[];
}

/** What launching needs besides the session's own services. */
export interface LaunchParts extends OpenerParts {
  readonly supervisorPath: string;
  readonly displays: Displays;
  readonly watcherPath: string;
  readonly indexWorkers: IndexWorkers;
  /**
   * Makes the session findable; called before the program starts. `again` starts the same once
   * more; null when that is not ours to do.
   */
  readonly register: (session: LiveSession, again: LaunchRequest | null) => void;
  readonly forget: (session: LiveSession) => void;
}

/** A session whose program is resolved and whose folder exists; nothing runs yet. */
export interface PreparedLaunch {
  readonly session: LiveSession;
  /** Who has to do with its program. */
  readonly claims: readonly Claimed[];
  readonly spec: LaunchSpec;
  readonly input: Uint8Array | null;
  readonly began: number;
}

/** Checks everything that can be checked without starting anything. */
export async function prepareLaunch(
  services: LaunchParts,
  request: LaunchRequest,
  client: Client,
  stdio: 'pipes' | 'inherit',
): Promise<PreparedLaunch> {
  const began = monotonicMs();
  const cwd = await existingDirectory(resolve(client.cwd, request.cwd ?? '.'), 'cwd');
  if (!isAbsolute(request.projectRoot)) {
    throw new StrobeError('BAD_PARAMETER', `projectRoot must be absolute: ${request.projectRoot}`);
  }
  const projectRoot = await existingDirectory(resolve(request.projectRoot), 'projectRoot');
  const given = request.envMode === 'replace' ? request.env : { ...client.env, ...request.env };
  // A terminal without a type has no colours and no full-screen programs.
  const env = request.tty && given['TERM'] === undefined ? { ...given, TERM: TERMINAL } : given;
  const program = await resolveProgram(request.command, { cwd, env });
  const input = await readInput(request.stdin, cwd);
  const session = await newSession(services, client, {
    named: request.command,
    command: [request.command, ...request.args],
    cwd,
    projectRoot,
    image: program.image,
    onClientExit: request.onClientExit,
    stdin: request.tty ? 'terminal' : request.stdin === 'open' ? 'open' : 'closed',
    requestId: request.requestId,
    follow: request.follow,
    capturesOutput: stdio === 'pipes',
    isAttached: false,
    redact: request.redact,
  });
  const { image, loader } = program;
  const claims = await services.runtimes.claims({ image, loader, process: null });
  const claim = oneOf(claims);
  if (!claim.able) session.tracing.cannotTrace(claim.code, claim.message, claim.hint);
  const spec: LaunchSpec = {
    path: program.path,
    argv: [request.command, ...request.args],
    env,
    cwd,
    stdin: request.stdin === 'closed' && !request.tty ? 'closed' : 'open',
    stdio: stdio === 'inherit' || !request.tty ? stdio : terminalSize(env),
    stopAtExec: hasBlackBox(services, session, claims) || asksForTracing(request, claim.able),
    follow: request.follow === 'all',
    releaseMs: RELEASE_MS,
    umask: client.umask,
    resources: client.resources ?? null,
  };
  return { session, claims, spec: session.tracing.prepare(spec), input, began };
}

/** A program that cannot be entered may execute others that can. */
function asksForTracing(request: LaunchRequest, isAble: boolean): boolean {
  return (
    (request.toExplain?.length ?? 0) > 0 ||
    hasWrites(request.watches) ||
    (request.probes?.length ?? 0) > 0 ||
    (request.patterns.length > 0 && (isAble || request.follow === 'all'))
  );
}

/** The whole launch: nothing is left running when it throws. */
export async function launchSession(
  services: LaunchParts,
  request: LaunchRequest,
  context: RequestContext,
): Promise<LiveSession> {
  const prepared = await prepareLaunch(services, request, context.client, 'pipes');
  return await startPrepared(services, prepared, request, context);
}

/** Starts what was prepared: nothing is left, running or on disk, when it throws. */
export async function startPrepared(
  services: LaunchParts,
  prepared: PreparedLaunch,
  request: LaunchRequest,
  context: RequestContext,
): Promise<LiveSession> {
  const { session, spec } = prepared;
  let stage: Stage | null = null;
  try {
    const { cwd, env } = spec;
    services.register(session, { ...request, cwd, env, envMode: 'replace', requestId: null });
    if (request.ui === true) {
      context.progress('starting a display');
      stage = await services.displays.start(session, env['PATH'] ?? '');
      if (stage.unmanaged !== null) session.note(stage.unmanaged);
    }
    context.progress('starting the program', 1, 4);
    const supervisor = await Supervisor.start({
      supervisorPath: services.supervisorPath,
      sessionDir: session.facts.directory,
      spec: stage === null ? spec : await onStage(stage, spec, session),
    });
    stage?.keepFor(supervisor.supervisorPid);
    if (stage !== null) services.displays.warm(session);
    await takeUp(services, prepared, supervisor, request, context);
    return session;
  } catch (error) {
    stage?.end();
    await session.abandon();
    services.forget(session);
    await rm(session.facts.directory, { recursive: true, force: true });
    throw error;
  }
}

async function onStage(stage: Stage, spec: LaunchSpec, session: LiveSession): Promise<LaunchSpec> {
  const [command = '', ...args] = spec.argv;
  const env: Record<string, string> = { ...spec.env, ...stage.environment };
  if (isChromium(spec.path)) {
    const paged = await withPages({ ...spec, env }, session.facts.directory);
    session.note(`debug_ui reads its pages: ${paged.argv[1]} started it.`);
    return paged;
  }
  const browser = await browserFor(session.facts.directory, env['PATH'] ?? '');
  if (browser !== null) env['BROWSER'] = browser;
  return { ...spec, argv: [command, ...javaAccess(command), ...args], env };
}

/** From a started supervisor to a running, armed program. */
export async function takeUp(
  services: LaunchParts,
  prepared: PreparedLaunch,
  supervisor: Supervisor,
  request: LaunchRequest,
  context: RequestContext,
): Promise<void> {
  const { session, claims, input, spec } = prepared;
  const claim = oneOf(claims);
  session.begin(supervisor, openIndex(services, session, false));
  if (request.runs) session.tracing.stops.process.beginBehind(request.runs);
  if (spec.stopAtExec && claim.able && supervisor.state === 'running')
    session.tracing.cannotTrace(notHeld.code, notHeld.message, notHeld.hint);
  const symbols = readSymbols(services, session, request.patterns, context);
  symbols.catch(() => undefined); // Told by debugInfoReport, unless the launch fails before.
  let trace: TraceReport | null = null;
  if (request.patterns.length === 0) trace = await armAtStart(session, request);
  if (request.patterns.length > 0 && (claim.able || spec.follow === true)) {
    context.progress('attaching and reading symbols', 2, 4);
    session.setDoing('attaching and reading symbols');
    trace = await armAtStart(session, request);
  } else if (request.patterns.length > 0) {
    session.notes.push(`The patterns were not applied: ${claim.able ? '' : claim.reason}.`);
  } else if (hasBlackBox(services, session, claims)) {
    await enterAtStart(services, session, supervisor.started.pid);
  }
  for (const path of request.toExplain ?? []) await session.tracing.programs.explainNext(path);
  context.progress('running', 3, 4);
  await start(session, supervisor, spec.stopAtExec);
  if (input) void feed(session, input);
  const debugInfo = await debugInfoReport(services.runtimes, session, symbols, SYMBOLS_PATIENCE_MS);
  await seeItsEnd(session);
  context.progress('launched', 4, 4);
  if (!spec.stopAtExec) setTimeout(() => services.runtimes.warm(), SPARE_AFTER_MS).unref();
  session.launched({
    session: session.view(context.client),
    reused: false,
    pendingPatternsApplied: request.pendingPatterns,
    // What runs is not its code alone where another runtime has to do with it.
    isSystemProgram: spec.follow === true && claims.length < 2 && isSystemPath(session.facts.image),
    trace,
    debugInfo,
    output: NO_LINES,
    tookMs: Math.round(monotonicMs() - prepared.began),
  });
}

/** A debugger that comes only into what runs is waited for: breakpoints of the first moment are met. */
async function start(session: LiveSession, supervisor: Supervisor, isHeld: boolean): Promise<void> {
  await startWithStops(session.tracing, supervisor.started.pid, supervisor, async () => {
    if (isHeld) await session.resume();
    session.running();
    return true;
  });
}

const NO_LINES: readonly OutputLine[] = [];

const notHeld = new StrobeError(
  'INSTRUMENTATION_FAILED',
  'The program could not be held at its start: its loader leaves no room behind its code, or it is not for x86-64.',
  'Attach to it while it runs (debug_launch with its pid).',
);

/** Gives the program its whole input, as fast as it reads. */
async function feed(session: LiveSession, input: Uint8Array): Promise<void> {
  try {
    await session.input.write(input, { eof: true, limitMs: null });
  } catch (error) {
    if (session.isLive)
      session.notes.push(
        `stdin was not read to its end: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

/** A fault of the instrumentation must not end the run: the program continues untraced, and the answer says so. */
async function armAtStart(
  session: LiveSession,
  { patterns, watches, probes }: Pick<LaunchRequest, 'patterns' | 'watches' | 'probes'>,
): Promise<TraceReport | null> {
  try {
    return await session.tracing.begin(patterns, watches, probes);
  } catch (error) {
    if (!(error instanceof StrobeError) || error.kind === 'caller') throw error;
    const { code, message, hint } =
      saysNoReason.has(error.code) && (await isOver(session)) ? ended : error;
    session.tracing.cannotTrace(code, message, hint);
    if (session.isLive) session.notes.push('The program runs untraced.');
    return null;
  }
}

/**
 * What comes of a process that ends while it is entered, too: hosts then tell no more than how far they
 * got, or are closed before they answer.
 */
const saysNoReason: ReadonlySet<ErrorCode> = new Set([
  'INSTRUMENTATION_FAILED',
  'SESSION_ENDED',
  'TRACER_LOST',
]);
const ended = new StrobeError(
  'SESSION_ENDED',
  'The program ended before its hooks were in place.',
  'Launch it again.',
);

/** A program that has ended is described so, though its supervisor may say it a little later. Its other threads may run on. */
async function seeItsEnd(session: LiveSession): Promise<void> {
  const { pid } = session;
  if (pid === null || !hasEnded(pid)) return;
  for (let waited = 0; session.isLive && waited < DYING_MS; waited += 10) await pause(10);
}

/** Whether the program has ended, which its supervisor may tell later than its host. */
async function isOver(session: LiveSession): Promise<boolean> {
  const { pid } = session;
  const limitMs = (): number => (pid === null || hasEnded(pid) ? END_TOLD_MS : DYING_MS);
  for (let waited = 0; session.isLive && waited < limitMs(); waited += 10) await pause(10);
  return !session.isLive;
}

/**
 * Whether a program that is not traced is entered all the same: one that cannot be entered later, and, so that its end
 * can be explained, the project's own, as it costs 60 ms at the start and 11 MB.
 */
function hasBlackBox(
  { runtimes }: LaunchParts,
  { facts }: LiveSession,
  claims: readonly Claimed[],
): boolean {
  if (runtimes.entersAtStart(claims)) return true;
  const isOwn = isBelow(facts.image, facts.projectRoot);
  return facts.limits.blackBox && isOwn && runtimes.keepsCrashes(claims);
}

/** Its exceptions are recorded too. Where it cannot be entered it runs as it is. */
async function enterAtStart(
  services: LaunchParts,
  session: LiveSession,
  pid: number,
): Promise<void> {
  try {
    session.setDoing('attaching');
    await session.tracing.enter(pid);
  } catch (error) {
    services.log.warn('session', 'no black box', {
      session: session.facts.id,
      error: String(error),
    });
  }
}

/** `continues`: an earlier daemon began the session's store. */
export function openIndex(
  services: LaunchParts,
  session: LiveSession,
  continues: boolean,
): IndexClient {
  return IndexClient.open(
    services.indexWorkers,
    {
      sessionId: session.facts.id,
      storePath: session.facts.storePath,
      outputLog: join(session.facts.directory, 'output.log'),
      startNs: session.facts.startNs.toString(),
      maxEvents: session.facts.limits.maxEvents,
      maxOutputBytes: session.facts.limits.maxOutputBytes,
      secretNames: session.facts.limits.secretNames,
      terminal: session.facts.stdin === 'terminal',
      continues,
    },
    {
      onLife: (record) => session.onLife(record),
      onProgress: (settled) => session.onProgress(settled),
      onFault: (message) => session.onFault(message),
      onMended: (trouble) => session.onMended(trouble),
    },
  );
}

/** As programs read them themselves: COLUMNS and LINES, else the size of the first terminals. */
function terminalSize(env: Readonly<Record<string, string>>): TerminalSize {
  const read = (name: string, usual: number): number => {
    const value = Number(env[name]);
    return Number.isInteger(value) && value > 0 && value <= 4096 ? value : usual;
  };
  return { columns: read('COLUMNS', 80), rows: read('LINES', 24) };
}

async function readInput(stdin: Stdin, cwd: string): Promise<Uint8Array | null> {
  if (stdin === 'open' || stdin === 'closed') return null;
  if ('text' in stdin) return Buffer.from(stdin.text, 'utf8');
  if ('base64' in stdin) return Buffer.from(stdin.base64, 'base64');
  return await readInputFile(resolve(cwd, stdin.file));
}

/** Only a plain file has an end that can be waited for: pipes and devices are refused. */
async function readInputFile(path: string): Promise<Uint8Array> {
  const refused = (why: string): StrobeError =>
    new StrobeError('BAD_PARAMETER', `stdin file ${path} ${why}.`);
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) throw refused('is not a plain file');
    if (found.size > MOST_INPUT_BYTES)
      throw refused(`is larger than ${MOST_INPUT_BYTES} bytes; write it with debug_session input`);
    return await file.readFile();
  } catch (error) {
    if (error instanceof StrobeError) throw error;
    throw refused(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function existingDirectory(path: string, name: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory()) {
    throw new StrobeError('NO_SUCH_DIRECTORY', `${name} ${path} is not an existing folder.`);
  }
  return path;
}
