import { statSync } from 'node:fs';
import { pause, within } from '../base/deadline.ts';
import { homeOf, openHome } from '../base/home.ts';
import { installPaths } from '../base/installPaths.ts';
import { holdFile } from '../db/sqlite.ts';
import { errors } from '../model/errors.ts';
import type { ComposeOptions } from './compose.ts';
import type { Daemon } from './daemon.ts';
import { Log } from './log.ts';
import { loadSettings } from './settings.ts';
import { SocketServer } from './socketServer.ts';

/*
 * The life of the daemon's process. Exactly one serves a home: it holds daemon.lock, a lock of the kernel's,
 * from before it touches anything else until it ends, however it ends. Whoever finds it held
 * ends quietly: the client that started it connects to the one that serves.
 */

/** How long a daemon that gives way may take to let go of the lock. */
const lockTries = 30;
const lockPauseMs = 100;

/** How long sessions get to end before the process does. */
const closeMs = 20_000;

/** Runs a daemon to its end; the exit status. `compose` makes what it serves. */
export async function serve(
  compose: (options: ComposeOptions) => Promise<Daemon>,
): Promise<number> {
  // Files of ours are for their owner alone; what is launched gets its client's own mask.
  process.umask(0o077);
  const home = homeOf(process.env);
  const problem = openHome(home);
  if (problem) {
    process.stderr.write(
      `${problem.code}: ${problem.message}\nNext: ${errors[problem.code].hint}\n`,
    );
    return 1;
  }
  const lock = await takeLock(home.lock);
  if (!lock) return 0;
  const { value: settings, problems } = loadSettings({ homeFile: home.settings, env: process.env });
  const log = Log.open(home.log, {
    levels: settings['log.levels'],
    maxBytes: settings['log.maxBytes'],
  });
  surviveFaults(log);
  const { version, daemon: program } = installPaths();
  const build = statSync(program).mtimeMs;
  log.info('daemon', 'starting', {
    version,
    pid: process.pid,
    node: process.version,
    home: home.path,
  });
  for (const one of problems) log.warn('settings', one.detail, { setting: one.subject });

  const ended = deferred();
  const daemon = await compose({ home: home.path, settings, log });
  const server = await SocketServer.listen({
    home,
    version,
    build,
    daemon,
    settings,
    settingProblems: problems,
    log,
    onEnd: (why) => ended.resolve(why),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => ended.resolve(signal));
  log.info('daemon', 'serving', { socket: home.socket });

  log.info('daemon', 'ending', { why: await ended.promise });
  await server.close();
  try {
    await within(closeMs, daemon.close(), () => new Error('sessions did not end in time'));
  } catch (error) {
    log.error('daemon', 'closing failed', { error });
  }
  log.info('daemon', 'ended');
  log.close();
  lock[Symbol.dispose]();
  return 0;
}

async function takeLock(path: string): Promise<Disposable | null> {
  for (let tried = 0; tried < lockTries; tried++) {
    const lock = holdFile(path);
    if (lock) return lock;
    await pause(lockPauseMs);
  }
  return null;
}

/** A fault of ours must cost one request, not everybody's sessions. */
function surviveFaults(log: Log): void {
  process.on('uncaughtException', (error) => log.error('daemon', 'uncaught exception', { error }));
  process.on('unhandledRejection', (error) =>
    log.error('daemon', 'unhandled rejection', { error }),
  );
  process.on('SIGPIPE', () => undefined);
}

function deferred(): { promise: Promise<string>; resolve(why: string): void } {
  let resolve: (why: string) => void = () => undefined;
  const promise = new Promise<string>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
