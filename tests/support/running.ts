import { spawn, type ChildProcess } from 'node:child_process';
import { until } from './processes.ts';

/** A program that runs for itself, as a developer would have started it before. */
export class Running implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly pid: number;
  stdout = '';
  stderr = '';

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  /** Starts it and waits until its output contains `sign`. */
  static async start(
    program: string,
    args: readonly string[] = [],
    sign?: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<Running> {
    const child = spawn(program, [...args], {
      stdio: 'pipe',
      ...(env === undefined ? {} : { env: { ...env } }),
    });
    if (child.pid === undefined) throw new Error(`${program} was not started`);
    const running = new Running(child, child.pid);
    if (sign !== undefined) {
      const seen = (): boolean => running.stdout.includes(sign);
      await until(`${program} says ${sign}`, seen);
    }
    return running;
  }

  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
    return { code: child.exitCode, signal: child.signalCode };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }
}
