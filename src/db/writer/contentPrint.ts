import type { TracedFunction } from '../../model/eventColumns.ts';
import { hasOwnLength, type ValueType } from '../../model/values/valueType.ts';
import type { CallRows } from './callRows.ts';
import { Fingerprint } from './fingerprint.ts';

/** What of a captured value's first two words tells it; the rest of a register may hold anything. */
interface Told {
  readonly low: number;
  readonly high: number;
  /** Only whether it is null: addresses differ from run to run. */
  readonly isAddress: boolean;
  /** Bytes follow, as many as `low` says. */
  readonly isLong: boolean;
}

const all = 0xffffffff;

/** What the values and ends of calls are remembered by. One per writer. */
export class ContentPrint {
  readonly #of: (fn: number) => TracedFunction | undefined;
  readonly #told = new Map<TracedFunction, readonly (readonly Told[])[]>();

  constructor(of: (fn: number) => TracedFunction | undefined) {
    this.#of = of;
  }

  /** Of rows [from, to). */
  number(rows: CallRows, from: number, to: number): number {
    const print = new Fingerprint();
    const { fn: numbers, payload, enterAt, enterBytes, returnAt, returnBytes, end: ends } = rows;
    const toldOf: (readonly (readonly Told[])[])[] = [];
    for (let row = from; row < to; row++) {
      const number = numbers[row] ?? 0;
      const [entered = [], returned = []] = (toldOf[number] ??= this.#toldOf(number));
      const at = enterAt[row] ?? 0;
      addValues(print, entered, payload, at, at + ((enterBytes[row] ?? 0) >>> 2));
      print.add(ends[row] ?? 0);
      const bytes = returnBytes[row] ?? 0;
      if (bytes === 0) continue;
      const back = returnAt[row] ?? 0;
      addValues(print, returned, payload, back, back + (bytes >>> 2));
    }
    return print.number;
  }

  #toldOf(number: number): readonly (readonly Told[])[] {
    const fn = this.#of(number);
    if (!fn) return [];
    const known = this.#told.get(fn);
    if (known) return known;
    const told = [fn.captured.map(({ type }) => toldBy(type)), [toldBy(fn.returns)]];
    this.#told.set(fn, told);
    return told;
  }
}

function addValues(
  print: Fingerprint,
  values: readonly Told[],
  payload: Uint32Array,
  from: number,
  end: number,
): void {
  let at = from;
  for (let i = 0; i < values.length && at + 2 <= end; i++) {
    const told = values[i];
    if (!told) return;
    const low = payload[at] ?? 0;
    const high = payload[at + 1] ?? 0;
    at += 2;
    if (told.isAddress) {
      print.add(low === 0 && high === 0 ? 0 : 1);
      continue;
    }
    print.add(low & told.low);
    if (told.high !== 0) print.add(high & told.high);
    if (!told.isLong) continue;
    const whole = Math.min(at + (low >>> 2), end);
    print.addAll(payload, at, whole);
    const rest = low & 3;
    if (rest > 0 && whole < end) print.add((payload[whole] ?? 0) & (all >>> (32 - rest * 8)));
    at = whole + ((((low + 7) & ~7) - (low & ~3)) >>> 2);
  }
}

function toldBy(type: ValueType): Told {
  const bytes = bytesOf(type);
  return {
    low: bytes >= 4 ? all : bytes === 0 ? 0 : all >>> (32 - bytes * 8),
    high: bytes > 4 ? all : 0,
    isAddress: type.kind === 'pointer',
    isLong: hasOwnLength(type),
  };
}

function bytesOf(type: ValueType): number {
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'enum':
    case 'float':
      return Math.min(8, Math.max(1, type.bytes));
    case 'bool':
      return 1;
    // May be addresses, and are compared by nobody (differences.ts).
    case 'unknown':
    case 'opaque':
    case 'void':
      return 0;
    default:
      return 8;
  }
}
