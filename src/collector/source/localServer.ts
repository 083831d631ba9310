import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { FrameReader } from '../../base/frames.ts';

/** What is done with a connection: each frame that comes, and its end. */
export interface Served {
  take(frame: Buffer): void;
  ended?(): void;
}

/** A socket of the daemon that code inside traced processes asks. */
export class LocalServer {
  readonly #path: string;
  readonly #mostBytes: number;
  readonly #serve: (connection: Socket) => Served;
  readonly #connections = new Set<Socket>();
  #opening: Promise<Server> | null = null;

  /** `mostBytes`: what sends a longer frame is none of ours. */
  constructor(path: string, mostBytes: number, serve: (connection: Socket) => Served) {
    this.#path = path;
    this.#mostBytes = mostBytes;
    this.#serve = serve;
  }

  /** The path of its socket, which is open then. */
  async open(): Promise<string> {
    this.#opening ??= this.#listen();
    await this.#opening;
    return this.#path;
  }

  async close(): Promise<void> {
    const server = await this.#opening?.catch(() => null);
    if (!server) return;
    for (const connection of this.#connections) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  async #listen(): Promise<Server> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    rmSync(this.#path, { force: true });
    const server = createServer((connection) => this.#begin(connection));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#path, resolve);
    });
    return server.unref();
  }

  #begin(connection: Socket): void {
    this.#connections.add(connection);
    const served = this.#serve(connection);
    const frames = new FrameReader(this.#mostBytes);
    connection.on('close', () => {
      this.#connections.delete(connection);
      served.ended?.();
    });
    // A process may end in the middle of it.
    connection.on('error', () => connection.destroy());
    connection.on('data', (bytes) => {
      try {
        for (const frame of frames.push(bytes)) served.take(frame);
      } catch {
        connection.destroy();
      }
    });
  }
}
