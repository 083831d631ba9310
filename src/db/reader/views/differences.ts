import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { DefinedNames } from '../../../model/decoding/dynamic.ts';
import type { CallEnd, Value } from '../../../model/questions/query.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import { endMask, endNames } from '../../blockFormat.ts';
import type { Block } from '../block.ts';
import { endAt } from './callViews.ts';
import { decodeValue, plainText } from '../values/capturedValues.ts';

/** A call on one side. */
export interface CallPlace {
  readonly fn: TracedFunction;
  readonly block: Block;
  readonly row: number;
  /** An end that came later is not known yet; infinite: none did. */
  readonly until: number;
}

/**
 * In what two calls of one function differ: names of arguments, `return`, or `end`. Addresses
 * differ from run to run: of pointers only null counts.
 */
export function differences(here: CallPlace, there: CallPlace): string[] {
  const entered = differing(argumentsOf(here), argumentsOf(there));
  const found = isConstructor(here.fn.name) ? entered.filter((name) => !isOfObject(name)) : entered;
  const ended = endOf(here);
  if (ended !== endOf(there)) found.push('end');
  else if (ended === 'returned') found.push(...differing(resultOf(here), resultOf(there)));
  return found;
}

/** Durations are read only where a call may have ended too late. */
function endOf({ block, row, until }: CallPlace): CallEnd {
  if (Number.isFinite(until)) return endAt(block, row, until);
  return endNames[(block.end[row] ?? 0) & endMask] ?? 'lost';
}

/** What a constructor is given as its object holds nothing yet. */
function isConstructor(name: string): boolean {
  return /(?:^|::)(\w+)(?:<.*>)?::\1$/.test(name);
}

function isOfObject(name: string): boolean {
  return name === '*this' || name.startsWith('this.');
}

interface Captured {
  readonly values: readonly { readonly name: string; readonly type: ValueType }[];
  readonly bytes: Buffer;
  readonly names: DefinedNames;
}

function argumentsOf({ fn, block, row }: CallPlace): Captured {
  return { values: fn.captured, bytes: block.enterPayload(row), names: block.names };
}

function resultOf({ fn, block, row }: CallPlace): Captured {
  const values = fn.returns.kind === 'void' ? [] : [{ name: 'return', type: fn.returns }];
  return { values, bytes: block.returnPayload(row), names: block.names };
}

function differing(here: Captured, there: Captured): string[] {
  if (here.bytes.equals(there.bytes)) return [];
  const found: string[] = [];
  let hereAt = 0;
  let thereAt = 0;
  for (const [i, { name, type }] of here.values.entries()) {
    const match = there.values[i];
    if (!match) break;
    const one = decodeValue(type, here.bytes, hereAt, here.bytes.length, here.names);
    const other = decodeValue(match.type, there.bytes, thereAt, there.bytes.length, there.names);
    if (comparable(one.value) !== comparable(other.value)) found.push(name);
    hereAt = one.next;
    thereAt = other.next;
  }
  return found;
}

/** Equal for values that do not differ: addresses are not compared. */
export function comparable(value: Value): string {
  if (value.kind === 'pointer') return value.isNull ? 'null' : 'pointer';
  if (value.kind === 'object') {
    return value.object.fields.map((field) => comparable(field.value)).join();
  }
  if (value.kind === 'list') return `[${value.items.map(comparable).join()}] of ${value.total}`;
  if (value.kind === 'map') {
    const entries = value.entries.map((one) => `${comparable(one.key)}: ${comparable(one.value)}`);
    return `{${entries.join()}} of ${value.total}`;
  }
  if (value.kind === 'variant')
    return `${value.name}(${value.value ? comparable(value.value) : ''})`;
  const text = plainText(value);
  // Without debug information a number may be an address.
  return value.kind === 'unreadable' || (value.kind === 'int' && text.startsWith('0x')) ? '' : text;
}
