import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import { LineReader } from './lines.ts';
import { readChunks } from './readAll.ts';

/** How a process ended: exactly one of the two is not null. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Whole environment; default: our own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A process of ours that must not outlive its owner: disposing kills it. */
export interface OwnedProcess extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ProcessEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** The lines that it writes, those that come together at once; longer ones than `limit` bytes are passed over. */
export async function* linesOf(
  { stdout, stderr }: Pick<OwnedProcess, 'stdout' | 'stderr'>,
  limit: number,
): AsyncGenerator<readonly string[]> {
  const lines = new LineReader(limit);
  stderr.resume();
  for await (const chunk of stdout)
    if (Buffer.isBuffer(chunk)) yield lines.push(chunk).filter((line) => line !== null);
}

/** A process in a session of its own, with further pipes. It outlives us. */
export interface DetachedProcess {
  readonly pid: number;
  readonly pipes: readonly Duplex[];
  readonly ended: Promise<ProcessEnd>;
}

/** Starts a process with three pipes; rejects with the system's error when it cannot. */
export async function startOwned(command: Command): Promise<OwnedProcess> {
  const child = start(command, ['pipe', 'pipe', 'pipe'], false);
  const ended = endOf(child);
  const pid = await pidOf(child);
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error(`${command.command} has no pipes.`);
  stdin.on('error', () => {
    // The end of the process tells the same and is always observed.
  });
  return {
    pid,
    stdin,
    stdout,
    stderr,
    ended,
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Starts a process that outlives us. Its fds 0–2 are /dev/null, or ours when `terminal` says that
 * it belongs to our terminal; then it also stays in our process group. `stderr`: an open fd for 2.
 * `inherited`: further fds of ours, which keep their numbers. `command` gets those of the pipes.
 */
export async function startDetached(
  command: (pipes: readonly number[]) => Command,
  options: {
    readonly pipes: number;
    readonly terminal?: boolean;
    readonly stderr?: number;
    readonly inherited?: readonly number[];
  },
): Promise<DetachedProcess> {
  const { inherited = [] } = options;
  const own = options.terminal ? ('inherit' as const) : ('ignore' as const);
  const stdio: Exclude<StdioOptions, string> = [own, own, options.stderr ?? own];
  for (let number = 3; number <= Math.max(2, ...inherited); number++)
    stdio[number] = inherited.includes(number) ? number : 'ignore';
  const pipes: number[] = [];
  for (let number = 3; pipes.length < options.pipes; number++) {
    if (inherited.includes(number)) continue;
    stdio[number] = 'pipe';
    pipes.push(number);
  }
  const child = start(command(pipes), stdio, !options.terminal);
  const ended = endOf(child);
  const pid = await pidOf(child);
  child.unref();
  const ends = pipes.map((number) => child.stdio[number]).filter((end) => end instanceof Duplex);
  return { pid, pipes: ends, ended };
}

export interface ProgramResult extends ProcessEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** The limit passed (or the signal came) and the process was killed. */
  readonly stopped: boolean;
}

/**
 * Runs a program to its end, with `input` (default none) on its stdin. Killed after `limitMs`, when `signal` aborts, or
 * when it writes more than `maxBytes` (default 4 MB) to a stream.
 */
export async function runProgram(
  command: Command,
  options: {
    readonly limitMs: number;
    readonly maxBytes?: number;
    readonly input?: Buffer;
    readonly signal?: AbortSignal;
    readonly onOutput?: (chunk: Buffer) => void;
  },
): Promise<ProgramResult> {
  const owned = await startOwned(command);
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    owned.kill('SIGKILL');
  };
  const timer = setTimeout(stop, options.limitMs);
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  owned.stdin.end(options.input);
  const limit = options.maxBytes ?? 4 << 20;
  const collect = async (stream: Readable): Promise<Buffer> => {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of readChunks(stream)) {
      options.onOutput?.(part);
      bytes += part.length;
      if (bytes > limit) stop();
      else parts.push(part);
    }
    return Buffer.concat(parts);
  };
  try {
    const [stdout, stderr, end] = await Promise.all([
      collect(owned.stdout),
      collect(owned.stderr),
      owned.ended,
    ]);
    return { ...end, stdout, stderr, stopped };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
    await owned[Symbol.asyncDispose]();
  }
}

function start(command: Command, stdio: StdioOptions, detached: boolean): ChildProcess {
  return spawn(command.command, [...command.args], {
    stdio,
    detached,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: { ...command.env } }),
  });
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  throw await new Promise<Error>((resolve) => child.once('error', resolve));
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', () => {
      if (child.pid === undefined) resolve({ code: 127, signal: null });
    });
  });
}

/** Runs a program on this terminal with a text as its input, to its end; false: it cannot be started. */
export async function feedTerminal(
  { command, args, env }: Command,
  text: string,
): Promise<boolean> {
  const child = spawn(command, [...(args ?? [])], { env, stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.on('error', () => undefined); // It need not read all.
  child.stdin.end(text);
  return await new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', () => resolve(true));
  });
}
