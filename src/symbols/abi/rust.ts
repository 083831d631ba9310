import type { Place } from '../../model/valueType.ts';
import { alignmentOf, sizeOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { RegisterFile } from './registerFile.ts';
import type { Placement } from './registerFile.ts';

/**
 * Where the parameters of a Rust function lie. The Rust ABI is not specified and differs from C for
 * aggregates; used here is only what held in every compiler since 1.60: scalars (and structures that
 * wrap one) go as in C, `&str`, slices and trait objects as two integers, empty types not at all, and a
 * result above 16 bytes through a hidden pointer. Anything else makes the later places uncertain.
 */
export function placeRust(parameters: readonly Layout[], returns: Layout): Placement {
  const registers = new RegisterFile();
  const hidden = needsHiddenPointer(returns);
  if (hidden === 'unknown') registers.giveUp('how Rust returns this result is not specified');
  else if (hidden) registers.takeInteger();
  const places = parameters.map((layout) => registers.whenKnown(() => place(registers, layout)));
  // `#[track_caller]` adds a pointer that the debug information does not show; it may be on the stack.
  const stackBytes = registers.integersLeft > 0 ? registers.stackBytes : null;
  return { places, stackBytes };
}

/** The scalar inside structures that hold nothing else. */
export function wrappedScalar(layout: Layout, depth = 0): Layout | null {
  if (layout.kind === 'integer' || layout.kind === 'float') return layout;
  if (layout.kind !== 'aggregate' || depth > 32) return null;
  const filled = layout.fields.filter(
    (field) => sizeOf(field.layout) > 0 || field.layout.kind === 'unknown',
  );
  const only = filled[0];
  if (
    only === undefined ||
    filled.length > 1 ||
    only.offset !== 0 ||
    sizeOf(only.layout) !== layout.bytes
  )
    return null;
  return wrappedScalar(only.layout, depth + 1);
}

function isEmpty(layout: Layout): boolean {
  return layout.kind === 'none' || (layout.kind === 'aggregate' && layout.bytes === 0);
}

export function needsHiddenPointer(returns: Layout): boolean | 'unknown' {
  if (isEmpty(returns) || wrappedScalar(returns) !== null) return false;
  if (returns.kind !== 'aggregate') return 'unknown';
  if (returns.isPointerPair) return false;
  // Two 128-bit scalars may still be returned in registers.
  return returns.bytes > 16 && alignmentOf(returns) <= 8 ? true : 'unknown';
}

function place(registers: RegisterFile, layout: Layout): Place {
  if (isEmpty(layout)) return { kind: 'none', reason: 'it takes no space' };
  if (layout.kind === 'integer') return registers.takeInteger();
  if (layout.kind === 'float') return registers.takeFloat();
  const scalar = wrappedScalar(layout);
  if (scalar !== null) {
    if (scalar.kind === 'float') registers.takeFloat();
    else registers.takeInteger();
    return { kind: 'none', reason: 'a structure around one scalar' };
  }
  if (layout.kind === 'aggregate' && layout.isPointerPair) {
    const first = registers.takeParts(2, 0);
    if (first !== null) return { kind: 'pair', first, second: first + 1 };
    registers.takeInteger();
    registers.takeInteger();
    return { kind: 'none', reason: 'a reference of two words on the stack' };
  }
  return registers.giveUp('how Rust passes this type is not specified');
}
