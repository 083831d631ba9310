import type { Shape, ShapeField } from '../../../../model/values/shape.ts';

type Structure = Extract<Shape, { kind: 'record' }>;
export type Fields = Pick<Structure, 'fields' | 'left' | 'isUnion' | 'vtable'>;

/** Collects the fields of a structure, those of its bases and of nameless members among them. */
export class FieldList {
  readonly #fields: ShapeField[] = [];
  /** By the name of the base, those that came with it. */
  readonly #bases = new Map<string, readonly ShapeField[]>();
  #vtable: number | undefined;
  #left = 0;

  get count(): number {
    return this.#fields.length;
  }

  add(field: ShapeField): void {
    this.#fields.push(field);
  }

  /** So many fields are not read. */
  leave(count: number): void {
    this.#left += count;
  }

  hasVtable(offset: number): void {
    this.#vtable ??= offset;
  }

  /** The fields of a structure that lies at `offset`, as its own. */
  addInner(inner: Structure, offset: number, isBase: boolean): void {
    if (isBase && inner.vtable !== undefined) this.hasVtable(offset + inner.vtable);
    this.#left += inner.left;
    const own = inner.fields
      .map((one) => moved(one, offset))
      .filter((one) => !this.#fields.some((other) => isSameVirtual(one, other)));
    this.#fields.push(...own);
    if (isBase) this.#bases.set(inner.name, own);
  }

  /** The fields of a virtual base. */
  addVirtual(base: Shape | undefined, before: number): void {
    this.hasVtable(0);
    if (base?.kind !== 'record') {
      this.#left++;
      return;
    }
    this.#left += base.left;
    for (const field of base.fields) {
      const own = { ...field, virtual: { from: 0, before } };
      // A virtual base of a virtual base is placed by a vtable of its own.
      if (field.virtual) this.#left++;
      else if (!this.#fields.some((other) => isSameVirtual(own, other))) this.#fields.push(own);
    }
  }

  /** The first `most` of them; of the same name, those of bases are named with their class. */
  whole(most: number): Fields {
    const times = new Map<string, number>();
    for (const { name } of this.#fields) times.set(name, (times.get(name) ?? 0) + 1);
    const fields = this.#fields.slice(0, most).map((field) => {
      if ((times.get(field.name) ?? 0) < 2) return field;
      const base = [...this.#bases].find(([, own]) => own.includes(field))?.[0];
      return base === undefined ? field : { ...field, name: `${base}::${field.name}` };
    });
    const left = this.#left + Math.max(0, this.#fields.length - most);
    return { fields, left, ...(this.#vtable === undefined ? {} : { vtable: this.#vtable }) };
  }
}

/** A field of a structure that lies at `offset`. */
function moved(field: ShapeField, offset: number): ShapeField {
  return field.virtual
    ? { ...field, virtual: { ...field.virtual, from: field.virtual.from + offset } }
    : { ...field, offset: field.offset + offset };
}

/** A virtual base is there once, however many lead to it. */
function isSameVirtual(one: ShapeField, other: ShapeField): boolean {
  if (!one.virtual || !other.virtual) return false;
  return one.name === other.name && one.shape === other.shape && one.offset === other.offset;
}
