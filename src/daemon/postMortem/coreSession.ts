import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { monotonicMs, monotonicNs, wallMs } from '../../base/clock.ts';
import { resolveProgram } from '../../collector/program/program.ts';
import { SessionWriter } from '../../db/writer/sessionWriter.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ExitStatus } from '../../model/outputRecord.ts';
import { signalName } from '../../model/endings/signals.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import type { RequestContext } from '../request.ts';
import { explainSnapshot } from './explainSnapshot.ts';
import { debugInfoReport } from '../tracing/programDebugInfo.ts';
import type { LaunchParts } from '../session/launchSession.ts';
import { LiveSession } from '../session/liveSession.ts';
import { newSessionId } from '../session/sessionName.ts';

/** A core file and the program it is of. */
export interface CoreRequest {
  readonly core: string;
  readonly command: string;
  readonly cwd: string | null;
  readonly projectRoot: string;
  readonly redact: boolean;
}

/** A session of a process that is dead: it holds one crash and nothing else. */
export async function coreSession(
  services: LaunchParts,
  request: CoreRequest,
  context: RequestContext,
): Promise<LiveSession> {
  const began = monotonicMs();
  const { client } = context;
  const cwd = resolve(client.cwd, request.cwd ?? '.');
  const program = await resolveProgram(request.command, { cwd, env: client.env });
  const core = resolve(cwd, request.core);
  context.progress('reading the core file', 1, 2);
  const { snapshot, commandLine } = await services.stacks.symbols.readCore(core);
  const id = newSessionId(request.command);
  const directory = join(services.sessionsDirectory, id);
  await mkdir(directory, { mode: 0o700 });
  const limits = services.limitsFor(request.projectRoot, client).value;
  const session = new LiveSession(
    {
      id,
      command: [request.command],
      cwd,
      projectRoot: request.projectRoot,
      image: program.image,
      directory,
      storePath: join(directory, 'session.db'),
      startNs: monotonicNs(),
      startedAtMs: wallMs(),
      owner: client,
      onClientExit: 'keep',
      stdin: 'closed',
      requestId: null,
      follow: 'none',
      isAttached: false,
      capturesOutput: false,
      limits: request.redact ? limits : { ...limits, secretNames: [] },
    },
    services,
    services.onState,
  );
  try {
    const own = ofProgram(snapshot, program.image);
    const report = await explainSnapshot(own, session.facts, services.stacks);
    const crash = { time: 0, pid: snapshot.pid, report };
    writeCrash(session, crash);
    services.register(session, null);
    session.notes.push(
      `Read from the core file ${core}${commandLine === '' ? '' : ` of: ${commandLine}`}`,
    );
    session.diedBefore(snapshot.pid, exitOf(snapshot), crash);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  const symbols = services.stacks.symbols
    .open(program.image)
    .then((summary) => session.tracing.symbols.note(summary));
  const debugInfo = await debugInfoReport(
    services.runtimes,
    session,
    symbols,
    DEBUG_INFO_PATIENCE_MS,
  );
  session.launched({
    session: session.view(client),
    reused: false,
    pendingPatternsApplied: 0,
    trace: null,
    debugInfo,
    output: [],
    tookMs: Math.round(monotonicMs() - began),
  });
  return session;
}

const DEBUG_INFO_PATIENCE_MS = 10_000;

function writeCrash(session: LiveSession, crash: StoredCrash): void {
  const { facts } = session;
  using writer = SessionWriter.open(facts.storePath, { sessionId: facts.id });
  writer.appendCrash(crash);
  writer.commit(0);
}

/** A core names the program as it was called; it may have been moved or copied since. */
function ofProgram(snapshot: Snapshot, image: string): Snapshot {
  const first = snapshot.mappings.find((mapping) => mapping.path.startsWith('/'))?.path;
  const isKnown = snapshot.mappings.some((mapping) => mapping.path === image);
  if (isKnown || first === undefined) return snapshot;
  return {
    ...snapshot,
    mappings: snapshot.mappings.map((mapping) =>
      mapping.path === first ? { ...mapping, path: image } : mapping,
    ),
    problems: [
      ...snapshot.problems,
      `The core names the program ${first}; ${image} is read for it.`,
    ],
  };
}

function exitOf({ signal }: Snapshot): ExitStatus {
  if (signal === null)
    throw new StrobeError(
      'BAD_BINARY',
      'The core file does not say which signal ended the program.',
    );
  const { number } = signal;
  return { kind: 'signalled', signal: signalName(number), number, coreDumped: true };
}
