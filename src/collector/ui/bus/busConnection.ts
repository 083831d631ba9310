import { connect, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { monotonicMs } from '../../../base/clock.ts';
import { within } from '../../../base/deadline.ts';
import { StrobeError } from '../../../model/errors.ts';
import { BusReader, BusWriter } from './busBytes.ts';
import { heldBy, listOf, numberOf, textOf, typesIn, type BusValue } from './busValue.ts';

const OPEN_MS = 5000;
const HEADER_BYTES = 16;
const FIXED_BYTES = 12;
const SERIAL_AT = 8;
const METHOD_CALL = 1;
const RETURN = 2;
const ERROR = 3;
const SIGNAL = 4;
const VERSION = 1;
const LITTLE_ENDIAN = 0x6c;
/** Fields of a message's header. */
const field = {
  path: 1,
  interface: 2,
  member: 3,
  errorName: 4,
  reply: 5,
  destination: 6,
  sender: 7,
  signature: 8,
};

/** What is asked of an object on a bus. */
export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly values?: readonly BusValue[];
}

export interface BusSignal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
}

export interface BusReply {
  readonly signature: string;
  readonly values: readonly BusValue[];
}

/** A message of any connection, as a monitor gets it. */
export interface BusMessage {
  readonly kind: 'call' | 'return' | 'error' | 'signal';
  readonly serial: number;
  /** Serial number of the call that it answers; 0: of none. */
  readonly answers: number;
  readonly sender: string;
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly errorName: string;
  /** Null: of a type that is not read (descriptors). */
  readonly values: readonly BusValue[] | null;
}

interface Waiting {
  readonly resolve: (reply: BusReply) => void;
  readonly reject: (error: Error) => void;
}

/** A connection to a bus. Calls are sent together and answered in any order; each has a limit. */
export class BusConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onSignal: (signal: BusSignal) => void;
  #onMessage: ((message: BusMessage) => void) | null = null;
  /** Of this connection on its bus. */
  name = '';
  #serial = 0;
  /** When each last answered, by monotonicMs. */
  readonly #heard = new Map<string, number>();
  #hasEnded = false;
  #unread: Buffer = Buffer.alloc(0);
  #unsent: Buffer[] = [];

  private constructor(socket: Socket, onSignal: (signal: BusSignal) => void) {
    this.#socket = socket;
    this.#onSignal = onSignal;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('close', () => this.#ended());
    socket.on('error', () => this.#ended());
  }

  /** Throws NO_STAGE when the bus is not there. */
  static async open(
    address: string,
    onSignal: (signal: BusSignal) => void,
  ): Promise<BusConnection> {
    const path = pathOf(address);
    const opening = greet(connect(path));
    const socket = await within(OPEN_MS, opening, () => unreachable(address)).catch(() => {
      throw unreachable(address);
    });
    const connection = new BusConnection(socket, onSignal);
    const { values } = await connection.ask(busItself('Hello'), OPEN_MS);
    connection.name = textOf(values[0]);
    return connection;
  }

  /** From now on it gets a copy of every message on the bus, and can ask nothing more. */
  async monitor(onMessage: (message: BusMessage) => void): Promise<void> {
    const become: BusCall = {
      ...busItself('BecomeMonitor'),
      interface: 'org.freedesktop.DBus.Monitoring',
      signature: 'asu',
      values: [[], 0],
    };
    this.#onMessage = onMessage;
    await this.ask(become, OPEN_MS);
    this.#socket.unref();
  }

  /** `patienceMs`: for how long the other side may say nothing at all, asked each time it was silent for the limit. */
  async ask(
    call: BusCall,
    limitMs: number,
    patienceMs: () => number = () => limitMs,
  ): Promise<BusReply> {
    if (this.#hasEnded) throw new Error('the bus has ended');
    const serial = ++this.#serial;
    const answer = new Promise<BusReply>((resolve, reject) => {
      this.#waiting.set(serial, { resolve, reject });
    });
    this.#send(messageOf(call, serial));
    try {
      return await this.#answered(answer, call.destination, { limitMs, patienceMs });
    } finally {
      this.#waiting.delete(serial);
    }
  }

  /** Many calls wait for one another: who answers any of them is there. */
  async #answered(
    answer: Promise<BusReply>,
    from: string,
    { limitMs, patienceMs }: { readonly limitMs: number; readonly patienceMs: () => number },
  ): Promise<BusReply> {
    const began = monotonicMs();
    const late = silent(limitMs);
    for (;;) {
      try {
        return await within(limitMs, answer, () => late);
      } catch (error) {
        if (error !== late) throw error;
        const silentMs = monotonicMs() - Math.max(began, this.#heard.get(from) ?? 0);
        if (silentMs >= patienceMs()) throw silent(Math.round(silentMs));
      }
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(message: Buffer): void {
    if (this.#unsent.length === 0)
      // What answers of one turn lead to goes in one write: each one wakes the bus and the program.
      setImmediate(() => {
        const all = Buffer.concat(this.#unsent);
        this.#unsent = [];
        this.#socket.write(all);
      });
    this.#unsent.push(message);
  }

  #receive(chunk: Buffer): void {
    let unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    while (unread.length >= HEADER_BYTES) {
      const header = HEADER_BYTES + unread.readUInt32LE(FIXED_BYTES);
      const start = Math.ceil(header / 8) * 8;
      const whole = start + unread.readUInt32LE(4);
      if (unread.length < whole) break;
      this.#take(unread.subarray(0, whole), start);
      unread = unread.subarray(whole);
    }
    this.#unread = unread;
  }

  #take(message: Buffer, start: number): void {
    const fields = new Map(
      listOf(new BusReader(message, FIXED_BYTES).read('a(yv)')).map((each) => {
        const [code, value] = listOf(each);
        return [numberOf(code), heldBy(value)] as const;
      }),
    );
    const kind = message.readUInt8(1);
    const waiting = this.#waiting.get(numberOf(fields.get(field.reply)));
    if (this.#onMessage !== null && waiting === undefined) {
      this.#onMessage(messageIn(message, start, fields));
      return;
    }
    if (kind === SIGNAL)
      this.#onSignal({
        sender: textOf(fields.get(field.sender)),
        path: textOf(fields.get(field.path)),
        interface: textOf(fields.get(field.interface)),
        member: textOf(fields.get(field.member)),
      });
    if (kind !== RETURN && kind !== ERROR) return;
    this.#heard.set(textOf(fields.get(field.sender)), monotonicMs());
    if (waiting === undefined) return;
    const signature = textOf(fields.get(field.signature));
    const values = new BusReader(message, start).all(signature);
    if (kind === RETURN) waiting.resolve({ signature, values });
    else waiting.reject(new Error(textOf(values[0])));
  }

  #ended(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the bus has ended'));
    this.#waiting.clear();
  }
}

function messageIn(
  message: Buffer,
  start: number,
  fields: ReadonlyMap<number, BusValue | undefined>,
): BusMessage {
  const text = (code: number): string => textOf(fields.get(code));
  const kinds = { [METHOD_CALL]: 'call', [RETURN]: 'return', [ERROR]: 'error' } as const;
  const number = message.readUInt8(1);
  return {
    kind:
      number === METHOD_CALL || number === RETURN || number === ERROR ? kinds[number] : 'signal',
    serial: message.readUInt32LE(SERIAL_AT),
    answers: numberOf(fields.get(field.reply)),
    sender: text(field.sender),
    destination: text(field.destination),
    path: text(field.path),
    interface: text(field.interface),
    member: text(field.member),
    errorName: text(field.errorName),
    values: valuesIn(message, start, text(field.signature)),
  };
}

/** What another program sends may be of any type, and damaged. */
function valuesIn(message: Buffer, start: number, signature: string): BusValue[] | null {
  try {
    return new BusReader(message, start).all(signature);
  } catch {
    return null;
  }
}

/** A call of the bus itself. */
export function busItself(member: string, ...values: readonly string[]): BusCall {
  const name = 'org.freedesktop.DBus';
  const signature = 's'.repeat(values.length);
  return {
    destination: name,
    path: '/org/freedesktop/DBus',
    interface: name,
    member,
    signature,
    values,
  };
}

function messageOf(call: BusCall, serial: number): Buffer {
  const { destination, path, member, signature = '', values = [] } = call;
  const body = new BusWriter();
  for (const [index, type] of typesIn(signature).entries()) body.put(type, values[index] ?? '');
  const head = new BusWriter();
  for (const byte of [LITTLE_ENDIAN, METHOD_CALL, 0, VERSION]) head.put('y', byte);
  head.put('u', body.bytes.length);
  head.put('u', serial);
  const held = (code: number, type: string, value: string): BusValue => [
    code,
    { signature: type, value },
  ];
  head.put('a(yv)', [
    held(field.path, 'o', path),
    held(field.interface, 's', call.interface),
    held(field.member, 's', member),
    held(field.destination, 's', destination),
    ...(signature === '' ? [] : [held(field.signature, 'g', signature)]),
  ]);
  head.align(8);
  return Buffer.concat([head.bytes, body.bytes]);
}

/** A socket on which messages may be sent. */
async function greet(socket: Socket): Promise<Socket> {
  const user = Buffer.from(String(userInfo().uid)).toString('hex');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => socket.write(`\0AUTH EXTERNAL ${user}\r\n`));
    socket.once('data', (answer: Buffer) => {
      if (answer.toString().startsWith('OK')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
  socket.write('BEGIN\r\n');
  return socket;
}

function pathOf(address: string): string {
  const pairs =
    address
      .replace(/^unix:/, '')
      .split(';')[0]
      ?.split(',') ?? [];
  const named = (name: string): string | undefined =>
    pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  const path = named('path');
  return path === undefined ? `\0${named('abstract') ?? ''}` : decodeURIComponent(path);
}

function unreachable(address: string): StrobeError {
  return new StrobeError('NO_STAGE', `The bus of this session cannot be reached: ${address}.`);
}

function silent(limitMs: number): StrobeError {
  return new StrobeError(
    'TIMED_OUT',
    `The program did not answer in ${limitMs} ms: it is stopped, or busy in the thread of its windows.`,
    'debug_inspect shows where it is stopped, debug_session status what it does; debug_ui {"action":"screenshot"} works all the same.',
  );
}
