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
const BODY_LENGTH_AT = 4;
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
  readonly from: string;
  readonly limitMs: number;
  readonly patienceMs: () => number;
  readonly beganMs: number;
  dueMs: number;
}

/** So often calls are looked at that may be late: a timer for each costs more than the call. */
const WATCH_MS = 100;

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
  #watch: NodeJS.Timeout | null = null;

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
    this.#send(messageOf(call, serial));
    return await new Promise<BusReply>((resolve, reject) => {
      const beganMs = monotonicMs();
      const dueMs = beganMs + limitMs;
      const { destination: from } = call;
      this.#waiting.set(serial, { resolve, reject, from, limitMs, patienceMs, beganMs, dueMs });
      this.#watch ??= setTimeout(() => this.#giveUpLate(), WATCH_MS);
    });
  }

  /** Many calls wait for one another: who answers any of them is there. */
  #giveUpLate(): void {
    const now = monotonicMs();
    for (const [serial, waiting] of this.#waiting) {
      if (now < waiting.dueMs) continue;
      const silentMs = now - Math.max(waiting.beganMs, this.#heard.get(waiting.from) ?? 0);
      waiting.dueMs = now + waiting.limitMs;
      if (silentMs < waiting.patienceMs()) continue;
      this.#waiting.delete(serial);
      waiting.reject(silent(Math.round(silentMs)));
    }
    const isWaiting = this.#waiting.size > 0;
    this.#watch = isWaiting ? setTimeout(() => this.#giveUpLate(), WATCH_MS) : null;
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
      const whole = start + unread.readUInt32LE(BODY_LENGTH_AT);
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
    const answers = numberOf(fields.get(field.reply));
    const waiting = this.#waiting.get(answers);
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
    this.#waiting.delete(answers);
    const signature = textOf(fields.get(field.signature));
    const values = new BusReader(message, start).all(signature);
    if (kind === RETURN) waiting.resolve({ signature, values });
    else waiting.reject(new Error(textOf(values[0])));
  }

  #ended(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the bus has ended'));
    this.#waiting.clear();
    if (this.#watch !== null) clearTimeout(this.#watch);
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
  const message = new BusWriter();
  for (const byte of [LITTLE_ENDIAN, METHOD_CALL, 0, VERSION]) message.put('y', byte);
  message.put('u', 0); // How long the body is, and the fields are: known at their ends.
  message.put('u', serial);
  message.put('u', 0);
  putField(message, field.path, 'o', path);
  putField(message, field.interface, 's', call.interface);
  putField(message, field.member, 's', member);
  putField(message, field.destination, 's', destination);
  if (signature !== '') putField(message, field.signature, 'g', signature);
  const fieldsEnd = message.bytes.length;
  message.align(8);
  const bodyBegin = message.bytes.length;
  for (const [index, type] of typesIn(signature).entries()) message.put(type, values[index] ?? '');
  const { bytes } = message;
  bytes.writeUInt32LE(bytes.length - bodyBegin, BODY_LENGTH_AT);
  bytes.writeUInt32LE(fieldsEnd - HEADER_BYTES, FIXED_BYTES);
  return bytes;
}

/** A structure (yv) of the header. */
function putField(message: BusWriter, code: number, type: string, value: string): void {
  message.align(8);
  message.put('y', code);
  message.put('g', type);
  message.put(type, value);
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
    'debug_inspect shows where it is stopped, debug_session status what it does; debug_ui {"action":"screenshot"} works all the same, with the ids of elements that were read before.',
  );
}
