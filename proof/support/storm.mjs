/* The surroundings of a kill storm: one home, its processes, and everything it may leave behind. */
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { client, openHome } from '../../bench/support/product.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const shared = `/dev/shm/strobe-${process.getuid()}`;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `holds()`; false after `ms`. */
export async function until(holds, ms) {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await pause(50);
  }
  return true;
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null; // gone
  }
}

/** False for a process that is gone or a zombie. */
export function isAlive(pid) {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== null && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

export function kill(pid, signal = 'SIGKILL') {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/** A home with a folder for temporary files of its own, so that what is left in it is ours. */
export function openStorm() {
  const scratch = openHome();
  const temporary = join(scratch.path, 'tmp');
  mkdirSync(temporary);
  scratch.env = { ...scratch.env, TMPDIR: temporary };
  return {
    ...scratch,
    /** Live processes of the home. */
    processes() {
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
        .map((name) => ({
          pid: Number(name),
          command: (read(`/proc/${name}/cmdline`) ?? '').replaceAll('\0', ' ').trim(),
          environment: (read(`/proc/${name}/environ`) ?? '').split('\0'),
        }))
        .filter(({ environment }) => environment.includes(`STROBE_HOME=${scratch.path}`))
        .filter(({ pid }) => isAlive(pid));
    },
    pidsOf(pattern) {
      return this.processes()
        .filter(({ command }) => pattern.test(command))
        .map(({ pid }) => pid);
    },
    daemon() {
      return this.pidsOf(/dist\/daemon\.js/)[0] ?? null;
    },
    /** Threads of the daemon with this name. */
    threads(name) {
      const pid = this.daemon();
      if (pid === null) return [];
      return readdirSync(`/proc/${pid}/task`)
        .map(Number)
        .filter((tid) => read(`/proc/${pid}/task/${tid}/comm`)?.trim() === name);
    },
    stop() {
      spawnSync(process.execPath, [client, 'daemon', 'stop'], {
        env: scratch.env,
        cwd: scratch.project,
        stdio: 'ignore',
        timeout: 60_000,
      });
    },
    /** Everything that must not be there when nothing runs, by name. */
    async leftovers(sessions) {
      await until(() => this.processes().length === 0, 15_000);
      const found = this.processes().map(({ pid, command }) => `process ${pid} ${command}`);
      for (const { pid } of this.processes()) kill(pid);
      for (const name of existsSync(shared) ? readdirSync(shared) : [])
        if (sessions.has(name)) found.push(`/dev/shm ${name}`);
      for (const path of socketsBelow(scratch.path)) found.push(`socket ${path}`);
      for (const name of readdirSync(temporary)) found.push(`temporary ${name}`);
      return found;
    },
  };
}

function socketsBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isSocket())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** An MCP client that can be killed. */
export class StormClient {
  #process;
  #waiting = new Map();
  #number = 0;
  proxy = 0;

  static async start(storm) {
    const started = new StormClient();
    const file = join(here, 'stormClient.mjs');
    started.#process = fork(file, [client, storm.project], {
      env: storm.env,
      cwd: storm.project,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    started.#process.on('message', (message) => {
      started.#waiting.get(message.id)?.(message);
      started.#waiting.delete(message.id);
    });
    const over = () => {
      for (const resolve of started.#waiting.values()) resolve({ isError: true, text: 'gone' });
      started.#waiting.clear();
    };
    started.#process.on('exit', over);
    started.#process.on('disconnect', over);
    started.#process.on('error', over);
    const [{ proxy }] = await once(started.#process, 'message');
    started.proxy = proxy;
    return started;
  }

  get pid() {
    return this.#process.pid;
  }

  /** Answers `{ isError, text, answer }`, whatever happens. */
  async call(tool, args) {
    if (!this.#process.connected) return { isError: true, text: 'gone', answer: null };
    const id = (this.#number += 1);
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#process.send({ id, tool, args });
    return await answer;
  }

  async close() {
    if (this.#process.connected) this.#process.disconnect();
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await Promise.race([once(this.#process, 'exit'), pause(10_000)]);
    kill(this.#process.pid);
  }
}

/** Holds one thread still for so long. */
export async function holdThread(program, tid, ms) {
  const holder = spawn(program, [String(tid)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')]);
  const held = Buffer.isBuffer(said[0]);
  if (held) await pause(ms);
  holder.stdin.end();
  if (holder.exitCode === null) await once(holder, 'exit');
  return held;
}

/** Where a process was started, to tell it from another that got its number. */
export function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}
