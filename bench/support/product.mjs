/*
 * The product as an MCP client sees it: `strobe mcp` in a home of its own, JSON-RPC by hand, so
 * that no client library's time is measured.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './record.mjs';

export const client = join(root, 'dist', 'client.js');
const answerLimitMs = 180_000;

/** A fresh STROBE_HOME with the clone's Frida in it; `settings` are variables for its daemon. */
export function openHome(settings = {}) {
  const path = mkdtempSync(join(tmpdir(), 'sbench-'));
  const runtime = join(root, '.cache', 'home', 'runtime');
  if (existsSync(runtime)) symlinkSync(runtime, join(path, 'runtime'));
  const project = join(path, 'project');
  mkdirSync(project);
  const env = { ...process.env, ...settings, STROBE_HOME: path };
  return {
    path,
    project,
    env,
    stopDaemon: () =>
      void spawnSync(process.execPath, [client, 'daemon', 'stop'], {
        env,
        cwd: project,
        stdio: 'ignore',
      }),
    close() {
      this.stopDaemon();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export class Product {
  #child;
  #waiting = new Map();
  #forget = new Map();
  #number = 0;
  /** Called with what a call tells before its answer. */
  onProgress = () => undefined;

  static async start(home) {
    const product = new Product(home);
    await product.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'strobe-bench', version: '1' },
    });
    product.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return product;
  }

  constructor(home) {
    this.home = home;
    this.#child = spawn(process.execPath, [client, 'mcp', '--structured'], {
      env: home.env,
      cwd: home.project,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'notifications/progress') this.onProgress(message.params.message);
      this.#waiting.get(message.id)?.(message);
    });
  }

  async request(method, params) {
    const { answer } = this.begin(method, params);
    return await answer;
  }

  /** Sends a request; `cancel` takes it back, and then `answer` never comes. */
  begin(method, params) {
    const id = (this.#number += 1);
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} had no answer`)), answerLimitMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (message.error) reject(new Error(JSON.stringify(message.error)));
        else resolve(message.result);
      });
      this.#forget.set(id, () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      });
    });
    void answer.then(
      () => this.#forget.delete(id),
      () => this.#forget.delete(id),
    );
    this.#send({ jsonrpc: '2.0', id, method, params });
    const cancel = () => {
      this.#forget.get(id)?.();
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    };
    return { answer, cancel };
  }

  /** Calls a tool; returns its structured answer, its text and how long it took. */
  async call(tool, args) {
    const asked = performance.now();
    const _meta = { progressToken: 'bench' };
    const result = await this.request('tools/call', { name: tool, arguments: args, _meta });
    const ms = performance.now() - asked;
    const text = result.content.map((part) => part.text ?? '').join('\n');
    if (result.isError) throw new Error(`${tool} ${JSON.stringify(args)}\n${text}`);
    return { ms, text, ...result.structuredContent };
  }

  /** Launches a program and returns the answer; `patterns` from the first instruction. */
  async launch(command, args = [], patterns = []) {
    return this.call('debug_launch', { command, args, projectRoot: this.home.project, patterns });
  }

  async waitForExit(sessionId) {
    for (;;) {
      const waited = await this.call('debug_session', {
        action: 'wait',
        sessionId,
        for: ['exit'],
        timeoutMs: 50_000,
      });
      if (waited.happened === 'exit') return waited;
    }
  }

  async close() {
    this.#child.stdin.end();
    await new Promise((resolve) => {
      if (this.#child.exitCode !== null) resolve();
      else this.#child.once('exit', resolve);
    });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
