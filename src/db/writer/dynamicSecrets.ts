import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import { SecretCutter } from '../../model/decoding/secretCutter.ts';
import { SecretKeys } from '../../model/decoding/secretKeys.ts';
import {
  eventKind,
  firstActivation,
  watchFlags,
  watchNumberBits,
  type EventColumns,
  type TracedFunction,
} from '../../model/eventColumns.ts';
import { definedFunction } from '../../model/functions/definedFunction.ts';
import type { Definition } from '../../model/functions/definition.ts';
import { secretNames } from '../../model/values/redaction.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import type { FunctionFacts } from './functionFacts.ts';

/** What a function gives out: as secret as its result. */
const results = new Set<number>([eventKind.return, eventKind.suspend]);
/** Their payload is no value. */
const without = new Set<number>([eventKind.watch, eventKind.jumped, eventKind.context]);

/**
 * Leaves secrets out of what dynamic languages tell before anything of it is stored: whoever reads the file, filters,
 * sorts, compares or exports finds none. What native functions are given stays in the program (collector/native).
 */
export class DynamicSecrets {
  /** What the names of secrets are made of. */
  readonly names: readonly string[];
  readonly #facts: FunctionFacts;
  readonly #keys: SecretKeys;

  constructor(names: readonly string[] | undefined, facts: FunctionFacts) {
    this.names = names ?? secretNames;
    this.#keys = new SecretKeys(this.names);
    this.#facts = facts;
  }

  /** The functions among definitions. */
  functionsOf(definitions: readonly Definition[]): TracedFunction[] {
    return definitions.flatMap((definition) =>
      definition.kind === 'function' ? [definedFunction(definition, this.names)] : [],
    );
  }

  /** The same events of one process without secrets. `names`: what it defined. */
  without(events: EventColumns, names: DefinedNames): EventColumns {
    if (this.names.length === 0 || !this.#facts.hasDynamic) return events;
    const { count, kind, fn, payloadStart, payload } = events;
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    const cutter = new SecretCutter(bytes, names, this.#keys);
    const starts = new Uint32Array(count + 1);
    let to = payloadStart[0] ?? 0;
    for (let row = 0; row < count; row++) {
      const from = to;
      to = payloadStart[row + 1] ?? from;
      starts[row] = cutter.placeOf(from);
      const number = fn[row] ?? 0;
      if (to > from && number >= firstActivation)
        this.#cut(cutter, kind[row] ?? 0, number, from, to);
    }
    starts[count] = cutter.placeOf(to);
    const kept = cutter.kept(to);
    return kept ? { ...events, payloadStart: starts, payload: kept } : events;
  }

  #cut(cutter: SecretCutter, kind: number, fn: number, from: number, to: number): void {
    // What holds it comes before the value that a watch saw.
    if (kind === eventKind.watch && isOwnValue(fn >>> watchNumberBits))
      cutter.value(from + 8, to, false);
    if (without.has(kind)) return;
    const known = this.#facts.of(fn);
    if (kind !== eventKind.enter) {
      cutter.value(from, to, results.has(kind) && known !== undefined && isSecret(known.returns));
      return;
    }
    let at = from;
    for (const { type } of known?.captured ?? []) {
      if (at >= to) return;
      at = cutter.value(at, to, isSecret(type));
    }
  }
}

/** Of the flags of a sample: what it saw describes itself. */
function isOwnValue(flags: number): boolean {
  const { tree, text, unreadable } = watchFlags;
  return (flags & (tree | text | unreadable)) === tree;
}

function isSecret(type: ValueType): boolean {
  return type.kind === 'dynamic' && type.secret !== undefined;
}
