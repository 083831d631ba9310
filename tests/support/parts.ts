import type { TestHome } from './home.ts';
import { isAlive, processesWith, until } from './processes.ts';

/** Processes of a home by what they are. */
const commands = {
  daemon: /daemon\.js$/,
  supervisor: /dist\/supervisor/,
  standby: /^strobe-standby/,
  /** A standby whose supervisor was killed. */
  successor: /^strobe-supervisor/,
  host: /sidecar/,
  stopper: /dist\/stopper/,
  /** Of programs that are traced from outside. */
  outside: /dist\/outside /,
  stage: /dist\/stage/,
  windowManager: /^\S*bin\/openbox/,
  display: /^\S*bin\/Xvfb/,
} as const;

export function partsOf(home: TestHome, part: keyof typeof commands): number[] {
  return processesWith(`STROBE_HOME=${home.path}`)
    .filter((one) => commands[part].test(one.command))
    .map((one) => one.pid);
}

/** The only one of its kind. */
export function partOf(home: TestHome, part: keyof typeof commands): number {
  const [pid, ...others] = partsOf(home, part);
  if (pid === undefined || others.length > 0)
    throw new Error(`there are ${others.length + (pid ? 1 : 0)} of ${part}, not one`);
  return pid;
}

/** Kills all of a kind, of which there must be some, without waiting for their end. */
export function killParts(home: TestHome, part: keyof typeof commands): void {
  const pids = partsOf(home, part);
  if (pids.length === 0) throw new Error(`there is no ${part}`);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

export async function killDaemon(home: TestHome): Promise<void> {
  const daemon = partOf(home, 'daemon');
  process.kill(daemon, 'SIGKILL');
  await until('the daemon is gone', () => !isAlive(daemon));
}
