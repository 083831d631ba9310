import { connect, Socket } from 'node:net';
import { monotonicMs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { encodeFrame, FrameReader } from '../../base/frames.ts';
import { StrobeError } from '../../model/errors.ts';
import { supervisorEvent, supervisorWire } from '../../protocol/supervisor.ts';
import { readProgram } from './outputLog.ts';

const noFrame = 'it sent what is no frame';
/** Faults of a connection that say that neither supervisor nor standby is there; others pass. */
const isGone: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', noFrame]);
const againMs = 5;

/** What the supervisor says of itself first. `status` is a wait status once the target has exited. */
export interface SupervisorHello extends SupervisorStatus {
  readonly supervisorPid: number;
  readonly targetPid: number;
  readonly startedNs: bigint;
  readonly logSize: number;
}

export interface SupervisorStatus {
  readonly state: number;
  readonly stdin: number;
  readonly status: number;
}

/** An answer to a request: errno (0 = done) and, for `clock`, the two readings. */
export interface SupervisorAnswer {
  readonly errno: number;
  readonly tsc: bigint;
  readonly monotonicNs: bigint;
}

/** A process that stands at the first instruction of a new program until it is decided whether to hold it there. */
export interface AskedExec {
  readonly number: number;
  readonly pid: number;
  readonly parent: number;
  /** Absolute; of a script, the script. */
  readonly path: string;
  readonly argv: readonly string[];
}

/** What became of a process that was to be held; errno 0: it stands at its exec. */
export interface HeldExec {
  readonly number: number;
  readonly pid: number;
  readonly errno: number;
}

/** Whoever owns the link hears what the supervisor tells unasked. */
export interface SupervisorListener {
  grown(size: number): void;
  state(status: SupervisorStatus): void;
  exec(asked: AskedExec): void;
  held(held: HeldExec): void;
  closed(): void;
}

interface Waiting {
  resolve(answer: SupervisorAnswer): void;
  reject(error: Error): void;
}

/** One connection to a supervisor: numbered requests, their answers, and what comes unasked. */
export class SupervisorLink {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #frames = new FrameReader(supervisorWire.maxFrameBytes);
  /** What came before anybody listened, in order. */
  readonly #early: ((listener: SupervisorListener) => void)[] = [];
  #listener: SupervisorListener | null = null;
  #onHello: ((hello: SupervisorHello) => void) | null = null;
  #next = 1;
  #open = true;
  /** ECONNREFUSED and the like. */
  #fault = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#fault = error.code ?? error.message;
      socket.destroy();
    });
    socket.on('close', () => this.#closed());
  }

  /**
   * Connects and hears the supervisor's hello; its standby answers in the place of one that is killed meanwhile.
   * SUPERVISOR_LOST when neither is there; TIMED_OUT when they say nothing within `limitMs`.
   */
  static async open(
    path: string,
    limitMs: number,
  ): Promise<{ link: SupervisorLink; hello: SupervisorHello }> {
    const until = monotonicMs() + limitMs;
    const late = (): StrobeError =>
      new StrobeError('TIMED_OUT', `The supervisor did not say hello within ${limitMs} ms.`);
    for (;;) {
      const link = new SupervisorLink(connect(path));
      try {
        return { link, hello: await within(until - monotonicMs(), link.#hear(), late) };
      } catch (error) {
        link.close();
        if (error instanceof StrobeError && error.code === 'TIMED_OUT') throw error;
        if (isGone.has(link.#fault)) throw error;
        if (monotonicMs() > until) throw late();
        await pause(againMs);
      }
    }
  }

  /** What is left of a connection. */
  static ended(): SupervisorLink {
    const socket = new Socket();
    const link = new SupervisorLink(socket);
    link.#closed();
    return link;
  }

  async #hear(): Promise<SupervisorHello> {
    return await new Promise<SupervisorHello>((resolve, reject) => {
      this.#onHello = resolve;
      this.#socket.once('close', () => reject(this.#lost()));
    });
  }

  /** From now on, and for all that came since the hello. */
  listen(listener: SupervisorListener): void {
    this.#listener = listener;
    for (const tell of this.#early.splice(0)) tell(listener);
  }

  /** Sends a request and waits for its answer: SUPERVISOR_LOST, or TIMED_OUT after `limitMs` (null = no limit but the connection's end). */
  async request(
    type: number,
    payload: Uint8Array,
    limitMs: number | null,
  ): Promise<SupervisorAnswer> {
    if (!this.#open) throw this.#lost();
    const number = this.#next;
    this.#next = number === 0xffffffff ? 1 : number + 1;
    const head = Buffer.alloc(5);
    head.writeUInt8(type, 0);
    head.writeUInt32LE(number, 1);
    const answer = new Promise<SupervisorAnswer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#socket.write(encodeFrame(head, payload));
    if (limitMs === null) return await answer;
    const late = (): StrobeError =>
      new StrobeError('TIMED_OUT', `The supervisor did not answer within ${limitMs} ms.`);
    try {
      return await within(limitMs, answer, late);
    } finally {
      this.#waiting.delete(number);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#frame(frame);
    } catch {
      // Bytes that are no frames: the peer is no supervisor of ours.
      this.#fault = noFrame;
      this.#socket.destroy();
    }
  }

  #frame(frame: Buffer): void {
    const payload = frame.subarray(1);
    switch (frame.readUInt8(0)) {
      case supervisorEvent.hello:
        if (payload.readUInt32LE(0) !== supervisorWire.version) throw new Error('another version');
        this.#onHello?.({
          supervisorPid: payload.readUInt32LE(4),
          targetPid: payload.readUInt32LE(8),
          ...status(payload, 12),
          startedNs: payload.readBigUInt64LE(24),
          logSize: Number(payload.readBigUInt64LE(32)),
        });
        return;
      case supervisorEvent.grown:
        this.#tell((listener) => listener.grown(Number(payload.readBigUInt64LE(0))));
        return;
      case supervisorEvent.state:
        this.#tell((listener) => listener.state(status(payload, 0)));
        return;
      case supervisorEvent.exec: {
        const [number, pid, parent] = threeOf(payload);
        const asked = { number, pid, parent, ...readProgram(payload.subarray(12)) };
        this.#tell((listener) => listener.exec(asked));
        return;
      }
      case supervisorEvent.held: {
        const [number, pid, errno] = threeOf(payload);
        this.#tell((listener) => listener.held({ number, pid, errno }));
        return;
      }
      case supervisorEvent.done:
        this.#answer(payload, { errno: payload.readUInt32LE(4), tsc: 0n, monotonicNs: 0n });
        return;
      case supervisorEvent.clock: {
        const tsc = payload.readBigUInt64LE(8);
        this.#answer(payload, { errno: 0, tsc, monotonicNs: payload.readBigUInt64LE(16) });
        return;
      }
      default:
        throw new Error('unknown frame');
    }
  }

  #answer(payload: Buffer, answer: SupervisorAnswer): void {
    const number = payload.readUInt32LE(0);
    this.#waiting.get(number)?.resolve(answer);
    this.#waiting.delete(number);
  }

  #lost(): StrobeError {
    const why = this.#fault === '' ? '' : ` (${this.#fault})`;
    return new StrobeError('SUPERVISOR_LOST', `The connection to the supervisor ended${why}.`);
  }

  #closed(): void {
    this.#open = false;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#lost());
    this.#waiting.clear();
    this.#tell((listener) => listener.closed());
  }

  #tell(tell: (listener: SupervisorListener) => void): void {
    if (this.#listener) tell(this.#listener);
    else this.#early.push(tell);
  }
}

function threeOf(payload: Buffer): [number, number, number] {
  return [payload.readUInt32LE(0), payload.readUInt32LE(4), payload.readUInt32LE(8)];
}

function status(payload: Buffer, at: number): SupervisorStatus {
  return {
    state: payload.readUInt32LE(at),
    stdin: payload.readUInt32LE(at + 4),
    status: payload.readUInt32LE(at + 8),
  };
}
