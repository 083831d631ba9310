import { callersResult, type Place } from '../../../model/values/valueType.ts';
import { alignmentOf, holdsUnknown, isEmpty, sizeOf, someLayout } from '../abi/layout.ts';
import type { Aggregate, Layout } from '../abi/layout.ts';
import { RegisterFile, firstVector } from '../abi/registerFile.ts';
import type { Placement } from '../abi/registerFile.ts';

/** rdi rsi rdx rcx r8 r9, and xmm0 to xmm7. */
export const parameterRegisters = { integers: 6, floats: 8 } as const;

/** Classes of an eightbyte (System V x86-64 psABI §3.2.3). */
type EightbyteClass = 'none' | 'integer' | 'sse' | 'sseUp' | 'x87' | 'x87Up' | 'memory';

/** The classes of a value of at most 16 bytes (or one vector), or memory. */
export function classify(layout: Layout): readonly EightbyteClass[] | 'memory' {
  const bytes = sizeOf(layout);
  if (layout.kind === 'none' || layout.kind === 'unknown') return [];
  if (bytes > 16) return 'memory';
  const classes: EightbyteClass[] = [];
  if (!mergeInto(classes, layout, 0, 0) || classes.includes('memory')) return 'memory';
  for (let i = 0; i < classes.length; i++) {
    if (classes[i] === 'x87Up' && classes[i - 1] !== 'x87') return 'memory';
    if (classes[i] === 'sseUp' && classes[i - 1] !== 'sse') classes[i] = 'sse';
  }
  return classes;
}

/** False when a field is not aligned: the whole is passed in memory. */
function mergeInto(
  classes: EightbyteClass[],
  layout: Layout,
  offset: number,
  depth: number,
): boolean {
  if (depth > 32) return false;
  switch (layout.kind) {
    case 'none':
    case 'unknown':
      return true;
    case 'aggregate':
      return layout.fields.every((field) =>
        mergeInto(classes, field.layout, offset + field.offset, depth + 1),
      );
    case 'array': {
      const size = sizeOf(layout.element);
      // An array inside at most 16 bytes has few elements, unless they are empty.
      for (let i = 0; i < Math.min(layout.count, 16); i++) {
        if (!mergeInto(classes, layout.element, offset + i * size, depth + 1)) return false;
      }
      return true;
    }
    default:
      break;
  }
  if (offset % alignmentOf(layout) !== 0) return false;
  const first = Math.floor(offset / 8);
  switch (layout.kind) {
    case 'integer':
      merge(classes, first, 'integer');
      break;
    case 'float':
      merge(classes, first, 'sse');
      break;
    case 'integer128':
      merge(classes, first, 'integer');
      merge(classes, first + 1, 'integer');
      break;
    case 'extended':
      merge(classes, first, 'x87');
      merge(classes, first + 1, 'x87Up');
      break;
    case 'vector':
      merge(classes, first, 'sse');
      if (layout.bytes > 8) merge(classes, first + 1, 'sseUp');
      break;
    // Of Rust, whose rules are others.
    case 'choice':
      break;
    case 'complex':
      for (let at = 0; at < layout.bytes; at += 8) merge(classes, first + at / 8, 'sse');
      break;
  }
  return true;
}

function merge(classes: EightbyteClass[], index: number, added: EightbyteClass): void {
  while (classes.length <= index) classes.push('none');
  const old = classes[index] ?? 'none';
  classes[index] = mergedClass(old, added);
}

function mergedClass(a: EightbyteClass, b: EightbyteClass): EightbyteClass {
  if (a === b || b === 'none') return a;
  if (a === 'none') return b;
  if (a === 'memory' || b === 'memory') return 'memory';
  if (a === 'integer' || b === 'integer') return 'integer';
  return [a, b].some((one) => one === 'x87' || one === 'x87Up') ? 'memory' : 'sse';
}

/** Where the parameters of a C or C++ function lie at its entry, `this` included. */
export function placeSysv(parameters: readonly Layout[], returns: Layout): Placement {
  const registers = new RegisterFile(parameterRegisters);
  const hidden = needsHiddenPointer(returns);
  if (hidden === 'unknown') registers.giveUp('how the result is returned is not known');
  else if (hidden) registers.takeInteger();
  const places = parameters.map((layout) => registers.whenKnown(() => place(registers, layout)));
  return { places, stackBytes: registers.stackBytes };
}

/** Whether the caller passes the address of the result as a first, invisible parameter. */
export function needsHiddenPointer(returns: Layout): boolean | 'unknown' {
  if (returns.kind === 'unknown') return 'unknown';
  if (returns.kind === 'vector' && returns.bytes > 16) return 'unknown';
  if (returns.kind === 'complex' && returns.bytes === 32) return false;
  if (returns.kind === 'aggregate') {
    if (returns.passing === 'unknown' || holdsUnknown(returns)) return 'unknown';
    if (returns.passing === 'reference') return true;
  }
  return classify(returns) === 'memory';
}

function place(registers: RegisterFile, layout: Layout): Place {
  const scalar = registers.takeScalar(layout);
  if (scalar) return scalar;
  switch (layout.kind) {
    case 'vector':
      return layout.bytes > 16 ? registers.giveUp('a wide vector') : inParts(registers, layout);
    case 'aggregate':
      return placeAggregate(registers, layout);
    default:
      return inParts(registers, layout);
  }
}

function placeAggregate(registers: RegisterFile, layout: Aggregate): Place {
  if (layout.passing === 'unknown')
    return registers.giveUp('whether this class is passed by reference is not known');
  if (layout.passing === 'reference') {
    return registers.takeInteger();
  }
  if (holdsUnknown(layout)) return registers.giveUp('a type that is not known completely');
  if (isEmpty(layout)) return { kind: 'none', reason: 'it is empty' };
  if (layout.bytes > 16 && holdsWideVector(layout)) return registers.giveUp('a wide vector');
  return inParts(registers, layout);
}

/** All parts in registers, or the whole on the stack (psABI §3.2.3, "Passing"). */
function inParts(registers: RegisterFile, layout: Layout): Place {
  const classes = classify(layout);
  const integers = classes === 'memory' ? 0 : classes.filter((one) => one === 'integer').length;
  const floats = classes === 'memory' ? 0 : classes.filter((one) => one === 'sse').length;
  const isInMemory =
    classes === 'memory' || classes.some((one) => one === 'x87' || one === 'memory');
  const first = isInMemory ? null : registers.takeParts(integers, floats);
  if (first !== null && classes !== 'memory') {
    if (integers === 2) return { kind: 'pair', first: first.integer, second: first.integer + 1 };
    return partsOf(classes, first.integer, firstVector + first.float, sizeOf(layout));
  }
  const alignment = alignmentOf(layout);
  if (alignment > 16) return registers.giveUp('a type with a large alignment');
  const bytes = sizeOf(layout);
  return { kind: 'memory', offset: registers.takeStack(bytes, alignment), bytes };
}

/** Eightbytes in registers, each kind counted on from its first one. */
function partsOf(
  classes: readonly EightbyteClass[],
  integer: number,
  vector: number,
  bytes: number,
): Place {
  if (classes.some((one) => one !== 'integer' && one !== 'sse'))
    return { kind: 'none', reason: 'it is wider than the registers that are kept' };
  let [nextInteger, nextVector] = [integer, vector];
  const registers = classes.map((one) => (one === 'integer' ? nextInteger++ : nextVector++));
  return { kind: 'parts', registers, bytes, second: 8 };
}

/** st0 among the registers of a returned value; rax and rdx are 0 and 1. */
const x87Top = 2;

/** Where a C or C++ function leaves its result (psABI §3.2.3, "Returning of Values"). */
export function returnedSysv(returns: Layout): Place {
  const hidden = needsHiddenPointer(returns);
  const bytes = sizeOf(returns);
  if (hidden === 'unknown') return { kind: 'none', reason: 'how it is returned is not known' };
  if (hidden) return { kind: 'address', register: callersResult, offset: 0, bytes };
  if (bytes === 0 || (returns.kind === 'aggregate' && isEmpty(returns)))
    return { kind: 'none', reason: 'it takes no space' };
  const classes = classify(returns);
  if (classes === 'memory') return { kind: 'none', reason: 'how it is returned is not known' };
  if (classes[0] === 'x87' && classes.length === 2)
    return { kind: 'parts', registers: [x87Top], bytes: 16, second: 8 };
  return partsOf(classes, 0, firstVector, bytes);
}

function holdsWideVector(layout: Layout): boolean {
  return someLayout(layout, (part) => part.kind === 'vector' && part.bytes > 16);
}
