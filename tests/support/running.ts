import { spawn, type ChildProcess } from 'node:child_process';
import { until } from './processes.ts';

/** A program that runs for itself, as a developer would have started it before. */
export class Running implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly pid: number;
  stdout = '';
  stderr = '';

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
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

  /** It reads the end of its input. */
  endInput(): void {
    this.#child.stdin?.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Its status, once all that it wrote has been read. */
  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const child = this.#child;
    await this.#closed;
    return { code: child.exitCode, signal: child.signalCode };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = this.isRunning
      ? new Promise((resolve) => this.#child.once('exit', resolve))
      : undefined;
    this.#child.kill('SIGKILL');
    await exited;
  }
}
