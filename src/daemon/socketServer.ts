import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { monotonicMs } from '../base/clock.ts';
import type { Home } from '../base/home.ts';
import type { Problem } from '../model/problem.ts';
import type { Settings } from '../protocol/settings.ts';
import type { DaemonStatus, EndRequest } from '../protocol/socket.ts';
import { Clients } from './clients.ts';
import { Connection } from './connection.ts';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import { ToolCalls } from './toolCalls.ts';

/** What the server serves and where. */
export interface SocketServerOptions {
  readonly home: Home;
  readonly version: string;
  /** Age of the program file, see protocol/socket `HelloAnswer`. */
  readonly build: number;
  readonly daemon: Daemon;
  readonly settings: Settings;
  readonly settingProblems: readonly Problem[];
  readonly log: Log;
  /** Asked to end: by a client, or because nobody was there for long. Called once. */
  onEnd(why: string): void;
}

/** Listens on the home's socket (0600) and ends the daemon when nobody needs it any more. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #server: Server;
  readonly #clients: Clients;
  readonly #connections = new Set<Connection>();
  readonly #startedMs = monotonicMs();
  #idle: NodeJS.Timeout | null = null;
  #ending = false;

  private constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#clients = new Clients(options.daemon, options.log);
    for (const client of options.daemon.awaited) this.#clients.expect(client);
    this.#server = this.#listener();
  }

  /** The caller holds the home's lock, so a socket that is there is a dead daemon's. */
  static async listen(options: SocketServerOptions): Promise<SocketServer> {
    const server = new SocketServer(options);
    rmSync(options.home.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(options.home.socket, resolve);
    });
    chmodSync(options.home.socket, 0o600);
    server.#watchIdle();
    return server;
  }

  /** No new connections; the open ones are closed after their last answer. */
  async close(): Promise<void> {
    this.#ending = true;
    if (this.#idle) clearInterval(this.#idle);
    this.#clients.close();
    this.#server.close();
    rmSync(this.#options.home.socket, { force: true });
    for (const connection of this.#connections) connection.close();
  }

  #listener(): Server {
    const { version, build, daemon, log } = this.#options;
    const calls = new ToolCalls(daemon.handlers, log);
    return createServer((socket) => {
      const connection = new Connection(socket, {
        version,
        build,
        daemon,
        clients: this.#clients,
        calls,
        log,
        status: () => this.#status(),
        end: (request) => ({ ending: this.#end(request) }),
      });
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
  }

  #end(request: EndRequest): boolean {
    // The one who asks is connected too.
    const needed = this.#options.daemon.busy || this.#clients.connections > 1;
    if (request.onlyIfIdle && needed) return false;
    this.#finish('a client asked for it');
    return true;
  }

  #finish(why: string): void {
    if (this.#ending) return;
    this.#ending = true;
    // The answer to the one who asked goes out first.
    setImmediate(() => this.#options.onEnd(why));
  }

  #watchIdle(): void {
    const limitMs = this.#options.settings['daemon.idleMinutes'] * 60_000;
    let idleSince = monotonicMs();
    this.#idle = setInterval(
      () => {
        if (this.#clients.connections > 0 || this.#options.daemon.busy) idleSince = monotonicMs();
        else if (monotonicMs() - idleSince >= limitMs) this.#finish('nobody needed it');
      },
      Math.min(30_000, Math.max(100, limitMs / 4)),
    );
  }

  #status(): DaemonStatus {
    const { home, version, daemon, settings, settingProblems } = this.#options;
    return {
      version,
      pid: process.pid,
      home: home.path,
      upMs: Math.round(monotonicMs() - this.#startedMs),
      busy: daemon.busy,
      clients: this.#clients.list(),
      memoryBytes: process.memoryUsage().rss,
      settings,
      problems: settingProblems.map((problem) => `${problem.subject}: ${problem.detail}`),
    };
  }
}
