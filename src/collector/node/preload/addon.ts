import { eventKind } from '../../../model/eventColumns.ts';
import { nodeAction, nodeHead, nodeRoom } from '../../../protocol/nodeTracer.ts';

/** What native/node gives a JavaScript thread; without `room` the process was not entered. */
export interface Addon {
  readonly room?: ArrayBuffer;
  act(): void;
  /** Records the enter of a call, if it is to be recorded: function, activation and words are in the room. */
  enter(): void;
  /** Records the return of a call whose enter was recorded. */
  return(): void;
  /** The generation of what is wanted (u32), then a byte for each function. */
  flags(count: number): ArrayBuffer;
  /** JSON of `NodeWishes`; undefined: nothing is wanted. */
  wishes(): string | undefined;
  /** A part of what they are the head of; undefined: something else is wanted by now. */
  wishesAt(start: number, bytes: number): string | undefined;
  /** Undefined: the daemon does not answer. */
  ask(request: string): string | undefined;
  /** What an earlier request was answered; undefined: it is to be asked for (native/node/answers.h). */
  keptAnswer(head: string, text: string): string | undefined;
  keep(key: string, text: string): void;
  take(key: string): string | undefined;
  /** What it was settled with; its state is in `result` (`promiseState`). */
  promise(promise: object): unknown;
  /** What is printed from here on is held back and corrected at the end (native/node/printed.h). */
  hold(lines: string): void;
  /** Of the files of coverage of this process only those named so stay (native/node/coverage.h). */
  keepCoverage(folder: string, name: string): void;
  /** Writes a line of the notes file, with its end; `lasts`: each daemon that takes the process over gets it. */
  note(line: string, lasts: boolean): void;
  /** The program was running when it was entered. */
  isLive(): boolean;
  /** The same function, once: a call of it puts the address of its frame into `low` and `high` of the head. */
  frame<F>(called: F): F;
  readonly root: string;
  /** NODE_OPTIONS of the user; absent: there were none. */
  readonly options?: string;
}

/** As native/node/promises.h has them; other runtimes than Node tell nothing. */
const promiseState = { unknown: 0, pending: 1, fulfilled: 2, rejected: 3 } as const;

let addon: Addon;
/** Numbers of `nodeHead`. */
export let head: Uint32Array;
/** The words behind them, in three shapes. */
export let room32: Uint32Array;
export let room8: Uint8Array;
/** Where the fields of a definition go, which may be made in the middle of a record. */
export let fields8: Uint8Array;
let headFloat: Float64Array;
let act: () => void;
let recordEnter: () => void;
let recordReturn: () => void;

/** Answers whether the process was entered. */
export function loadAddon(path: string): boolean {
  const holder = { exports: {} };
  process.dlopen(holder, path);
  const loaded = holder.exports as Addon;
  const { room } = loaded;
  if (!room) return false;
  addon = loaded;
  act = loaded.act;
  recordEnter = loaded.enter;
  recordReturn = loaded.return;
  head = new Uint32Array(room, 0, nodeHead.words);
  headFloat = new Float64Array(room, 0, nodeHead.words / 2);
  room32 = new Uint32Array(room, nodeHead.words * 4);
  room8 = new Uint8Array(room, nodeHead.words * 4);
  fields8 = room8.subarray(nodeRoom.fields * 8);
  return true;
}

export function theAddon(): Addon {
  return addon;
}

/** How deep the stack was when the function was called that has its frame told: less is deeper. */
export function stackPlace(): number {
  return (head[nodeHead.frame] ?? 0) + (head[nodeHead.frame + 1] ?? 0) * 2 ** 32;
}

export function isLive(): boolean {
  return addon.isLive();
}

/** What a promise has come to: a word, and the value once it has one. Null: that is not known. */
export function settlement(
  promise: object,
): { readonly word: string; readonly value: unknown } | null {
  const value = addon.promise(promise);
  switch (head[nodeHead.result]) {
    case promiseState.pending:
      return { word: 'pending', value: undefined };
    case promiseState.fulfilled:
      return { word: 'fulfilled', value };
    case promiseState.rejected:
      return { word: 'rejected', value };
    default:
      return null;
  }
}

/** Activations of this thread, 1, 2, …, are those of the process beside its number, which stays in the room. */
let high = 0;

export function numberThread(thread: number): void {
  high = thread;
  head[nodeHead.high] = high;
}

/** Does one thing that nodeTracer.ts lists; the answer of the engine. */
export function engine(
  action: number,
  kind: number,
  fn: number,
  activation: number,
  words: number,
): number {
  head[nodeHead.action] = action;
  head[nodeHead.kind] = kind;
  head[nodeHead.function] = fn;
  head[nodeHead.low] = activation;
  head[nodeHead.count] = words;
  act();
  return head[nodeHead.result] ?? 0;
}

/** Another strand runs on this thread from now on; 0: none. */
export function tellStrand(strand: number, kind: number): void {
  room32[0] = kind;
  room32[1] = 0;
  head[nodeHead.action] = nodeAction.records;
  head[nodeHead.kind] = eventKind.context;
  head[nodeHead.function] = 0;
  head[nodeHead.low] = strand;
  head[nodeHead.high] = 0;
  head[nodeHead.count] = 1;
  act();
  head[nodeHead.high] = high;
}

/** Records the enter of a call, if it is to be recorded; whether it is. */
export function entered(fn: number, activation: number, words: number): number {
  head[nodeHead.function] = fn;
  head[nodeHead.low] = activation;
  head[nodeHead.count] = words;
  recordEnter();
  return head[nodeHead.result] ?? 0;
}

/** Records the return of a call whose enter was recorded. */
export function returned(fn: number, activation: number, words: number): void {
  head[nodeHead.function] = fn;
  head[nodeHead.low] = activation;
  head[nodeHead.count] = words;
  recordReturn();
}

/** As `engine`, with what a call must take. */
export function engineWithTime(
  action: number,
  kind: number,
  fn: number,
  activation: number,
  words: number,
  ns: number,
): number {
  headFloat[nodeHead.ns / 2] = ns;
  return engine(action, kind, fn, activation, words);
}
