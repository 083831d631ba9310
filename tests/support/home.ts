import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killQuietly, processesWith, until } from './processes.ts';
import { packageRoot, runStrobe } from './strobe.ts';

/** A STROBE_HOME of a test's own, with everything that was started in it. */
export interface TestHome {
  readonly path: string;
  /** A folder that may be used as cwd and projectRoot. */
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** What a command begins with so that it runs as the user the home belongs to. */
  readonly prefix: readonly string[];
  /** Something to be closed before the daemon is stopped: a test that fails does not close it. */
  onClose(close: () => Promise<void>): void;
  /** Processes of this home that live now: proxies, daemon, supervisors, hosts, targets. */
  processes(): string[];
  /**
   * Stops the daemon, fails when any process of this home is still alive after it, and removes
   * the folder. `expected`: programs (by pid) the test left running on purpose; they are killed.
   */
  close(expected?: readonly number[]): Promise<void>;
}

/** Frida is provisioned once per clone (tests/support/builtProduct.ts) and shared by all homes. */
const runtime = join(packageRoot, '.cache', 'home', 'runtime');

/** Unprivileged users (need root). A loner is no other test's: what it has by its name is its alone. */
export const userIds = { nobody: 65_534, loner: 65_533 } as const;

/** Whose the home is. */
export type HomeUser = 'us' | keyof typeof userIds;

function prefixOf(user: HomeUser): readonly string[] {
  if (user === 'us') return [];
  const id = userIds[user];
  return ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--inh-caps=-all'];
}

/** Makes a fresh home below `parent`; `settings` are variables for its daemon. */
export function openHome(
  settings: Readonly<Record<string, string>> = {},
  parent = tmpdir(),
  user: HomeUser = 'us',
): TestHome {
  const path = mkdtempSync(join(parent, 'st-'));
  const project = join(path, 'project');
  mkdirSync(project);
  if (user === 'us' && existsSync(runtime)) symlinkSync(runtime, join(path, 'runtime'));
  if (user !== 'us') {
    if (existsSync(runtime)) cpSync(runtime, join(path, 'runtime'), { recursive: true });
    execFileSync('chown', ['-R', `${userIds[user]}:${userIds[user]}`, path]);
  }
  const prefix = prefixOf(user);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(VITEST|NODE_OPTIONS|NODE_ENV|STROBE_)/.test(name))
      env[name] = value;
  }
  Object.assign(env, settings, { STROBE_HOME: path });
  const mine = () => processesWith(`STROBE_HOME=${path}`);
  const closers: (() => Promise<void>)[] = [];
  return {
    path,
    project,
    env,
    prefix,
    onClose: (close) => void closers.push(close),
    processes: () => mine().map((one) => `${one.pid} ${one.command}`),
    async close(expected = []) {
      await Promise.all(closers.map((close) => close()));
      await runStrobe({ env, cwd: project, prefix }, ['daemon', 'stop']);
      for (const pid of expected) killQuietly(pid);
      try {
        await until('every process of the home has ended', () => mine().length === 0, 15_000);
      } catch {
        const left = mine();
        for (const one of left) killQuietly(one.pid);
        throw new Error(
          `left running:\n${left.map((one) => `${one.pid} ${one.command}`).join('\n')}`,
        );
      } finally {
        rmSync(path, { recursive: true, force: true });
      }
    },
  };
}
