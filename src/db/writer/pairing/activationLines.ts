import type { CallStacks } from './callStacks.ts';

/** Activations that are saved; the others end unknown. */
const MOST_SAVED = 16_384;
const mark = -1;

export type Item = Activation | Segment;

export class Line {
  readonly items: Item[] = [];
  /** The strand it is the stack of; -1: none. */
  strand = -1;
  /** What its first item hangs below. */
  parentOrdinal = -1;
  depth = 0;
  /** For how long others ran instead of it, before `parkedAt`. */
  parkedNs = 0;
  parkedAt = 0;
  /** What ran before it. */
  cameFrom: Line | null = null;
  /** Its activations have been told as waiting. */
  isTold = false;
}

export class Segment {
  readonly stacks: CallStacks;
  parentOrdinal = -1;
  depth = 0;
  parkedBefore = 0;

  constructor(stacks: CallStacks) {
    this.stacks = stacks;
  }
}

export class Activation {
  id = 0;
  fn = 0;
  ordinal = 0;
  depth = 0;
  start = 0;
  child = 0;
  suspended = 0;
  /** Since when it runs, or is suspended. */
  since = 0;
  /** `parkedNs` of its line at that time. */
  parkedBefore = 0;
  /** Null: it is suspended. */
  line: Line | null = null;
}

/** All that `Activations` knows of a thread. */
export interface LinesState {
  readonly strand: number;
  readonly lossOrdinal: number;
  readonly lines: Iterable<Line>;
  readonly main: Line;
  readonly current: Line;
  readonly byId: ReadonlyMap<number, Activation>;
}

/** Whether `packLines` gave the numbers, and not CallStacks `save`. */
export function isPackedLines(from: Float64Array): boolean {
  return from[0] === mark;
}

export function packLines(state: LinesState): Float64Array<ArrayBuffer> {
  const lines = [...state.lines];
  const places = new Map(lines.map((line, at) => [line, at]));
  const place = (line: Line | null): number => (line ? (places.get(line) ?? -1) : -1);
  const open = [...state.byId.values()].slice(0, MOST_SAVED);
  const kept = new Set<Item>(open);
  const numbers = [mark, state.strand, state.lossOrdinal, lines.length];
  numbers.push(place(state.main), place(state.current));
  for (const line of lines) {
    const items = line.items.filter((item) => item instanceof Segment || kept.has(item));
    numbers.push(line.strand, line.parentOrdinal, line.depth, line.parkedNs, line.parkedAt);
    numbers.push(place(line.cameFrom), line.isTold ? 1 : 0, items.length);
    for (const item of items) {
      if (item instanceof Activation) numbers.push(mark, ...numbersOf(item));
      else {
        const stacks = item.stacks.save();
        numbers.push(stacks.length, item.parentOrdinal, item.depth, item.parkedBefore);
        for (const number of stacks) numbers.push(number);
      }
    }
  }
  const suspended = open.filter(({ line }) => line === null);
  numbers.push(suspended.length);
  for (const activation of suspended) numbers.push(...numbersOf(activation));
  return Float64Array.from(numbers);
}

export function unpackLines(from: Float64Array, newSegment: () => Segment): LinesState {
  let at = 1;
  const next = (): number => from[at++] ?? 0;
  const [strand, lossOrdinal] = [next(), next()];
  const lines = Array.from({ length: next() }, () => new Line());
  const byId = new Map<number, Activation>();
  const activation = (line: Line | null): Activation => {
    const one = new Activation();
    [one.id, one.fn, one.ordinal, one.depth, one.start] = [next(), next(), next(), next(), next()];
    [one.child, one.suspended, one.since, one.parkedBefore] = [next(), next(), next(), next()];
    one.line = line;
    byId.set(one.id, one);
    return one;
  };
  const main = lines[next()] ?? new Line();
  const current = lines[next()] ?? main;
  for (const line of lines) {
    [line.strand, line.parentOrdinal, line.depth] = [next(), next(), next()];
    [line.parkedNs, line.parkedAt] = [next(), next()];
    line.cameFrom = lines[next()] ?? null;
    line.isTold = next() === 1;
    for (let items = next(); items > 0; items--) {
      const length = next();
      if (length < 0) {
        line.items.push(activation(line));
        continue;
      }
      const segment = newSegment();
      [segment.parentOrdinal, segment.depth, segment.parkedBefore] = [next(), next(), next()];
      segment.stacks.restore(from.subarray(at, at + length));
      at += length;
      line.items.push(segment);
    }
  }
  for (let count = next(); count > 0; count--) activation(null);
  return { strand, lossOrdinal, lines, main, current, byId };
}

/** What lies above an item of a line ran for so long. */
export function addChild(item: Item | undefined, ns: number): void {
  if (item instanceof Activation) item.child += ns;
  else item?.stacks.addChild(ns);
}

function numbersOf(activation: Activation): number[] {
  const { id, fn, ordinal, depth, start, child, suspended, since, parkedBefore } = activation;
  return [id, fn, ordinal, depth, start, child, suspended, since, parkedBefore];
}
