import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { giveBackMemory } from '../base/heap.ts';
import { installPaths, type InstallPaths } from '../base/installPaths.ts';
import type { Channel } from '../collector/channels/channel.ts';
import { ChannelList } from '../collector/channels/channels.ts';
import { HostPool } from '../collector/frida/hostPool.ts';
import { Catalog } from '../db/catalog.ts';
import { TestHistory } from '../db/testHistory.ts';
import { QueryClient } from '../db/queryClient.ts';
import { SqlProcesses } from '../db/sql/sqlClient.ts';
import type { Outcome } from '../model/problem.ts';
import { keptAnswers } from '../protocol/keptAnswers.ts';
import { parseInput } from '../protocol/parseInput.ts';
import type { Settings } from '../protocol/settingsSchema.ts';
import { debugChannel } from '../protocol/tools/debugChannel.ts';
import { debugQuery as queryContract } from '../protocol/tools/debugQuery.ts';
import { debugUi } from '../protocol/tools/debugUi.ts';
import { SymbolIndex } from '../symbols/native/symbolIndex.ts';
import { ClockWatch } from './clockWatch.ts';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import { adoptAll } from './session/adoption.ts';
import type { LaunchParts } from './session/launchSession.ts';
import type { SessionLimits } from './session/sessionFacts.ts';
import { PastSessions } from './session/pastSessions.ts';
import { queryTarget } from './session/queryTarget.ts';
import { Retention, type RetentionParts } from './session/retention.ts';
import { makeRun } from './run/runToEnd.ts';
import { Rewriter } from './rewriting/rewriter.ts';
import { IndexWorkers } from './indexing/indexWorkers.ts';
import { Sessions, idOf } from './session/sessions.ts';
import { Exports } from './export/exports.ts';
import type { PackParts } from './export/packing.ts';
import { loadSettings } from './settings.ts';
import { TestRuns } from './testing/testRuns.ts';
import { codeNames } from './postMortem/codeNames.ts';
import { allRuntimes, stackReaders, type RuntimeParts } from './runtimes.ts';
import { RuntimeList, type Runtime } from './tracing/runtimeList.ts';
import { removeDrafts } from './export/writtenFile.ts';
import { withProxies } from './tools/channelProxies.ts';
import { makeDebugChannel } from './tools/debugChannel.ts';
import { makeDebugContinue } from './tools/debugContinue.ts';
import { makeDebugInspect } from './tools/debugInspect.ts';
import { makeDebugMemory } from './tools/debugMemory.ts';
import { makeDebugLaunch } from './tools/debugLaunch.ts';
import { makeDebugQuery, makeExport, type DebugQueryParts } from './tools/debugQuery.ts';
import { makeDebugSession, type Desk } from './tools/debugSession.ts';
import { makeDebugTest, makeStartTests, type StartTests } from './tools/debugTest.ts';
import { makeDebugBreakpoint } from './tools/debugBreakpoint.ts';
import { makeDebugTrace } from './tools/debugTrace.ts';
import { makeDebugUi } from './tools/debugUi.ts';
import { Recordings } from './scenario/recordings.ts';
import { Scenarios } from './scenario/scenarios.ts';
import { Displays } from './ui/displays.ts';
import { makeEditor } from './dap/makeEditor.ts';
import { completions } from './completions.ts';
import type { Client, ToolHandler } from './request.ts';

export interface ComposeOptions {
  readonly home: string;
  readonly settings: Settings;
  readonly log: Log;
  /** Of tests: runtimes besides those of src/daemon/runtimes.ts. */
  readonly moreRuntimes?: readonly Runtime[];
  /** Of tests: channels besides those of src/collector/channels/channels.ts. */
  readonly moreChannels?: readonly Channel[];
}

/** Puts the daemon together: the one place that knows which part is built from which. */
export async function compose(options: ComposeOptions): Promise<Daemon> {
  const { home, settings, log } = options;
  const paths = installPaths();
  const sessionsDirectory = await ownFolder(home, 'sessions');
  const cacheDir = await ownFolder(home, 'cache', 'symbols');
  const catalog = Catalog.open(join(home, 'strobe.db'));
  const past = new PastSessions(catalog, log);
  const sessions = new Sessions(past);
  const clocks = clockWatch(log, sessions);
  const queries = QueryClient.start(paths.queryWorker);
  const kept = { catalog, sessionsDirectory, settings, log, ageingMs: () => clocks.ageingMs() };
  const retention = retentionOf(kept, { sessions, queries });
  const symbols = await SymbolIndex.start(paths.symbolWorker, { cacheDir });
  const indexWorkers = new IndexWorkers(paths.indexWorker);
  const sql = new SqlProcesses(paths.sqlMain);
  const stacks = stackParts(symbols, paths);
  const runtimes = runtimeList(options, paths, stacks);
  const ready = readiness([runtimes, indexWorkers, queries, symbols, sql]);
  const displays = new Displays(paths, settings['vision.command']);
  const services: LaunchParts = {
    runtimes,
    stacks,
    queries,
    supervisorPath: paths.supervisor,
    displays,
    watcherPath: paths.watcher,
    log,
    indexWorkers,
    sessionsDirectory,
    limitsFor: (projectRoot, client) => sessionLimits(home, projectRoot, client.env),
    onState(session) {
      sessions.changed(session);
      displays.changed(session);
      if (session.isFinished) retention.purgeSoon();
    },
    register: (session, again) => sessions.register(session, again),
    forget: (session) => sessions.forget(session),
  };
  const tests = await composeTests(options, services, { queries, sessions });
  const awaited = await adoptAll(services, sessions, past);
  retention.begin();
  const packing = packParts({ home, sessionsDirectory, past }, paths);
  const answers = { queries, answerBudget: settings['answer.budget'] };
  const desk = { services, sessions, retention, packing, ...answers };
  const exports = await exportsOf(home, paths);
  const requests = toolParts(desk, tests, { ...options, paths, exports, sql });
  return {
    ...requests,
    complete: async (asked, client) =>
      completions({ sessions, queries, history: tests.history }, asked, client),
    defaultSession: (client) => sessions.defaultOf(client),
    clientArrived(client) {
      tests.runs.clientArrived(client.id);
      ready.warm();
    },
    rest: () => ready.rest(),
    async clientGone(client) {
      tests.runs.clientGone(client.id);
      await Promise.all([requests.run.clientGone(client.id), sessions.ownerGone(client.id)]);
    },
    awaited,
    get busy() {
      return sessions.anyLive || tests.runs.anyLive || exports.anyRunning;
    },
    get holding() {
      return sessions.staging.any;
    },
    get figures() {
      return { running: sessions.running, ...retention.figures };
    },
    async close() {
      await Promise.all([sessions.closeAll(), tests.runs.closeAll(), exports.close()]);
      await retention.close();
      clocks.close();
      await Promise.all([ready.close(), displays.close()]);
      tests.history.close();
      catalog.close();
    },
  };
}

/** A step of the clock is said of each session. */
function clockWatch(log: Log, sessions: Sessions): ClockWatch {
  return new ClockWatch((sentence) => {
    log.warn('daemon', sentence);
    sessions.noteAll(sentence);
  });
}

function retentionOf(
  parts: Omit<RetentionParts, 'isBusy' | 'removed'>,
  { sessions, queries }: { readonly sessions: Sessions; readonly queries: QueryClient },
): Retention {
  return new Retention({
    ...parts,
    isBusy: (id) => sessions.isBusy(id),
    removed(id) {
      queries.forget(join(parts.sessionsDirectory, id, 'session.db'));
      sessions.removed(id);
    },
  });
}

function packParts(
  places: Pick<PackParts, 'home' | 'sessionsDirectory' | 'past'>,
  { packWorker, version }: InstallPaths,
): PackParts {
  return { ...places, workerPath: packWorker, version };
}

interface Spare {
  warm?(): void;
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** What is kept ready while somebody is there; it rests once for each time that nobody is. */
function readiness(spares: readonly Spare[]) {
  let rests = false;
  return {
    warm() {
      rests = false;
      for (const part of spares) part.warm?.();
    },
    rest() {
      if (rests) return;
      rests = true;
      void Promise.allSettled(spares.map(async (part) => part.rest())).then(giveBackMemory);
    },
    async close() {
      await Promise.allSettled(spares.map(async (part) => part.close()));
    },
  };
}

/** Of what channels start. */
function channelPaths(home: string): ConstructorParameters<typeof ChannelList>[0] {
  return { ...installPaths(), path: process.env['PATH'] ?? '', run: join(home, 'run') };
}

/** What answers requests. */
function toolParts(
  desk: Desk,
  tests: { readonly handler: Daemon['handlers']['debug_test']; readonly start: StartTests },
  {
    home,
    paths,
    exports,
    sql,
    moreChannels,
  }: ComposeOptions & { paths: InstallPaths; exports: Exports; sql: SqlProcesses },
): Pick<Daemon, 'handlers' | 'run' | 'editor'> {
  const { services, sessions, retention, queries, answerBudget } = desk;
  const queryParts: DebugQueryParts = {
    resolve: (wanted, client) => queryTarget(sessions.resolve(wanted, client), client),
    queries,
    runSql: (question, signal) => sql.run(question, signal),
    exporting: { exports, home, version: paths.version },
    codeNames: (storePath, answer) => codeNames(services.stacks.symbols, storePath, answer),
    answerBudget,
  };
  const kept =
    <Input extends { readonly sessionId?: string }>(
      answer: ToolHandler<Input>,
    ): ToolHandler<Input> =>
    async (input, context) =>
      retention.keepFor(idOf(sessions.resolve(input.sessionId, context.client)), () =>
        answer(input, context),
      );
  const debugQuery = kept(makeDebugQuery(queryParts));
  const channels = new ChannelList(channelPaths(home), moreChannels);
  const recordings = new Recordings(sessions, services.displays, home);
  const scenarios = new Scenarios({
    sessions,
    channels,
    displays: services.displays,
    answerBudget,
    call: async ({ tool, request }, context) => {
      if (tool === 'debug_ui') return handlers.debug_ui(parseInput(debugUi, request), context);
      if (tool === 'debug_query') return debugQuery(parseInput(queryContract, request), context);
      return handlers.debug_channel(parseInput(debugChannel, request), context);
    },
  });
  const handlers: Daemon['handlers'] = {
    debug_launch: makeDebugLaunch(services, sessions, { queries, debugQuery, answerBudget }),
    debug_session: makeDebugSession(desk, kept(makeExport(queryParts))),
    debug_trace: makeDebugTrace(sessions, answerBudget),
    debug_query: debugQuery,
    debug_test: tests.handler,
    debug_breakpoint: makeDebugBreakpoint(sessions, queries, answerBudget),
    debug_continue: makeDebugContinue(sessions, answerBudget),
    debug_inspect: makeDebugInspect(sessions, answerBudget),
    debug_memory: makeDebugMemory(sessions, answerBudget),
    debug_channel: withProxies(
      channels,
      answerBudget,
      kept(
        recordings.ofChannels(
          makeDebugChannel({
            channels,
            sessions,
            queries,
            debugQuery,
            answerBudget,
            home,
            run: async (input, context) => scenarios.run(input, context),
            record: async (input, context) => recordings.record(input, context),
          }),
        ),
      ),
    ),
    debug_ui: recordings.ofWindows(
      makeDebugUi(sessions, services.displays, queries, { home, answerBudget }),
    ),
  };
  return {
    handlers,
    run: makeRun(services, sessions, debugQuery),
    editor: makeEditor(handlers, sessions, { queries, startTests: tests.start }),
  };
}

function hostPool({ home, settings, log }: ComposeOptions, paths: InstallPaths): HostPool {
  return new HostPool({
    home,
    settings,
    paths,
    log: (message, detail) => log.info('frida', message, detail),
  });
}

function stackParts(
  symbols: SymbolIndex,
  { engine, sampler }: ReturnType<typeof installPaths>,
): RuntimeParts['stacks'] {
  return { symbols, enginePath: engine, samplerPath: sampler, readers: stackReaders };
}

function runtimeList(
  options: ComposeOptions,
  paths: InstallPaths,
  stacks: RuntimeParts['stacks'],
): RuntimeList {
  const agent = quietly(readFile(paths.agent, 'utf8'));
  const rewriter = new Rewriter(paths.rewriteWorker, join(options.home, keptAnswers.folder));
  const own = allRuntimes({
    stacks,
    hosts: hostPool(options, paths),
    agentSource: () => agent,
    spotterPath: paths.spotter,
    stopperPath: paths.stopper,
    adapters: {
      use: options.settings['adapters.use'],
      delve: options.settings['adapters.delve'],
      gdb: options.settings['adapters.gdb'],
      lldb: options.settings['adapters.lldb'],
      debugpy: options.settings['adapters.debugpy'],
      named: options.settings['adapters.named'],
    },
    outsidePath: paths.outside,
    outsideTargetPath: paths.outsideTarget,
    pythonPath: paths.python,
    stopsPath: join(options.home, 'run', 'stops.sock'),
    nodePath: paths.node,
    nodePreloadPath: paths.nodePreload,
    nodeStartPath: paths.nodeStart,
    rewriteSocket: join(options.home, 'run', 'js.sock'),
    nodeLinkSocket: join(options.home, 'run', 'jsLink.sock'),
    rewriter,
    log: options.log,
  });
  return new RuntimeList([...own, ...(options.moreRuntimes ?? [])]);
}

async function exportsOf(home: string, { exportWorker }: InstallPaths): Promise<Exports> {
  removeDrafts(await ownFolder(home, 'drafts'));
  return new Exports(exportWorker);
}

async function ownFolder(...parts: readonly string[]): Promise<string> {
  const folder = join(...parts);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A failure is told when the result is needed. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** What runs tests; `history` is closed after everything that writes to it. */
async function composeTests(
  { home, settings, log }: ComposeOptions,
  launch: LaunchParts,
  of: { readonly queries: QueryClient; readonly sessions: Sessions },
) {
  const history = TestHistory.open(join(home, 'strobe.db'));
  const runs = new TestRuns({
    queries: of.queries,
    session: (id, client) => queryTarget(of.sessions.resolve(id, client), client),
    history,
    launch,
    supervisorPath: launch.supervisorPath,
    folder: join(home, 'tests'),
    log,
    patienceMs: settings['daemon.idleMinutes'] * 60_000,
  });
  await runs.adoptAll();
  const desk = {
    runs,
    reporters: installPaths().testReporters,
    history,
    answerBudget: settings['answer.budget'],
  };
  return { history, runs, handler: makeDebugTest(desk), start: makeStartTests(desk) };
}

/**
 * Read anew for each session, so that a changed file counts from the next launch on, and with the
 * environment of who launches it.
 */
function sessionLimits(
  home: string,
  projectRoot: string,
  env: Client['env'],
): Outcome<SessionLimits> {
  const homeFile = join(home, 'settings.json');
  const { value, problems } = loadSettings({ homeFile, projectRoot, env });
  return {
    value: {
      ringSlots: value['ring.slots'],
      ringBytes: value['ring.bytesPerThread'],
      sampling: {
        callsPerSecond: value['sampling.callsPerSecond'],
        every: Math.round(1 / value['sampling.rate']),
      },
      maxEvents: value['events.maxPerSession'],
      maxOutputBytes: value['output.maxBytesPerSession'],
      maxOverflowBytes: value['ring.overflowBytes'],
      stopMs: value['stops.maxSeconds'] * 1000,
      blackBox: value['crashes.alwaysExplained'],
      secretNames: value['redaction.names'],
    },
    problems,
  };
}
