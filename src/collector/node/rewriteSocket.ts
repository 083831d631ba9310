import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { RewriteRequest } from '../../protocol/nodeTracer.ts';

const LENGTH_BYTES = 4;
/** A longer request is none of ours. */
const MOST_BYTES = 256 << 20;

/** Answers traced processes that ask for modules to be rewritten (src/protocol/nodeTracer.ts). */
export class RewriteSocket {
  readonly #path: string;
  readonly #rewrite: (request: RewriteRequest) => Promise<string>;
  readonly #connections = new Set<Socket>();
  #opening: Promise<Server> | null = null;

  constructor(path: string, rewrite: (request: RewriteRequest) => Promise<string>) {
    this.#path = path;
    this.#rewrite = rewrite;
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
    const server = createServer((connection) => this.#serve(connection));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#path, resolve);
    });
    return server.unref();
  }

  #serve(connection: Socket): void {
    this.#connections.add(connection);
    connection.on('close', () => this.#connections.delete(connection));
    // A process may end in the middle of it.
    connection.on('error', () => connection.destroy());
    let parts: Buffer[] = [];
    let held = 0;
    connection.on('data', (bytes) => {
      parts.push(bytes);
      held += bytes.length;
      while (held >= LENGTH_BYTES) {
        const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
        parts = [all];
        const length = all.readUInt32LE(0);
        if (length > MOST_BYTES) {
          connection.destroy();
          return;
        }
        if (held < LENGTH_BYTES + length) return;
        const request = all.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length);
        parts = [all.subarray(LENGTH_BYTES + length)];
        held -= LENGTH_BYTES + length;
        void this.#answer(connection, request);
      }
    });
  }

  /** Its process waits, and asks nothing else meanwhile. */
  async #answer(connection: Socket, text: string): Promise<void> {
    const answer = Buffer.from(await this.#tried(text));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(answer.length);
    if (!connection.destroyed) connection.write(Buffer.concat([length, answer]));
  }

  async #tried(text: string): Promise<string> {
    try {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build wrote it
      return await this.#rewrite(JSON.parse(text) as RewriteRequest);
    } catch (error) {
      return JSON.stringify({ why: `it could not be rewritten: ${String(error)}` });
    }
  }
}
