import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNs } from '../../../src/base/clock.ts';
import { within } from '../../../src/base/deadline.ts';
import { installPaths } from '../../../src/base/installPaths.ts';
import { Keeper } from '../../../src/collector/supervisor/supervisorClient.ts';
import type { LaunchSpec } from '../../../src/collector/supervisor/launchSpec.ts';
import { OutputLogReader } from '../../../src/collector/supervisor/outputLog.ts';
import type { ExitStatus, LogRecord } from '../../../src/model/outputRecord.ts';
import { isAlive } from '../../support/processes.ts';

/** A keeper in a folder of its own, with all that its log held so far. */
export interface KeeperSession extends AsyncDisposable {
  readonly sessionDir: string;
  readonly keeper: Keeper;
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
  /** Drops this connection and takes the same keeper over with a new one. */
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

export async function openSession(spec: LaunchSpec): Promise<KeeperSession> {
  const sessionDir = mkdtempSync(join(tmpdir(), 'sk-'));
  const t0 = monotonicNs();
  try {
    return await attach(sessionDir, spec, t0);
  } catch (error) {
    rmSync(sessionDir, { recursive: true, force: true });
    throw error;
  }
}

/** Resolves when the keeper has told that everything of the target is gone. */
export async function ended(keeper: Keeper): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (keeper.state === 'ended') resolve();
    };
    keeper.onState(check);
    check();
  });
}

async function attach(sessionDir: string, spec: LaunchSpec, t0: bigint): Promise<KeeperSession> {
  let keeper = await Keeper.start({ keeperPath: installPaths().keeper, sessionDir, spec });
  const log = OutputLogReader.open(keeper.logPath, t0);
  const records: LogRecord[] = [];
  let wake = (): void => {};
  const listen = (): void => {
    keeper.onGrown(() => wake());
    keeper.onClosed(() => wake());
  };
  listen();
  const session: KeeperSession = {
    sessionDir,
    t0,
    records,
    get keeper() {
      return keeper;
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
        if (one.kind === 'exited' && one.pid === keeper.started.pid) return one.exit;
      return null;
    },
    async readopt() {
      keeper.close();
      keeper = await Keeper.adopt(sessionDir);
      listen();
    },
    async [Symbol.asyncDispose]() {
      await keeper.quit().catch(() => undefined);
      await keeper.signal('SIGKILL', { group: true }).catch(() => undefined);
      keeper.close();
      log.close();
      if (isAlive(keeper.started.pid)) process.kill(keeper.started.pid, 'SIGKILL');
      rmSync(sessionDir, { recursive: true, force: true });
    },
  };
  return session;
}
