import type { CallView, ObjectValue, Value } from '../../../model/questions/query.ts';
import { partsOf } from '../../../model/values/valueParts.ts';

/*
 * A value that an answer shows several times is written out once:
 *
 *   checkout(cart=#1 0x7f20{items=[…], id=7}) = -2
 *     total(cart=#1) = -600
 *   checkout(cart=#1{id=8}) = 12            the same object, of which only this field differs
 *
 * An object that a pointer leads to is known by its address and its fields' names, everything else by its content.
 */

/** JSON of a value below which a number saves nothing. */
const LEAST_JSON = 90;

interface Numbered {
  readonly number: number;
  readonly json: string;
  readonly object: ObjectValue | null;
}

/** How a value that occurs again is written. */
type Repeated =
  /** For the first time: in full, with a number before it. */
  | { readonly kind: 'first'; readonly number: number }
  /** `changed`: the fields in which it differs from what was written; null: in none. */
  | { readonly kind: 'again'; readonly number: number; readonly changed: ObjectValue | null };

/** Numbers for the values that the calls of one answer have in common. Calls are written in the order they are asked. */
export class RepeatedValues {
  /** What is written again somewhere. */
  readonly #wanted: ReadonlySet<string>;
  readonly #numbered = new Map<string, Numbered>();
  readonly #identities = new Map<Value, Identity | null>();
  /** What is being written: in itself it has no number yet. */
  readonly #open = new Set<string>();
  #isUsed = false;

  /** `shared`: values that are written ahead of the calls. */
  constructor(calls: readonly CallView[], shared: readonly { readonly value: Value }[] = []) {
    const written = calls.flatMap((call) => [
      ...call.arguments.map(({ value }) => value),
      ...(call.end === 'returned' ? [call.returns] : []),
    ]);
    const wanted = new Set<string>();
    for (const value of [...shared.map((one) => one.value), ...written]) this.#try(value, wanted);
    this.#wanted = wanted;
    this.#numbered.clear();
    this.#isUsed = false;
  }

  /** A number stands for a value somewhere. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** How a value is written: `whole` writes it in full, `changed` what differs in it. */
  text(value: Value, whole: () => string, changed: (object: ObjectValue) => string): string {
    const identity = this.#identityOf(value);
    if (!identity || !this.#wanted.has(identity.key)) return whole();
    const repeated = this.#next(value, identity);
    if (repeated === null) return whole();
    const { number } = repeated;
    if (repeated.kind === 'again')
      return `#${number}${repeated.changed ? changed(repeated.changed) : ''}`;
    this.#open.add(identity.key);
    const text = `#${number} ${whole()}`;
    this.#open.delete(identity.key);
    return text;
  }

  /** Null: it differs too much from what was written, or is part of itself. */
  #next(value: Value, { key, json: content }: Identity): Repeated | null {
    if (this.#open.has(key)) return null;
    const known = this.#numbered.get(key);
    if (!known) {
      const number = this.#numbered.size + 1;
      this.#numbered.set(key, { number, json: content, object: objectIn(value) });
      return { kind: 'first', number };
    }
    const { number, json, object } = known;
    const changed = json === content ? null : changedFields(object, objectIn(value));
    if (changed === undefined) return null;
    this.#isUsed = true;
    return { kind: 'again', number, changed };
  }

  /** As it is going to be written: notes what is written again. */
  #try(value: Value, wanted: Set<string>): void {
    const identity = this.#identityOf(value);
    const repeated = identity && this.#next(value, identity);
    if (identity && repeated?.kind === 'again') {
      wanted.add(identity.key);
      return;
    }
    if (identity && repeated) this.#open.add(identity.key);
    for (const part of innerParts(value)) this.#try(part, wanted);
    if (identity && repeated) this.#open.delete(identity.key);
  }

  #identityOf(value: Value): Identity | null {
    const known = this.#identities.get(value);
    if (known !== undefined) return known;
    const identity = identityOf(value);
    this.#identities.set(value, identity);
    return identity;
  }
}

/** What an address leads to has the number of the address. */
function innerParts(value: Value): readonly Value[] {
  return value.kind === 'pointer' && value.target ? partsOf(value.target) : partsOf(value);
}

interface Identity {
  readonly key: string;
  readonly json: string;
}

function identityOf(value: Value): Identity | null {
  const isPointer = value.kind === 'pointer';
  const content = isPointer ? value.target : value;
  if (!content || !hasParts.has(content.kind)) return null;
  const json = JSON.stringify(content);
  if (json.length < LEAST_JSON) return null;
  const names =
    content.kind === 'object' ? content.object.fields.map(({ name }) => name).join(' ') : json;
  return { key: isPointer ? `${value.address} ${names}` : json, json };
}

const hasParts: ReadonlySet<Value['kind']> = new Set(['object', 'list', 'map', 'variant']);

function objectIn(value: Value): ObjectValue | null {
  const content = value.kind === 'pointer' ? value.target : value;
  return content?.kind === 'object' ? content.object : null;
}

/** Undefined: so much differs that it is better written in full. */
function changedFields(
  before: ObjectValue | null,
  now: ObjectValue | null,
): ObjectValue | undefined {
  if (!before || !now || before.left !== now.left || before.type !== now.type) return undefined;
  const fields = now.fields.filter(
    ({ value }, at) => JSON.stringify(value) !== JSON.stringify(before.fields[at]?.value),
  );
  return fields.length * 2 <= now.fields.length ? { fields, left: 0 } : undefined;
}
