import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter, type WriterOptions } from '../../../src/db/writer/sessionWriter.ts';
import {
  eventKind,
  stringFlags,
  watchFlags,
  watchNumberBits,
  type TracedThread,
  type TracedFunction,
} from '../../../src/model/eventColumns.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import type { WatchDefinition } from '../../../src/model/watches/watch.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';
import {
  batch,
  seeded,
  SimulatedThread,
  type Random,
  type TrueCall,
} from '../../unit/db/simulatedThread.ts';

/** A call with everything a perfect observer knows of it. */
export interface KnownCall extends TrueCall {
  readonly thread: TracedThread;
  readonly function: TracedFunction;
  readonly arguments: readonly { readonly name: string; readonly value: Value }[];
  returns: Value;
  readonly watched: KnownSample[];
}

/** What a watch saw at an entry or a return. */
export interface KnownSample {
  readonly label: string;
  readonly time: number;
  readonly atReturn: boolean;
  readonly value: Value;
}

export interface KnownLine {
  readonly time: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** A function of a session that is made up. */
export function madeUpFunction(
  name: string,
  number: number,
  values: Pick<TracedFunction, 'captured' | 'returns'>,
): TracedFunction {
  return {
    number,
    name,
    signature: `${name}(int)`,
    linkageName: name,
    module: '/bin/app',
    address: number,
    file: '/src/app.c',
    line: number + 1,
    uncaptured: [],
    ...values,
  };
}

/** A temporary folder that goes with the test. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'strobe-db-'));

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const words = ['alpha', 'beta-7', 'Gamma delta', 'ümlaut', 'overdraft', 'x_y', ''];

const types: readonly ValueType[] = [
  { kind: 'int', name: 'int', bytes: 4, signed: true },
  { kind: 'int', name: 'unsigned long', bytes: 8, signed: false },
  { kind: 'int', name: 'long', bytes: 8, signed: true },
  { kind: 'int', name: 'short', bytes: 2, signed: true },
  { kind: 'bool', name: 'bool', bytes: 1 },
  { kind: 'char', name: 'char', bytes: 1, signed: true },
  { kind: 'float', name: 'double', bytes: 8 },
  { kind: 'float', name: 'float', bytes: 4 },
  {
    kind: 'enum',
    name: 'Colour',
    bytes: 4,
    signed: false,
    members: [
      ['0', 'red'],
      ['1', 'green'],
    ],
  },
  { kind: 'pointer', name: 'Account *' },
  { kind: 'cstring', name: 'const char *' },
  {
    kind: 'list',
    name: 'std::vector<short>&',
    element: { kind: 'int', name: 'short', bytes: 2, signed: true },
    held: { pointer: 0, length: 8, byEnd: true, unit: 2, inWords: false },
  },
];

export const functions: readonly TracedFunction[] = Array.from({ length: 12 }, (_unused, i) => {
  const captured = Array.from({ length: i % 4 }, (_parameter, p) => ({
    name: ['amount', 'name', 'flag'][p] ?? 'p',
    type: types[(i * 3 + p * 5) % types.length] ?? { kind: 'unknown' as const },
  }));
  const scope = ['bank', 'audio::mix', 'net'][i % 3] ?? '';
  const name = `${scope}::${['open', 'Draw', 'parse_all', 'close'][i % 4]}${i}`;
  return {
    number: i * 3,
    name,
    signature: `${name}(int)`,
    linkageName: `_Z${i}`,
    module: '/usr/bin/app',
    address: 4096 + i * 16,
    file: i % 5 === 0 ? null : `/home/me/app/src/${scope.split('::')[0]}/file${i % 3}.cpp`,
    line: i % 5 === 0 ? null : i + 1,
    captured,
    uncaptured: i % 6 === 1 ? [{ name: 'big', typeName: 'Big', reason: 'by value' }] : [],
    returns:
      i % 5 === 4
        ? { kind: 'void' as const }
        : (types[i % types.length] ?? { kind: 'void' as const }),
  };
});

/** Watched in every random session. */
export const watches: readonly WatchDefinition[] = [
  {
    number: 0,
    label: 'total',
    expr: 'gTotal',
    isOfCall: false,
    type: { kind: 'int', name: 'int', bytes: 4, signed: true },
  },
  {
    number: 1,
    label: 'name',
    expr: 'name',
    isOfCall: true,
    type: { kind: 'cstring', name: 'const char *' },
  },
];

/** A random value of a type, with the bytes the engine would write. */
function randomValue(type: ValueType, random: Random): { value: Value; bytes: Uint8Array } {
  const word = new DataView(new ArrayBuffer(8));
  switch (type.kind) {
    case 'int': {
      let number = BigInt(random(6)) - 2n;
      if (random(10) === 0) number = (1n << BigInt(8 * type.bytes - 1)) + 1n;
      // Seldom: values that few blocks hold, at the edges of what they hold, and beyond 2^53.
      if (random(40) === 0) number = BigInt([-900, 900, 901, 32767][random(4)] ?? 0);
      if (random(60) === 0) number = (1n << 53n) + BigInt(random(3));
      const exact = type.signed
        ? BigInt.asIntN(8 * type.bytes, number)
        : BigInt.asUintN(8 * type.bytes, number);
      // The bytes above the type's are not the value's.
      word.setBigUint64(
        0,
        BigInt.asUintN(64, type.bytes < 8 ? exact ^ (0xabcdn << 48n) : exact),
        true,
      );
      return { value: { kind: 'int', text: String(exact) }, bytes: new Uint8Array(word.buffer) };
    }
    case 'bool': {
      const value = random(2) === 1;
      word.setUint8(0, value ? 1 : 0);
      return { value: { kind: 'bool', value }, bytes: new Uint8Array(word.buffer) };
    }
    case 'char': {
      const code = 97 + random(4);
      word.setInt8(0, code);
      return { value: { kind: 'char', code, bytes: 1 }, bytes: new Uint8Array(word.buffer) };
    }
    case 'float': {
      const rare = [Number.NaN, Infinity, -Infinity, -0, 1e300][random(60)];
      const value = rare ?? (random(20) - 10) / 4;
      if (type.bytes === 4) {
        word.setFloat32(0, value, true);
        return {
          value: { kind: 'float', value: Math.fround(value), bytes: 4 },
          bytes: new Uint8Array(word.buffer),
        };
      }
      word.setFloat64(0, value, true);
      return { value: { kind: 'float', value }, bytes: new Uint8Array(word.buffer) };
    }
    case 'enum': {
      const number = random(3);
      word.setUint32(0, number, true);
      const name = type.members[number]?.[1] ?? null;
      return {
        value: { kind: 'enum', name, text: String(number), type: type.name },
        bytes: new Uint8Array(word.buffer),
      };
    }
    case 'pointer': {
      const address = random(3) === 0 ? 0n : 0x7f0000000000n + BigInt(random(4) * 16);
      word.setBigUint64(0, address, true);
      return {
        value: { kind: 'pointer', address: `0x${address.toString(16)}`, isNull: address === 0n },
        bytes: new Uint8Array(word.buffer),
      };
    }
    case 'cstring':
      return randomString(random);
    case 'list':
      return randomList(random);
    default:
      return { value: { kind: 'void' }, bytes: new Uint8Array(0) };
  }
}

/** Of a longer list the first five elements are captured. */
function randomList(random: Random): { value: Value; bytes: Uint8Array } {
  const total = random(4) === 0 ? 900 : random(6);
  const items = Array.from({ length: Math.min(total, 5) }, () => random(9) - 4);
  const bytes = new Uint8Array(8 + Math.ceil((items.length * 2) / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, items.length * 2, true);
  view.setUint32(
    4,
    (total > 5 ? stringFlags.truncated : 0) | ((total * 2) << stringFlags.lengthShift),
    true,
  );
  for (const [i, item] of items.entries()) view.setInt16(8 + i * 2, item, true);
  const values = items.map((item): Value => ({ kind: 'int', text: String(item) }));
  return { value: { kind: 'list', items: values, total }, bytes };
}

function randomString(random: Random): { value: Value; bytes: Uint8Array } {
  const word = random(50) === 0 ? 'seldom' : words[random(words.length)];
  const text = new TextEncoder().encode(`${word} ${random(3)}`);
  const isNull = random(6) === 0;
  const truncated = random(6) === 0;
  const length = isNull ? 0 : text.length;
  const bytes = new Uint8Array(8 + Math.ceil(length / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setUint32(4, isNull ? stringFlags.isNull : truncated ? stringFlags.truncated : 0, true);
  if (isNull) return { value: { kind: 'null' }, bytes };
  bytes.set(text, 8);
  return { value: { kind: 'string', text: new TextDecoder().decode(text), truncated }, bytes };
}

function randomPayload(
  parameters: readonly { readonly name: string; readonly type: ValueType }[],
  random: Random,
): { values: { name: string; value: Value }[]; bytes: Uint8Array } {
  const values: { name: string; value: Value }[] = [];
  const parts: Uint8Array[] = [];
  for (const { name, type } of parameters) {
    const { value, bytes } = randomValue(type, random);
    values.push({ name, value });
    parts.push(bytes);
  }
  return { values, bytes: new Uint8Array(Buffer.concat(parts)) };
}

interface Draws {
  /** Of its threads. */
  readonly names?: readonly string[];
  /** The one draw that turns out otherwise. */
  readonly otherAt?: number;
}

/** Runs a session step by step into a writer and remembers the truth. */
export class RandomSession {
  readonly calls: KnownCall[] = [];
  readonly lines: KnownLine[] = [];
  writer: SessionWriter;
  readonly random: Random;
  /** Of its own, so that what is watched changes nothing else of a session. */
  readonly #watchRandom: Random;
  readonly #path: string;
  #folder: TemporaryFolder | null = null;
  readonly #options: WriterOptions;
  readonly #threads: {
    info: TracedThread;
    run: SimulatedThread;
    sent: number;
    known: KnownCall[];
  }[] = [];
  time = 0;

  constructor(
    path: string,
    seed: number,
    options: Partial<WriterOptions> = {},
    { names = ['main', 'worker-1', 'worker-2'], otherAt = -1 }: Draws = {},
  ) {
    const random = seeded(seed);
    let drawn = 0;
    this.random = (below) => (random(below) + (drawn++ === otherAt ? 1 : 0)) % below;
    this.#path = path;
    this.#options = { sessionId: 'test', blockCalls: 64, ...options };
    this.writer = SessionWriter.open(path, this.#options);
    this.writer.defineFunctions(functions);
    this.writer.defineWatches(watches);
    this.#watchRandom = seeded(seed + 7);
    for (const [i, name] of names.entries()) {
      const info = { key: i + 1, pid: 100 + (i % 2), tid: 1000 + i, name };
      this.writer.defineThread(info);
      const run = new SimulatedThread(this.random);
      this.#threads.push({ info, run, sent: 0, known: [] });
    }
  }

  /** A session in a temporary folder that goes with it. */
  static inFolder(
    seed: number,
    options: Partial<WriterOptions> = {},
    draws: Draws = {},
  ): RandomSession {
    const folder = new TemporaryFolder();
    const session = new RandomSession(folder.file('s.db'), seed, options, draws);
    session.#folder = folder;
    return session;
  }

  /** A reader of its store. */
  read(): SessionReader {
    return SessionReader.open(this.#path);
  }

  /** `steps` random actions, handed to the writer as one batch per thread. */
  step(steps: number): void {
    for (let i = 0; i < steps; i++) {
      const thread = this.#threads[this.random(this.#threads.length)];
      if (!thread) continue;
      thread.run.time = Math.max(thread.run.time, this.time);
      this.#act(thread.run, thread.known, thread.info);
      this.time = thread.run.time;
    }
    for (const thread of this.#threads) {
      const { events } = thread.run;
      if (events.length === thread.sent) continue;
      this.writer.append(thread.info.key, batch(events, thread.sent));
      thread.sent = events.length;
    }
    if (this.random(3) > 0) this.#print();
  }

  /** So many steps of random length, some of them committed. */
  grow(rounds: number): void {
    for (let i = 0; i < rounds; i++) {
      this.step(1 + this.random(120));
      if (this.random(3) > 0) this.commit();
    }
  }

  commit(): void {
    this.writer.commit(this.time);
  }

  /** `step` and `commit`, `times` times. */
  stepAndCommit(times: number, steps: number): void {
    for (let i = 0; i < times; i++) {
      this.step(steps);
      this.commit();
    }
  }

  /** As `commit`, then the writer goes and another one takes over; answers what it was told. */
  handOver(sources: string): string | null {
    this.writer.commit(this.time, sources);
    this.writer.close();
    const next = SessionWriter.continue(this.#path, this.#options);
    this.writer = next.writer;
    return next.sources;
  }

  #act(run: SimulatedThread, known: KnownCall[], thread: TracedThread): void {
    const dice = this.random(100);
    const fn = functions[this.random(functions.length)];
    if (dice < 50 && run.depth < 12 && fn) {
      const { values, bytes } = randomPayload(fn.captured, this.random);
      run.enter(fn.number, bytes);
      const call = run.calls.at(-1);
      if (!call) return;
      const uncaptured = fn.uncaptured.map(({ name, typeName, reason }) => ({
        name,
        value: { kind: 'notCaptured' as const, reason, type: typeName },
      }));
      const known1: KnownCall = Object.assign(call, {
        thread,
        function: fn,
        arguments: [...values, ...uncaptured],
        returns: (fn.returns.kind === 'void'
          ? { kind: 'void' as const }
          : { kind: 'notCaptured' as const, reason: '' }) satisfies Value,
        watched: [],
      });
      this.#sample(run, known1, false);
      known.push(known1);
      this.calls.push(known1);
      return;
    }
    const top = known.findLast((call) => call.end === 'open');
    if (!top) return;
    const kind =
      dice < 92 ? 'return' : ((['unwound', 'jumped', 'tail'] as const)[this.random(3)] ?? 'tail');
    const { value, bytes } = randomValue(top.function.returns, this.random);
    if (kind === 'return') this.#sample(run, top, true);
    run.leave(kind, bytes);
    if (kind === 'return') top.returns = value;
  }

  /** One call in four is watched, as it begins or returns. */
  #sample(run: SimulatedThread, call: KnownCall, atReturn: boolean): void {
    const random = this.#watchRandom;
    const watch = random(4) === 0 ? watches[random(watches.length)] : undefined;
    const sp = run.top?.sp;
    if (!watch || sp === undefined) return;
    let flags = atReturn ? watchFlags.atReturn : 0;
    const address = BigInt.asUintN(64, 0x7f0000000000n + BigInt(random(4)));
    const word = new Uint8Array(new BigUint64Array([address]).buffer);
    let sampled: { value: Value; bytes: Uint8Array };
    if (random(10) === 0) {
      flags |= watchFlags.unreadable;
      const value: Value = { kind: 'unreadable', address: `0x${address.toString(16)}` };
      sampled = { value, bytes: word };
    } else if (watch.type.kind === 'cstring') {
      flags |= watchFlags.text;
      const { value, bytes } = randomString(random);
      sampled = { value, bytes: new Uint8Array(Buffer.concat([word, bytes])) };
    } else sampled = randomValue(watch.type, random);
    const fn = watch.number | (flags << watchNumberBits);
    run.events.push({ kind: eventKind.watch, fn, time: run.time, sp, payload: sampled.bytes });
    const { label } = watch;
    call.watched.push({ label, time: run.time, atReturn, value: sampled.value });
  }

  #print(): void {
    this.time++;
    const stream = this.random(2) === 0 ? 'stdout' : 'stderr';
    const text = `line ${this.lines.length} ${words[this.random(words.length)]}`;
    this.lines.push({ time: this.time, stream, text });
    const bytes = new TextEncoder().encode(`${text}\n`);
    this.writer.appendOutput([{ stream, pid: 100, time: this.time, bytes }]);
  }

  [Symbol.dispose](): void {
    this.writer.close();
    this.#folder?.[Symbol.dispose]();
  }
}
