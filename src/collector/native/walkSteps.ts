import { farRoom, mostElements } from '../../model/values/shape.ts';
import { walkFlag, walkKind, walkStep } from '../../protocol/walk.ts';

/** Words of truth values that hold as many as elements are captured. */
export const bitWords = Math.ceil(mostElements / 64);

/** A step of a walk (protocol/walk). */
export interface Step {
  readonly kind: number;
  readonly flags?: number;
  /** A node's key. */
  readonly node?: string;
  readonly at?: number;
  readonly size?: number;
  readonly a?: number;
  readonly b?: number;
  readonly c?: number;
  readonly d?: number;
  readonly e?: number;
}

/** Words that tell what belongs together; `mark`: of the byte whose lowest bit says that they changed. */
export function again(at: number, bytes: number, mark: number): Step {
  return { kind: walkKind.again, at, size: bytes - (bytes % 8), a: at + mark };
}

/** Elements in the piece itself; secrets in those that are too many to be walked are wiped with them. */
export function each(
  inner: readonly Step[],
  { at, size, count, node }: { at: number; size: number; count: number; node: string },
): Step[] {
  const walked = Math.min(count, mostElements);
  const steps: Step[] = [{ kind: walkKind.each, at, size, a: walked, node }];
  const hides = walked < count && inner.some(({ kind }) => kind === walkKind.blank);
  if (hides)
    steps.push({ kind: walkKind.blank, at: at + walked * size, size: (count - walked) * size });
  return steps;
}

/** The first step of a walk: how far pointers are followed, and how much of a text is copied. */
export function firstHead(size: number, depth: number, whole: number, textBytes: number): Step {
  const far = { d: farRoom.copies, e: farRoom.words };
  return { kind: walkKind.head, size, a: depth, b: textBytes, c: whole, ...far };
}

/** Copies what the address at `at` leads to. */
export function follow(flags: number, at: number, size: number, node: string): Step {
  return { kind: walkKind.follow, flags, at, size, node };
}

/** Holds for numbers of 64 bits from `low` to `high`. */
export function whenBetween(low: bigint, high: bigint): Step {
  const from = { a: Number(low & 0xffffffffn), b: Number(low >> 32n) };
  const to = { c: Number(high & 0xffffffffn), d: Number(high >> 32n) };
  return { kind: walkKind.when, ...from, ...to };
}

/** The steps of all nodes by their keys, the program's first one first, and one that ends the last. */
export function encodeNodes(nodes: ReadonlyMap<string, readonly Step[]>): Buffer {
  const starts = new Map<string, number>();
  let count = 0;
  for (const [key, steps] of nodes) {
    starts.set(key, count);
    count += steps.length;
  }
  const bytes = Buffer.alloc((count + 1) * walkStep.bytes);
  const all = [...nodes.values()].flat();
  for (const [i, step] of all.entries())
    writeStep(bytes, i * walkStep.bytes, step, starts.get(step.node ?? '') ?? 0);
  const has = (wanted: number): boolean => all.some(({ kind }) => kind === wanted);
  bytes[walkStep.flags] =
    (has(walkKind.again) ? walkFlag.again : 0) | (has(walkKind.blank) ? walkFlag.blank : 0);
  return bytes;
}

/** `node`: index of the first step of the node it leads to. */
function writeStep(bytes: Buffer, at: number, step: Step, node: number): void {
  bytes.writeUInt8(step.kind, at + walkStep.kind);
  bytes.writeUInt8(step.flags ?? 0, at + walkStep.flags);
  bytes.writeUInt16LE(node, at + walkStep.node);
  const numbers = {
    at: step.at,
    size: step.size,
    a: step.a,
    b: step.b,
    c: step.c,
    d: step.d,
    e: step.e,
  };
  for (const name of ['at', 'size', 'a', 'b', 'c', 'd', 'e'] as const)
    bytes.writeUInt32LE((numbers[name] ?? 0) >>> 0, at + walkStep[name]);
}
