import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { monotonicMs } from '../base/clock.ts';
import type { Home } from '../base/home.ts';
import type { Problem } from '../model/problem.ts';
import type { Settings } from '../protocol/settingsSchema.ts';
import type { DaemonStatus, EndRequest } from '../protocol/socket.ts';
import { Clients } from './clients.ts';
import { Connection } from './connection.ts';
import type { Daemon } from './daemon.ts';
import { childProcesses } from './footprint.ts';
import type { Log } from './log.ts';
import { ToolCalls } from './toolCalls.ts';

/** What is kept ready for the next launch goes when nobody has been there for this long. */
const restMs = 60_000;

/** Each connection may hold a line of its own in memory. */
const mostConnections = 256;

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
  #idleSince = monotonicMs();
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
    const calls = new ToolCalls(daemon, log);
    return createServer((socket) => {
      if (this.#connections.size >= mostConnections) {
        log.warn('rpc', 'refused a connection: there are too many', { limit: mostConnections });
        socket.destroy();
        return;
      }
      const connection = new Connection(socket, {
        version,
        build,
        daemon,
        clients: this.#clients,
        calls,
        log,
        status: () => this.#status(),
        end: (request, asker) => ({ ending: this.#end(request, asker) }),
      });
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
  }

  /** Clients that only are there do not count: they find the next daemon. */
  #end(request: EndRequest, asker: Connection): boolean {
    const { daemon } = this.#options;
    const isWorking = [...this.#connections].some((one) => one !== asker && one.isWorking);
    if (request.onlyIfIdle && (daemon.busy || daemon.holding || isWorking)) return false;
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
    const limitMs = this.#idleLimitMs;
    this.#idle = setInterval(
      () => {
        const idleMs = monotonicMs() - this.#idleSince;
        if (this.#clients.connections > 0 || this.#options.daemon.busy)
          this.#idleSince = monotonicMs();
        else if (idleMs >= limitMs) this.#finish('it was not needed');
        else if (idleMs >= restMs) this.#options.daemon.rest();
      },
      Math.min(30_000, Math.max(100, limitMs / 4)),
    );
  }

  get #idleLimitMs(): number {
    return this.#options.settings['daemon.idleMinutes'] * 60_000;
  }

  /** The one who asks goes again: it does not count. */
  #endsInMs(): number | null {
    if (this.#options.daemon.busy || this.#clients.connections > 1) return null;
    return this.#idleLimitMs;
  }

  #status(): DaemonStatus {
    const { home, version, daemon, settings, settingProblems } = this.#options;
    return {
      version,
      pid: process.pid,
      home: home.path,
      socket: home.socket,
      log: home.log,
      upMs: Math.round(monotonicMs() - this.#startedMs),
      busy: daemon.busy,
      clients: this.#clients.list(),
      sessions: daemon.figures,
      memoryBytes: process.memoryUsage.rss(),
      children: childProcesses(process.pid),
      endsInMs: this.#endsInMs(),
      settings,
      problems: settingProblems.map((problem) => `${problem.subject}: ${problem.detail}`),
    };
  }
}
