import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const clientProgram = join(packageRoot, 'dist', 'client.js');

export interface Ended {
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** Runs a program to its end with the given input; kills it after `timeoutMs` and fails. */
export async function runProgram(
  place: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  command: readonly string[],
  input: string | Buffer = '',
  timeoutMs = 60_000,
): Promise<Ended> {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('no program');
  const child = spawn(program, args, { cwd: place.cwd, env: place.env, stdio: 'pipe' });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined); // a program need not read its input
  child.stdin.end(input);
  return await new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `${command.join(' ')} did not end within ${timeoutMs} ms\n${Buffer.concat(stderr).toString()}`,
        ),
      );
    }, timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString(),
        code,
        signal,
      });
    });
  });
}

/** Runs `strobe <args>` as a person would; `prefix` begins the command, as to be another user. */
export async function runStrobe(
  place: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly prefix?: readonly string[];
  },
  args: readonly string[],
  input: string | Buffer = '',
  timeoutMs = 60_000,
): Promise<Ended> {
  const command = [...(place.prefix ?? []), process.execPath, clientProgram, ...args];
  return await runProgram(place, command, input, timeoutMs);
}
