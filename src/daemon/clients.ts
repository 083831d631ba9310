import { startTimeOf } from '../base/proc.ts';
import type { DaemonStatus, HelloRequest } from '../protocol/socket.ts';
import { ClientMemory } from './clientMemory.ts';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import type { Client } from './request.ts';

/** How often the terminals of command-line clients are looked after. */
const leaderCheckMs = 2000;
/** A proxy connects again at once when its daemon died; who has not by then has gone too. */
const returnMs = 10_000;

interface Present {
  client: Client;
  connections: number;
  readonly leader: HelloRequest['leader'];
}

/**
 * Who is there. An MCP client and a `strobe run` go with their last connection; a command-line client is a
 * terminal session: its commands come and go, it goes when the session's leader ends.
 */
export class Clients {
  readonly #daemon: Daemon;
  readonly #log: Log;
  readonly #present = new Map<string, Present>();
  #timer: NodeJS.Timeout | null = null;

  constructor(daemon: Daemon, log: Log) {
    this.#daemon = daemon;
    this.#log = log;
  }

  /** Connections that are open now. */
  get connections(): number {
    return [...this.#present.values()].reduce((sum, { connections }) => sum + connections, 0);
  }

  list(): DaemonStatus['clients'][number][] {
    return [...this.#present.values()].map(({ client, connections }) => ({
      id: client.id,
      kind: client.kind,
      connections,
    }));
  }

  /** A client of a daemon that died: it comes back, or it is gone. */
  expect(client: Client): void {
    if (this.#present.has(client.id)) return;
    const present: Present = { client, connections: 0, leader: leaderOf(client.id) };
    this.#present.set(client.id, present);
    if (client.kind !== 'cli') {
      setTimeout(() => {
        const isStill = this.#present.get(client.id) === present;
        if (isStill && present.connections === 0) void this.#gone(present);
      }, returnMs).unref();
    } else this.#watchLeaders();
  }

  /** One more connection of a client. */
  arrive(hello: HelloRequest): Client {
    const { clientId: id, kind, cwd, env, umask, resources } = hello;
    const known = this.#present.get(id);
    const memory = known?.client.memory ?? new ClientMemory();
    const client: Client = { id, kind, cwd, env, umask, resources, memory };
    if (known) {
      if (known.connections === 0) this.#daemon.clientArrived(client);
      known.client = client;
      known.connections += 1;
      return client;
    }
    this.#present.set(id, { client, connections: 1, leader: hello.leader });
    this.#log.info('daemon', 'client arrived', { client: id, kind, cwd });
    this.#daemon.clientArrived(client);
    this.#watchLeaders();
    return client;
  }

  /** One connection less. */
  async leave(id: string): Promise<void> {
    const present = this.#present.get(id);
    if (!present) return;
    present.connections -= 1;
    if (present.connections === 0 && present.client.kind !== 'cli') await this.#gone(present);
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #gone(present: Present): Promise<void> {
    this.#present.delete(present.client.id);
    this.#log.info('daemon', 'client gone', { client: present.client.id });
    try {
      await this.#daemon.clientGone(present.client);
    } catch (error) {
      this.#log.error('daemon', 'looking after a gone client failed', {
        client: present.client.id,
        error,
      });
    }
  }

  #watchLeaders(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => {
      for (const present of this.#present.values()) {
        if (present.connections > 0 || present.leader === null) continue;
        if (startTimeOf(present.leader.pid) !== present.leader.startTime) void this.#gone(present);
      }
    }, leaderCheckMs);
    this.#timer.unref();
  }
}

/** The leader is part of the id of a terminal's commands (client/identity). */
function leaderOf(clientId: string): HelloRequest['leader'] {
  const [, pid, startTime] = /^cli-(\d+)-(\d+)$/.exec(clientId) ?? [];
  return startTime === undefined ? null : { pid: Number(pid), startTime };
}
