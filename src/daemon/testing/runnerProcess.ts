import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { resolveProgram } from '../../collector/program/program.ts';
import { StrobeError } from '../../model/errors.ts';
import type { Client } from '../request.ts';
import type { TestPlan } from '../../testing/adapter.ts';

/** Output of a run that is kept and read; what comes after is counted as lost. */
const maxLogBytes = 512 << 20;

/** The process of a test runner, whoever is its parent: its output log and a hold on its tree. */
export interface RunnerProcess {
  readonly pid: number;
  /** The log of its output, as native/supervisor writes it. */
  readonly logPath: string;
  /** CLOCK_MONOTONIC of its start. */
  readonly startNs: bigint;
  /** The traced session it belongs to, or null. */
  readonly sessionId: string | null;
  onGrown(callback: () => void): void;
  /** The log does not grow any more: the tree has ended, or its supervisor is lost. */
  onGone(callback: () => void): void;
  signalTree(name: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Everything was read: what is left of the process may end. */
  letGo(): Promise<void>;
}

/** Where and as whom a plain run starts. */
export interface PlainStart {
  readonly supervisorPath: string;
  readonly folder: string;
  readonly plan: TestPlan;
  readonly env: Readonly<Record<string, string>>;
  readonly client: Pick<Client, 'umask' | 'resources'>;
  /** How the framework is installed, for the error when its program is missing. */
  readonly install: string;
}

/** Starts a runner under a supervisor of its own: untraced, with its true status and whole output. */
export async function startPlain(start: PlainStart): Promise<RunnerProcess> {
  const { plan, folder } = start;
  const env = { ...start.env, ...plan.env };
  const program = await resolveProgram(plan.command, { cwd: plan.cwd, env }).catch(
    (error: unknown) => {
      if (!(error instanceof StrobeError) || error.code !== 'PROGRAM_NOT_FOUND') throw error;
      throw new StrobeError('RUNNER_MISSING', error.message, `Install it: ${start.install}.`);
    },
  );
  const supervisor = await Supervisor.start({
    supervisorPath: start.supervisorPath,
    sessionDir: folder,
    spec: {
      path: program.path,
      argv: [plan.command, ...plan.args],
      env,
      cwd: plan.cwd,
      stdin: 'closed',
      stdio: 'pipes',
      stopAtExec: false,
      umask: start.client.umask,
      resources: start.client.resources ?? null,
      maxLogBytes,
    },
  });
  return underSupervisor(supervisor);
}

/**
 * The runner of a run that an earlier daemon started; one whose supervisor has ended is known by its
 * log alone. Null when there is no log.
 */
export async function adoptPlain(folder: string, pid: number): Promise<RunnerProcess | null> {
  const logPath = join(folder, 'output.log');
  if (!existsSync(logPath)) return null;
  try {
    return underSupervisor(await Supervisor.adopt(folder));
  } catch {
    return {
      pid,
      logPath,
      startNs: 0n,
      sessionId: null,
      onGrown: () => undefined,
      onGone: (callback) => callback(),
      signalTree: () => Promise.resolve(),
      letGo: () => Promise.resolve(),
    };
  }
}

function underSupervisor(supervisor: Supervisor): RunnerProcess {
  return {
    pid: supervisor.started.pid,
    logPath: supervisor.logPath,
    startNs: supervisor.started.monotonicNs,
    sessionId: null,
    onGrown: (callback) => void supervisor.onGrown(callback),
    onGone: (callback) => void supervisor.onClosed(callback),
    async signalTree(name) {
      await supervisor.signal(name, { group: true }).catch((error: unknown) => {
        const isOver = error instanceof StrobeError && error.code === 'SESSION_ENDED';
        if (!isOver) throw error;
      });
    },
    async letGo() {
      await supervisor.quit().catch(() => undefined); // It may have gone with its tree.
      supervisor.close();
    },
  };
}
