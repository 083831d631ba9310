import { createServer, connect, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { monotonicMs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Fault, FaultDone, MeantFault } from './fault.ts';
import { ProxiedConnection } from './proxiedConnection.ts';

const MOST_CONNECTIONS = 256;
/** Of what was done, the last are kept. */
const MOST_DONE = 20;

/** Listens on loopback and passes on to a server, whose answers it may hold back, cut or change. */
export class FaultProxy {
  /** The server's address, as it was given. */
  readonly to: string;
  readonly address: string;
  readonly done: FaultDone[] = [];
  connections = 0;
  answers = 0;
  #faults: { readonly fault: Fault; readonly since: number }[] = [];
  readonly #server: Server;
  readonly #open = new Set<ProxiedConnection>();

  private constructor(to: string, server: Server) {
    this.to = to;
    this.#server = server;
    const bound = server.address();
    this.address = typeof bound === 'object' && bound ? `127.0.0.1:${bound.port}` : '';
  }

  /** `far`: where the server is. */
  static async start(to: string, far: NetConnectOpts): Promise<FaultProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.maxConnections = MOST_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(new StrobeError('INTERNAL', `No port could be opened: ${error.message}.`)),
      );
      server.listen(0, '127.0.0.1', resolve);
    });
    const proxy = new FaultProxy(to, server);
    server.on('connection', (near) => proxy.#pass(near, connect({ ...far, allowHalfOpen: true })));
    // What is left of it keeps no daemon alive.
    server.unref();
    return proxy;
  }

  /** Null: no more faults. */
  set(fault: Fault | null): void {
    this.#faults = fault === null ? [] : [...this.#faults, { fault, since: this.answers }];
  }

  get faults(): readonly string[] {
    return this.#faults.map(({ fault }) => fault.text);
  }

  close(): void {
    this.#server.close();
    for (const one of this.#open) one.end();
  }

  #pass(near: Socket, far: Socket): void {
    this.connections++;
    const connection = new ProxiedConnection(near, far, {
      answerBegins: () => this.#faultsOfNext(),
      ended: () => this.#open.delete(connection),
    });
    this.#open.add(connection);
  }

  #faultsOfNext(): readonly MeantFault[] {
    const number = ++this.answers;
    const meant = this.#faults.filter(
      ({ fault, since }) => fault.answer === null || fault.answer === number - since,
    );
    this.#faults = this.#faults.filter(
      ({ fault, since }) => fault.answer === null || fault.answer > number - since,
    );
    return meant.map(({ fault }) => {
      const replaced = fault.kind === 'rewrite' ? 0 : null;
      const done = { atMs: monotonicMs(), answer: number, text: fault.text, replaced };
      this.done.push(done);
      if (this.done.length > MOST_DONE) this.done.shift();
      return { fault, done };
    });
  }
}
