import { firstMethod } from '../../../../model/values/shape.ts';
import { relocatedWords } from '../../elf/relocatedWords.ts';
import { attribute, languageNames, tag } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { Entry, afterChildren } from '../entry.ts';
import { mostBytes, tooMuch } from './hierarchy.ts';
import type { TypeReference } from './types.ts';
import type { Unit } from '../unitTable.ts';

/** A type that implements a trait, told by its vtable. */
export interface Implementer {
  readonly name: string;
  readonly type: TypeReference;
  /** Bytes from the vtable's first method to the vtable. */
  readonly apart: number;
  /** The same from what drops a value; null: nothing does. */
  readonly drop: number | null;
}

/** DW_OP_addr, and DW_OP_addrx of DWARF 5. */
const operation = { address: 0x03, index: 0xa1 } as const;
const mostImplementers = 16;

const known = new WeakMap<DebugInfo, ReadonlyMap<string, readonly Implementer[]>>();

/** The types of a Rust program that implement a trait, as debug information spells it, and can be told apart. */
export function implementersOf(info: DebugInfo, trait: string): readonly Implementer[] {
  // It is read once for its vtables.
  if (info.size > mostBytes) {
    info.leftOut.add(`what is behind dyn shows its vtable, but no type: ${tooMuch(info)}`);
    return [];
  }
  let all = known.get(info);
  if (all === undefined) {
    all = readAll(info);
    known.set(info, all);
  }
  const found = all.get(trait) ?? [];
  const told = new Map(found.map((one) => [one.apart, one]));
  // Where the linker made one vtable of two types', it tells neither.
  return [...told.values()]
    .filter(({ apart, name }) => found.every((one) => one.apart !== apart || one.name === name))
    .slice(0, mostImplementers);
}

function readAll(info: DebugInfo): ReadonlyMap<string, readonly Implementer[]> {
  const found = new Map<string, Implementer[]>();
  const words = relocatedWords(info.elf);
  for (const unit of info.units) {
    if (languageNames.get(unit.language) !== 'Rust') continue;
    for (const { name, address, type } of vtablesIn(info, unit)) {
      const [, own, trait] = /^<(.+) as (.+)>::\{vtable\}$/.exec(name) ?? [];
      const method = words.get(address + firstMethod);
      if (own === undefined || trait === undefined || method === undefined) continue;
      const list = found.get(trait) ?? [];
      const drop = words.get(address);
      list.push({
        name: own,
        type,
        apart: address - method,
        drop: drop === undefined ? null : address - drop,
      });
      found.set(trait, list);
    }
  }
  return found;
}

/** They stand beside each other, in no namespace; the type of each says which type it is of (DW_AT_containing_type). */
function vtablesIn(
  info: DebugInfo,
  unit: Unit,
): { readonly name: string; readonly address: number; readonly type: TypeReference }[] {
  const { header, table } = unit;
  const cursor = info.cursor(unit);
  const entry = new Entry();
  const found: { name: string; address: number; type: TypeReference }[] = [];
  if (!entry.read(cursor, header.firstEntry, table, header)) return found;
  for (let at = entry.after; at < cursor.bytes.length;) {
    if (!entry.read(cursor, at, table, header)) break;
    at = afterChildren(entry, cursor, table, header);
    if (entry.tag !== tag.variable || !entry.has(attribute.location)) continue;
    const name = info.text(unit, entry, attribute.name);
    const target = name.endsWith('::{vtable}') ? info.follow(unit, entry, attribute.type) : null;
    if (!target) continue;
    const layout = info.read(target.unit, target.offset, new Entry());
    const type = info.follow(target.unit, layout, attribute.containingType);
    const expression = info.expression(unit, entry, attribute.location, 0);
    const address = expression && addressOf(info, unit, expression);
    if (type && address && layout.value(attribute.byteSize) > firstMethod)
      found.push({ name, address, type });
  }
  return found;
}

function addressOf(info: DebugInfo, unit: Unit, expression: Uint8Array): number | null {
  const cursor = new Cursor(expression, 0);
  const code = expression.length > 1 ? cursor.u8() : 0;
  if (code === operation.index) return info.addressEntry(unit, cursor.uleb());
  return code === operation.address && expression.length === 9 ? cursor.address(8) : null;
}
