import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { pause } from '../base/deadline.ts';
import { monotonicMs } from '../base/clock.ts';
import { checkOptions } from './checkOptions.ts';
import { ClientError } from './clientError.ts';
import { checkedHome, findDaemon, runningDaemon } from './daemonStart.ts';
import { greeting } from './identity.ts';
import { nearestWord } from './nearestWord.ts';
import { statusText } from './daemonStatus.ts';
import type { Manifest } from './manifestTypes.ts';
import type { Output } from './toolCommand.ts';

/** How long a stopping daemon may take to end its sessions. */
const stopMs = 30_000;

/** Bytes of the log that `logs` shows without --all. */
const logTailBytes = 16 << 10;

/** The actions with the options each of them takes. */
const options: Readonly<Record<string, readonly string[]>> = {
  start: [],
  stop: [],
  status: ['--json'],
  logs: ['--all'],
};

const usage = `Usage: strobe daemon status|start|stop|logs

The daemon is one process per user; commands and coding agents start it when they need it. It ends
by itself when it has not been needed for a while (setting daemon.idleMinutes).

  status [--json]  version, sessions, memory of it and of what runs for it, home, socket
  start            starts it, or replaces an older one that is not needed
  stop             ends it: sessions end or keep running, as each was launched (onClientExit)
  logs [--all]     the end of its log, or all of it
`;

/** `strobe daemon <action>`; the exit status. */
export async function runDaemonCommand(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  const [action = 'status', ...rest] = words;
  if (words.includes('--help') || words.includes('-h')) {
    output.out(usage);
    return 0;
  }
  checkAction(action, rest);
  const json = rest.includes('--json');
  switch (action) {
    case 'start':
      return await start(manifest, output);
    case 'stop':
      return await stop(manifest, output);
    case 'status':
      return await status(manifest, json, output);
    case 'logs':
      return logs(rest.includes('--all'), output);
    default:
      return 0; // checkAction has refused it.
  }
}

/** Throws BAD_PARAMETER for an unknown action, UNKNOWN_PARAMETER for an option it does not take. */
function checkAction(action: string, given: readonly string[]): void {
  const known = Object.hasOwn(options, action) ? options[action] : undefined;
  if (known !== undefined) {
    checkOptions(`daemon ${action}`, given, known);
    return;
  }
  const names = Object.keys(options);
  const { question, correction } = nearestWord(action, names);
  throw new ClientError(
    'BAD_PARAMETER',
    `"${action}" is not an action of strobe daemon.${question}`,
    `Use one of: ${names.join(', ')}.`,
    correction,
  );
}

async function start(manifest: Manifest, output: Output): Promise<number> {
  const { link, note } = await findDaemon(greeting('cli', manifest.version, 'text'));
  output.out(`The daemon runs: pid ${link.hello.pid}, version ${link.hello.version}.\n`);
  if (note !== null) output.err(`${note}\n`);
  link.close();
  return 0;
}

async function stop(manifest: Manifest, output: Output): Promise<number> {
  const link = await runningDaemon(greeting('cli', manifest.version, 'text'));
  if (!link) {
    output.out('No daemon runs.\n');
    return 0;
  }
  const { pid } = link.hello;
  await link.askToEnd(false);
  const end = monotonicMs() + stopMs;
  while (isAlive(pid)) {
    if (monotonicMs() > end)
      throw new ClientError(
        'TIMED_OUT',
        `The daemon (pid ${pid}) has not ended within ${stopMs / 1000} s.`,
        `See strobe daemon logs; kill ${pid} ends it.`,
      );
    await pause(20);
  }
  output.out(`The daemon (pid ${pid}) has ended.\n`);
  return 0;
}

async function status(manifest: Manifest, json: boolean, output: Output): Promise<number> {
  const hello = greeting('cli', manifest.version, 'text');
  const link = await runningDaemon(hello);
  if (!link) {
    output.out(json ? '{"running": false}\n' : 'No daemon runs; the next command starts it.\n');
    return 0;
  }
  const answer = await link.request('strobe/status', {});
  link.close();
  if (json)
    output.out(
      `${JSON.stringify({ running: true, ...(typeof answer === 'object' ? answer : {}) }, null, 2)}\n`,
    );
  else output.out(statusText(answer, hello.clientId));
  return 0;
}

function logs(all: boolean, output: Output): number {
  const { log } = checkedHome();
  if (!existsSync(log)) {
    output.out('There is no log yet.\n');
    return 0;
  }
  const fd = openSync(log, 'r');
  try {
    const { size } = fstatSync(fd);
    const from = all ? 0 : Math.max(0, size - logTailBytes);
    const bytes = Buffer.alloc(size - from);
    readSync(fd, bytes, 0, bytes.length, from);
    const text = bytes.toString();
    output.out(from === 0 ? text : text.slice(text.indexOf('\n') + 1));
  } finally {
    closeSync(fd);
  }
  return 0;
}

/** False also for a zombie: in a container nobody may be in a hurry to reap it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // it has ended
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return process.platform !== 'linux'; // it ended meanwhile, or there is no /proc
  }
}
