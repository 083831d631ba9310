/*
 * One run of a program with a limit: in a process group of its own, which is all that is killed
 * when the limit passes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { client } from '../../bench/support/product.mjs';

const dumping = ['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGQUIT', 'SIGTRAP'];
export const limitMs = 60_000;

/** Runs `command`; `end` says how it ended, `onLimit` is called before its group is killed. */
export function runLimited(
  command,
  args,
  { cwd, env, stdin = '', limit = limitMs, onLimit = () => undefined },
) {
  return new Promise((resolve) => {
    const started = performance.now();
    const parts = { stdout: [], stderr: [] };
    let hung = false;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
    const timer = setTimeout(() => {
      hung = true;
      onLimit();
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }, limit);
    child.stdin.on('error', () => undefined); // it need not read its input
    child.stdin.end(stdin);
    for (const stream of ['stdout', 'stderr']) {
      child[stream].on('data', (chunk) => parts[stream].push(chunk));
    }
    const finish = (end) => {
      clearTimeout(timer);
      resolve({
        end: hung ? `hung for ${limit / 1000} s` : end,
        ms: performance.now() - started,
        stdout: Buffer.concat(parts.stdout),
        stderr: Buffer.concat(parts.stderr),
      });
    };
    child.on('error', (error) => finish(String(error)));
    child.on('close', (code, signal) => finish(signal === null ? `status ${code}` : signal));
  });
}

/** The same program under `strobe run`, with the figures of its report. */
export async function runTraced(
  home,
  { command, args, trace, cwd, env, stdin, limit, projectRoot = cwd },
) {
  const report = `${home.path}/report.txt`;
  const options = [...trace.flatMap((pattern) => ['--trace', pattern]), '--out', report];
  const ran = await runLimited(
    process.execPath,
    [client, 'run', ...options, '--project-root', projectRoot, '--', command, ...args],
    { cwd, env, stdin, limit, onLimit: () => stopSessions(home) },
  );
  // `strobe run` dumps no core of its own: what would, comes back as a shell says it.
  const dumped = dumping.find((name) => ran.end === `status ${128 + constants.signals[name]}`);
  if (dumped) ran.end = dumped;
  const text = existsSync(report) ? readFileSync(report, 'utf8') : '';
  return { ...ran, figures: figuresIn(text), report: text };
}

/** Ends the targets of this home: they may stand outside the client's process group. */
function stopSessions(home) {
  const strobe = (...words) =>
    spawnSync(process.execPath, [client, ...words], {
      env: home.env,
      encoding: 'utf8',
      timeout: 10_000,
    });
  const listed = strobe('session', 'list', '--scope', 'all', '--state', 'running', '--json');
  try {
    for (const { sessionId } of JSON.parse(listed.stdout).sessions) {
      strobe('session', 'stop', sessionId, '--take-over', '--grace-ms', '500');
    }
  } catch {
    // No answer: the group is killed anyway.
  }
}

export function figuresIn(report) {
  const [, seen, stored, lost] =
    /events: seen ([\d,]+) · stored ([\d,]+) · (?:lost|LOST) ([\d,]+)/.exec(report) ?? [];
  const [, hooked] = /([\d,]+) functions? hooked/.exec(report) ?? [];
  const [, refused] = /([\d,]+) refused/.exec(report) ?? [];
  // Counted and timed, but not recorded, as they came too fast.
  const [, sampled] = /sampled ([\d,]+)/.exec(report) ?? [];
  const number = (text) => (text === undefined ? 0 : Number(text.replaceAll(',', '')));
  return {
    hooked: number(hooked),
    refused: number(refused),
    seen: number(seen),
    stored: number(stored),
    lost: number(lost),
    sampled: number(sampled),
  };
}
