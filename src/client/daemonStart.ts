import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { monotonicMs, wallMs } from '../base/clock.ts';
import { pause } from '../base/deadline.ts';
import { homeOf, openHome, type Home } from '../base/home.ts';
import { installPaths, type InstallPaths } from '../base/installPaths.ts';
import { startDetached } from '../base/process.ts';
import type { HelloRequest } from '../protocol/socket.ts';
import { ClientError } from './clientError.ts';
import { DaemonLink } from './daemonLink.ts';
import { environment } from './inherited.ts';

/** How long a daemon may take from its start to its socket. */
const startMs = 20_000;

/** One client starts the daemon, the others wait for it this long before they try themselves. */
const starterMs = 5_000;

const retryMs = 20;

/** A client of an older installation may be quicker to start its own daemon again. */
const mostReplaced = 3;

/** Bytes of the daemon's last words that are kept. */
const lastWordsBytes = 1 << 20;

/** Characters of them that an answer tells. */
const longestWords = 300;

/** The home of this environment, checked; throws UNSAFE_HOME, HOME_READ_ONLY or PATH_TOO_LONG. */
export function checkedHome(): Home {
  const home = homeOf(process.env);
  const problem = openHome(home);
  if (problem) throw new ClientError(problem.code, problem.message);
  return home;
}

/** The daemon that is running, or null. */
export async function runningDaemon(hello: HelloRequest): Promise<DaemonLink | null> {
  return await DaemonLink.open(checkedHome().socket, hello);
}

/** A daemon, and what is unusual about it. */
export interface FoundDaemon {
  readonly link: DaemonLink;
  /** A sentence about a daemon of another version that cannot be replaced now. */
  readonly note: string | null;
  /** How its process ended, like `SIGSEGV` or `status 1`, with its last words, once it has; null where another client started it. */
  readonly death: Promise<string> | null;
}

/**
 * Finds the daemon, starting it when there is none and replacing an older one that nobody needs.
 * Throws DAEMON_UNREACHABLE with the daemon's own words when it cannot be started.
 */
export async function findDaemon(hello: HelloRequest): Promise<FoundDaemon> {
  const home = checkedHome();
  const paths = installPaths();
  for (let replaced = 0; ; replaced++) {
    const running = await DaemonLink.open(home.socket, hello);
    const { link, death } = running
      ? { link: running, death: null }
      : await startDaemon(home, paths, hello);
    const age = compareToOurs(link, paths);
    if (age !== 'older')
      return { link, note: age === 'newer' ? versionNote(link, 'newer') : null, death };
    if (replaced === mostReplaced || link.hello.busy || !(await link.askToEnd(true)))
      return { link, note: versionNote(link, 'older'), death };
    await link.closed();
  }
}

function versionNote(link: DaemonLink, age: 'older' | 'newer'): string {
  const daemon = `The daemon (version ${link.hello.version}, pid ${link.hello.pid}) is ${age} than this command`;
  return age === 'newer'
    ? `${daemon}, which works with what both know; restart the client to bring it up to date.`
    : `${daemon} and in use, so it stays; it is replaced once its sessions have ended, or by: strobe daemon stop`;
}

function compareToOurs(link: DaemonLink, paths: InstallPaths): 'same' | 'older' | 'newer' {
  const order = compareVersions(link.hello.version, paths.version);
  if (order !== 0) return order < 0 ? 'older' : 'newer';
  // The same version built again, as after a pull: the newer build counts.
  return link.hello.build < statSync(paths.daemon).mtimeMs ? 'older' : 'same';
}

/** Below, at or above 0 as versions like `1.2.3` are ordered; what follows a `-` does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) =>
    (version.split('-')[0] ?? '').split('.').map(Number),
  );
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function startDaemon(
  home: Home,
  paths: InstallPaths,
  hello: HelloRequest,
): Promise<Omit<FoundDaemon, 'note'>> {
  const marker = join(home.path, 'daemon.starting');
  const wordsFile = join(home.path, 'daemon.err');
  const wordsBefore = sizeOf(wordsFile);
  const attempt: Attempt = {
    over: false,
    again: false,
    said: `The daemon did not answer within ${startMs / 1000} s.`,
    started: null,
  };
  let ours = false;
  const end = monotonicMs() + startMs;
  try {
    while (monotonicMs() < end) {
      const link = existsSync(home.socket) ? await DaemonLink.open(home.socket, hello) : null;
      if (link) {
        const { started } = attempt;
        const isOurs = started?.pid === link.hello.pid;
        return { link, death: isOurs ? deathWithWords(started.death, wordsFile) : null };
      }
      if (attempt.over) break;
      if (attempt.again) {
        attempt.again = false;
        attempt.started = null;
        ours = false;
        rmSync(marker, { force: true });
      }
      if (ours && !attempt.started) await spawnDaemon(paths, home, wordsFile, attempt);
      else if (!ours && takeMarker(marker)) {
        ours = true;
        // Whoever had it may have started a daemon since we looked.
        continue;
      }
      await pause(retryMs);
    }
  } finally {
    if (ours) rmSync(marker, { force: true });
  }
  const words = wordsAfter(wordsFile, wordsBefore);
  throw new ClientError(
    'DAEMON_UNREACHABLE',
    words === '' ? attempt.said : `${attempt.said}\n${words}`,
    'Run `strobe doctor`, then `strobe daemon logs`.',
  );
}

/** What a runtime that aborts says first: `FATAL ERROR: …`. */
async function deathWithWords(death: Promise<string>, file: string): Promise<string> {
  const before = sizeOf(file);
  const how = await death;
  const [first = ''] = wordsAfter(file, before).split('\n');
  return first === '' ? how : `${how}: ${first.slice(0, longestWords)}`;
}

function wordsAfter(file: string, from: number): string {
  return existsSync(file) ? readFileSync(file).subarray(from).toString().trim() : '';
}

/** True when it is on us to start the daemon. A marker whose maker died is taken over. */
function takeMarker(marker: string): boolean {
  try {
    closeSync(openSync(marker, 'wx', 0o600));
    return true;
  } catch {
    const made = statSync(marker, { throwIfNoEntry: false })?.mtimeMs;
    // One from the future was made before the clock was set back.
    const isStale = made !== undefined && Math.abs(wallMs() - made) > starterMs;
    if (isStale) rmSync(marker, { force: true });
    return false;
  }
}

/** What became of the process that was started. */
interface Attempt {
  over: boolean;
  /** It found another one at work, which may be ending: look again, then start another. */
  again: boolean;
  said: string;
  started: { readonly pid: number; readonly death: Promise<string> } | null;
}

/**
 * Settings of glibc's malloc (mallopt(3)): threads that ended, and blocks that were freed, leave nothing behind.
 * They hold for the daemon and its helpers; what is launched has its client's environment.
 */
const thrift = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
};

/**
 * Settings of V8. Left to itself it collects the whole heap for the first time at 24 MB, a few questions after the
 * start: 20 ms in steps, behind which two or three answers wait. What it collects later goes by what was alive then.
 */
const unhurried = ['--initial-old-space-size=48'];

async function spawnDaemon(
  paths: InstallPaths,
  home: Home,
  wordsFile: string,
  attempt: Attempt,
): Promise<void> {
  if (sizeOf(wordsFile) > lastWordsBytes) truncateSync(wordsFile);
  const words = openSync(wordsFile, 'a', 0o600);
  const { NODE_OPTIONS: _ours, ...env } = environment();
  try {
    const command = {
      command: process.execPath,
      args: [...unhurried, paths.daemon],
      cwd: home.path,
      env: { ...thrift, ...env },
    };
    const { pid, ended } = await startDetached(() => command, { pipes: 0, stderr: words });
    const death = ended.then(({ code, signal }) => signal ?? `status ${code}`);
    attempt.started = { pid, death };
    void death.then((how) => {
      if (how === 'status 0') attempt.again = true;
      else attempt.over = true;
      attempt.said = `The daemon ended at once (${how}).`;
    });
  } finally {
    closeSync(words);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
