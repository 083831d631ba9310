import type { AbbreviationTable } from './abbreviations.ts';
import { kept, role } from './abbreviations.ts';
import type { Cursor } from './cursor.ts';
import { StepReader } from './stepReader.ts';
import type { UnitHeader } from './unitHeader.ts';

const maxNesting = 4000;

/**
 * The skeleton of one unit, in rows of typed arrays that are used again for the next unit:
 *
 *   scopes    namespaces, types and functions that may hold or be a function: offset and parent row
 *   functions those with code: their scope row, low_pc, high_pc or ranges
 *   inlined   inlined calls: abstract origin and the function row they lie in
 *
 * Everything else is stepped over. Offsets count from the unit's start.
 */
export class UnitScan {
  scopeCount = 0;
  scopeOffsets = new Uint32Array(1 << 12);
  /** Row of the surrounding scope, -1 at the top. */
  scopeParents = new Int32Array(1 << 12);

  functionCount = 0;
  functionScopes = new Uint32Array(1 << 10);
  /** Values as written, forms beside them; form 0 = absent. */
  lowPcs = new Float64Array(1 << 10);
  lowForms = new Uint16Array(1 << 10);
  highPcs = new Float64Array(1 << 10);
  highForms = new Uint16Array(1 << 10);
  ranges = new Float64Array(1 << 10);
  rangeForms = new Uint16Array(1 << 10);

  inlinedCount = 0;
  origins = new Float64Array(1 << 10);
  originForms = new Uint16Array(1 << 10);
  inlinedInto = new Uint32Array(1 << 10);

  /** Row of the scope and of the function inside the entry that was visited last, -1 = none. */
  #inner = -1;
  #innerFunction = -1;
  /** Of each entry above the one at hand: those around it. */
  readonly #outerScopes = new Int32Array(maxNesting + 2);
  readonly #outerFunctions = new Int32Array(maxNesting + 2);

  readonly #reader = new StepReader(kept.count);
  readonly #values = this.#reader.values;
  readonly #forms = this.#reader.forms;

  /** The row of the scope at this offset, or -1. Rows are in ascending order of offset. */
  rowAt(offset: number): number {
    let low = 0;
    let high = this.scopeCount - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.scopeOffsets[middle] ?? 0;
      if (found === offset) return middle;
      if (found < offset) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /**
   * Walks the whole unit under `cursor`. Throws a RangeError at damage; the rows read before stay valid.
   */
  scan(cursor: Cursor, unit: UnitHeader, table: AbbreviationTable): void {
    this.scopeCount = 0;
    this.functionCount = 0;
    this.inlinedCount = 0;
    const { bytes } = cursor;
    const end = bytes.length;
    const { roles, hasChildren, glances, scan: program } = table;
    const outerScopes = this.#outerScopes;
    const outerFunctions = this.#outerFunctions;
    // Row of the scope and of the function around the entry at hand.
    let scope = -1;
    let fn = -1;
    let depth = 0;
    // A place that comes out of other hands is made an integer again: one that is not makes all reckoning with it slow.
    let at = unit.firstEntry >>> 0;
    while (at < end) {
      const offset = at;
      let code = bytes[at++] ?? 0;
      if (code > 127) {
        cursor.at = offset;
        code = cursor.uleb();
        at = cursor.at >>> 0;
      }
      if (code === 0) {
        if (--depth <= 0) return;
        scope = outerScopes[depth] ?? -1;
        fn = outerFunctions[depth] ?? -1;
        continue;
      }
      const passed = depth > 0 ? this.#pass(cursor, at, offset, glances[code], scope) : 0;
      if (passed > 0) {
        at = passed >>> 0;
        continue;
      }
      const kind = roles[code] ?? role.absent;
      if (kind === role.absent) throw new RangeError(`abbreviation ${code} does not exist`);
      if (kind > role.plain) this.#reader.clear();
      const after = this.#reader.run(cursor, at, code, program, unit);
      if (after > end) throw new RangeError('an entry reaches beyond its unit');
      at = after >>> 0;
      const isParent = hasChildren[code] === 1;
      this.#inner = scope;
      this.#innerFunction = fn;
      const next = kind > role.plain ? this.#visit(kind, offset, isParent, at, end) : 0;
      if (isParent && next === 0) {
        outerScopes[depth] = scope;
        outerFunctions[depth] = fn;
        scope = this.#inner;
        fn = this.#innerFunction;
        if (++depth > maxNesting) throw new RangeError('entries nest too deeply');
        continue;
      }
      if (depth === 0) return;
      if (next > 0) at = next >>> 0;
    }
  }

  /** The position behind an entry that a glance tells enough of, and behind its children; 0 of others. See `Glances`. */
  #pass(
    { bytes, view }: Cursor,
    at: number,
    offset: number,
    glance: number | undefined,
    scope: number,
  ): number {
    if (glance === undefined || glance === 0) return 0;
    const end = bytes.length;
    const after = at + (glance & 0xffff);
    if (after > end) throw new RangeError('an entry reaches beyond its unit');
    const place = glance >>> 16;
    if (place === 0) return after;
    const next = view.getUint32(at + place - 1, true);
    if (next < after || next >= end) return 0;
    this.#addScope(offset, scope);
    return next;
  }

  /** Makes the rows of an entry and sets what its children lie in; returns the position behind those when they may be stepped over, else 0. */
  #visit(kind: number, offset: number, isParent: boolean, at: number, end: number): number {
    switch (kind) {
      case role.leaf:
        return isParent ? this.#sibling(at, end) : 0;
      case role.scope:
        if (isParent) this.#inner = this.#addScope(offset, this.#inner);
        return 0;
      case role.functionDeclaration:
        this.#inner = this.#addScope(offset, this.#inner);
        return isParent && this.#forms[kept.isDeclaration] !== 0 ? this.#sibling(at, end) : 0;
      case role.functionCode:
        this.#inner = this.#addScope(offset, this.#inner);
        this.#innerFunction = this.#addFunction(this.#inner);
        return 0;
      default:
        if (this.#innerFunction >= 0 && this.#forms[kept.origin] !== 0)
          this.#addInlined(this.#innerFunction);
        return 0;
    }
  }

  #sibling(at: number, end: number): number {
    const next = this.#forms[kept.sibling] === 0 ? 0 : (this.#values[kept.sibling] ?? 0);
    return next >= at && next < end ? next : 0;
  }

  #addScope(offset: number, parent: number): number {
    const row = this.scopeCount++;
    if (row === this.scopeOffsets.length) {
      this.scopeOffsets = larger(this.scopeOffsets, new Uint32Array(row * 2));
      this.scopeParents = larger(this.scopeParents, new Int32Array(row * 2));
    }
    this.scopeOffsets[row] = offset;
    this.scopeParents[row] = parent;
    return row;
  }

  #addFunction(scope: number): number {
    const row = this.functionCount++;
    if (row === this.functionScopes.length) {
      const size = row * 2;
      this.functionScopes = larger(this.functionScopes, new Uint32Array(size));
      this.lowPcs = larger(this.lowPcs, new Float64Array(size));
      this.lowForms = larger(this.lowForms, new Uint16Array(size));
      this.highPcs = larger(this.highPcs, new Float64Array(size));
      this.highForms = larger(this.highForms, new Uint16Array(size));
      this.ranges = larger(this.ranges, new Float64Array(size));
      this.rangeForms = larger(this.rangeForms, new Uint16Array(size));
    }
    this.functionScopes[row] = scope;
    this.lowPcs[row] = this.#values[kept.lowPc] ?? 0;
    this.lowForms[row] = this.#forms[kept.lowPc] ?? 0;
    this.highPcs[row] = this.#values[kept.highPc] ?? 0;
    this.highForms[row] = this.#forms[kept.highPc] ?? 0;
    this.ranges[row] = this.#values[kept.ranges] ?? 0;
    this.rangeForms[row] = this.#forms[kept.ranges] ?? 0;
    return row;
  }

  #addInlined(fn: number): void {
    const row = this.inlinedCount++;
    if (row === this.origins.length) {
      this.origins = larger(this.origins, new Float64Array(row * 2));
      this.originForms = larger(this.originForms, new Uint16Array(row * 2));
      this.inlinedInto = larger(this.inlinedInto, new Uint32Array(row * 2));
    }
    this.origins[row] = this.#values[kept.origin] ?? 0;
    this.originForms[row] = this.#forms[kept.origin] ?? 0;
    this.inlinedInto[row] = fn;
  }
}

function larger<T extends Uint16Array | Uint32Array | Int32Array | Float64Array>(
  from: T,
  into: T,
): T {
  into.set(from);
  return into;
}
