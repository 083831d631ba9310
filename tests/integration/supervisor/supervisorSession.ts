import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNs } from '../../../src/base/clock.ts';
import { within } from '../../../src/base/deadline.ts';
import { installPaths } from '../../../src/base/installPaths.ts';
import { Supervisor } from '../../../src/collector/supervisor/supervisorClient.ts';
import type { LaunchSpec } from '../../../src/collector/supervisor/launchSpec.ts';
import { OutputLogReader } from '../../../src/collector/supervisor/outputLog.ts';
import type { ExitStatus, LogRecord } from '../../../src/model/outputRecord.ts';
import { isAlive, killQuietly } from '../../support/processes.ts';

/** A supervisor in a folder of its own, with all that its log held so far. */
export interface SupervisorSession extends AsyncDisposable {
  readonly sessionDir: string;
  readonly supervisor: Supervisor;
  readonly records: LogRecord[];
  readonly t0: bigint;
  /** Reads on until `wanted` holds; fails after 15 s. */
  until(wanted: (records: readonly LogRecord[]) => boolean): Promise<readonly LogRecord[]>;
  /** Reads to the `ended` record. */
  end(): Promise<readonly LogRecord[]>;
  bytes(stream: 'stdout' | 'stderr'): Buffer;
  text(stream: 'stdout' | 'stderr'): string;
  /** Of the target. */
  exit(): ExitStatus | null;
  /** Drops this connection and takes the same supervisor over with a new one. */
  readopt(): Promise<void>;
}

const usual = {
  env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
  cwd: '/',
  stdin: 'closed',
  stdio: 'pipes',
  stopAtExec: false,
} as const;

export function shell(script: string, further: Partial<LaunchSpec> = {}): LaunchSpec {
  return { ...usual, path: '/bin/sh', argv: ['sh', '-c', script], ...further };
}

export function program(argv: readonly string[], further: Partial<LaunchSpec> = {}): LaunchSpec {
  return { ...usual, path: argv[0] ?? '', argv, ...further };
}

export async function openSession(
  spec: LaunchSpec,
  supervisorPath = installPaths().supervisor,
): Promise<SupervisorSession> {
  const sessionDir = mkdtempSync(join(tmpdir(), 'sk-'));
  const t0 = monotonicNs();
  try {
    return await attach(sessionDir, spec, t0, supervisorPath);
  } catch (error) {
    rmSync(sessionDir, { recursive: true, force: true });
    throw error;
  }
}

/** Resolves when the supervisor has told that everything of the target is gone. */
export async function ended(supervisor: Supervisor): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (supervisor.state === 'ended') resolve();
    };
    supervisor.onState(check);
    check();
  });
}

async function attach(
  sessionDir: string,
  spec: LaunchSpec,
  t0: bigint,
  supervisorPath: string,
): Promise<SupervisorSession> {
  let supervisor = await Supervisor.start({
    supervisorPath,
    sessionDir,
    spec,
  });
  const log = OutputLogReader.open(supervisor.logPath, t0);
  const records: LogRecord[] = [];
  let wake = (): void => {};
  const listen = (): void => {
    supervisor.onGrown(() => wake());
    supervisor.onClosed(() => wake());
  };
  listen();
  const session: SupervisorSession = {
    sessionDir,
    t0,
    records,
    get supervisor() {
      return supervisor;
    },
    async until(wanted) {
      for (;;) {
        const grown = new Promise<void>((resolve) => (wake = resolve));
        const more = log.read();
        records.push(...more);
        if (wanted(records)) return records;
        const late = (): Error =>
          new Error(
            `not within 15 s; the log ends with ${records
              .slice(-5)
              .map((one) => one.kind)
              .join(' ')}`,
          );
        if (more.length === 0) await within(15_000, grown, late);
      }
    },
    end: () => session.until((all) => all.at(-1)?.kind === 'ended'),
    bytes: (stream) =>
      Buffer.concat(
        records.flatMap((one) =>
          one.kind === 'output' && one.stream === stream ? [one.bytes] : [],
        ),
      ),
    text: (stream) => session.bytes(stream).toString(),
    exit() {
      for (const one of records)
        if (one.kind === 'exited' && one.pid === supervisor.started.pid) return one.exit;
      return null;
    },
    async readopt() {
      supervisor.close();
      supervisor = await Supervisor.adopt(sessionDir);
      listen();
      wake(); // The log may have grown before.
    },
    async [Symbol.asyncDispose]() {
      await supervisor.quit().catch(() => undefined);
      await supervisor.signal('SIGKILL', { group: true }).catch(() => undefined);
      supervisor.close();
      log.close();
      if (isAlive(supervisor.started.pid)) killQuietly(supervisor.started.pid);
      rmSync(sessionDir, { recursive: true, force: true });
    },
  };
  return session;
}
