import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { pause, within } from '../../../base/deadline.ts';
import { programOn } from '../../../base/paths.ts';
import { startOwned, type OwnedProcess } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { DebugAdapter, StartedAdapter } from './debugAdapter.ts';
import { inMachineCode } from './inMachineCode.ts';

const startMs = 10_000;
const endMs = 5000;

/** Where Delve is: `command` where it is a path, else on the PATH or where Go installs programs; null: nowhere. */
export function findDelve(command: string): string | null {
  if (command.includes('/')) return programOn('', basename(command), [dirname(command)]);
  const { PATH = '', GOBIN, GOPATH } = process.env;
  const installed = (GOPATH ?? join(homedir(), 'go')).split(delimiter);
  return programOn(PATH, command, [
    ...(GOBIN === undefined ? [] : [GOBIN]),
    ...installed.map((folder) => join(folder, 'bin')),
  ]);
}

/** Programs of Go, by Delve at a path: it connects to a socket in a folder of its own, and ends with the connection, also where there is none. */
export function delve(path: string): DebugAdapter {
  return {
    ...inMachineCode,
    keepsSteps: true,
    name: 'Delve',
    cure: 'Run "dlv version" to see why.',
    strand: 'goroutine',
    start: async () => start(path),
    attachTo: (pid) => ({
      mode: 'local',
      processId: pid,
      stopOnEntry: false,
      showRegisters: true,
    }),
    // A thread ended between its listing and its turn.
    isPassing: (why) => /attach to new thread \d+ no such process/.test(why),
    frameNumber: 'runtime.frameoff',
    isLibrary,
    console: null,
    threadsBy: null,
    threadInName: / \(Thread (\d+)\)$/,
    notes: [
      'By Delve: the whole program stops; if its process is killed, the program ends, and if the daemon is, it may end.',
    ],
  };
}

/** By folder that ends before `/src/`: whether Go itself lies there. */
const roots = new Map<string, boolean>();

/** Of Go's own library, or of a module of others. */
function isLibrary(file: string): boolean {
  if (/\/pkg\/mod\/|\/vendor\//.test(file)) return true;
  for (let at = file.indexOf('/src/'); at >= 0; at = file.indexOf('/src/', at + 1)) {
    const root = file.slice(0, at);
    const isRoot = roots.get(root) ?? existsSync(join(root, 'src', 'runtime', 'proc.go'));
    roots.set(root, isRoot);
    if (isRoot) return true;
  }
  return false;
}

async function start(path: string): Promise<StartedAdapter> {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-delve-'));
  const at = join(folder, 'dap');
  // Below this it would keep settings, and Go's telemetry what it counts.
  const env = { ...process.env, XDG_CONFIG_HOME: '/dev/null' };
  const args = ['dap', `--client-addr=unix:${at}`, '--check-go-version=false'];
  const server = createServer().listen(at);
  let owned: OwnedProcess | null = null;
  try {
    await once(server, 'listening');
    owned = await startOwned({ command: path, args, env });
    owned.stdout.resume();
    owned.stderr.resume();
    return started(owned, await connected(owned, server));
  } catch (error) {
    await owned?.[Symbol.asyncDispose]();
    throw new StrobeError(
      'CANNOT_DEBUG',
      `Delve (${path}) did not start: ${error instanceof Error ? error.message : String(error)}`,
      'Run "dlv version" to see why.',
    );
  } finally {
    server.close();
    // A connection needs no name, and what has no name is not left behind by a daemon that is killed.
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connected(owned: OwnedProcess, server: Server): Promise<Socket> {
  const comes = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const ended = owned.ended.then(({ code }) => Promise.reject(new Error(`it ended with ${code}.`)));
  return await within(
    startMs,
    Promise.race([comes, ended]),
    () => new Error('it does not connect.'),
  );
}

function started(owned: OwnedProcess, socket: Socket): StartedAdapter {
  socket.on('error', () => undefined); // Its end tells the same.
  return {
    input: socket,
    output: socket,
    ended: owned.ended,
    said: () => '',
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await Promise.race([owned.ended, pause(endMs)]);
      await owned[Symbol.asyncDispose]();
    },
  };
}
