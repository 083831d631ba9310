import { readOf } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RingPlan } from '../rings/ringPlan.ts';

/** What is no UTF-8 reads as this. */
const notText = '\uFFFD';
const between = '\x1f';
/** Of a field, as native/node/process.h has it. */
const mostBytes = 8192;
const optionsName = 'NODE_OPTIONS';

/** What a process that comes in by itself is to know. */
export interface OwnEntry {
  readonly enginePath: string;
  readonly startPath: string;
  readonly notesPath: string;
  readonly servicePath: string;
  readonly projectRoot: string;
  /** Where it comes in (ownLinks.ts). */
  readonly linkPath: string;
  readonly plan: RingPlan;
}

/**
 * What its environment begins with: the preload stands before the options of its user, which the preload puts back.
 * Throws INSTRUMENTATION_FAILED where that cannot be written.
 */
export function entryWords(pid: number, entry: OwnEntry): readonly string[] {
  const { plan, startPath } = entry;
  const numbers = [
    plan.slotCount,
    plan.ringBytes,
    plan.mostRingBytes,
    plan.growBytes,
    plan.forkedBytes,
    plan.sampling.callsPerSecond,
    plan.sampling.every,
  ];
  const own = ownOptions(pid);
  const fields = [
    entry.enginePath,
    plan.ringPath,
    numbers.join(),
    entry.notesPath,
    entry.servicePath,
    entry.projectRoot,
    entry.linkPath,
    ...(own === null ? [] : [own]),
  ];
  if (/["\\]/.test(startPath) || fields.some((field) => !isPassable(field)))
    throw new StrobeError(
      'INSTRUMENTATION_FAILED',
      `Process ${pid} cannot load the tracer by itself: a path or its NODE_OPTIONS are too long or hold signs that cannot be handed in.`,
    );
  const options = `--require "${startPath}"${own ? ` ${own}` : ''}`;
  return [`${optionsName}=${options}`, `STROBE_ENTER=${fields.join(between)}`];
}

/** The process keeps it whole, and it is text. */
function isPassable(field: string): boolean {
  return (
    Buffer.byteLength(field) < mostBytes && !field.includes(between) && !field.includes(notText)
  );
}

/** Of a process that has not run yet; null: its user set none. */
function ownOptions(pid: number): string | null {
  const words = readOf(pid, 'environ')?.split('\0') ?? [];
  const word = words.find((one) => one.startsWith(`${optionsName}=`));
  return word === undefined ? null : word.slice(optionsName.length + 1);
}
