import type { Depth, Shape } from '../../../model/values/shape.ts';
import type { ValueType } from '../../../model/values/valueType.ts';

/** Its message is a sentence's end: "… has no parameter `size`". */
export class CannotCompile extends Error {}

/** What an address leads to: the shape of that index, `skip` bytes from there. */
export interface Pointed {
  readonly shapes: readonly Shape[];
  readonly shape: number;
  readonly skip: number;
}

/** The offset of a field in an object whose address is known. */
export class FieldPlace {
  readonly name: string;
  readonly shape: Shape;
  readonly offset: number;
  /** From one to the next of an array of them. */
  readonly stride: number;
  readonly #shapes: readonly Shape[];

  constructor(shapes: readonly Shape[], name: string, shape: number | null, offset: number) {
    let found = shape === null ? undefined : shapes[shape];
    let at = offset;
    this.stride = found?.bytes ?? 0;
    // What stands for something inside it.
    for (let step = 0; found?.kind === 'inside' && step < shapes.length; step++) {
      at += found.offset;
      found = shapes[found.shape];
    }
    if (!found)
      throw new CannotCompile(
        `what ${name} leads to is not known: add a larger "depth" to the pattern`,
      );
    this.name = name;
    this.shape = found;
    this.offset = at;
    this.#shapes = shapes;
  }

  field(name: string): FieldPlace {
    const { shape } = this;
    const fields = shape.kind === 'record' ? shape.fields : [];
    const found = fields.find((one) => one.name === name);
    if (!found) {
      const names = fields.map((one) => one.name);
      const has = names.length > 0 ? `it has ${names.join(', ')}` : 'none of them are known';
      throw new CannotCompile(`${this.name} has no field "${name}": ${has}`);
    }
    if (found.bits) throw new CannotCompile(`${name} is a bit-field, which is not compared`);
    if (found.virtual) throw new CannotCompile(`${name} is in a virtual base`);
    return new FieldPlace(this.#shapes, name, found.shape, this.offset + found.offset);
  }

  /** Another shape of the same value, `offset` from the address on the stack. */
  to(shape: number | null, offset: number): FieldPlace {
    return new FieldPlace(this.#shapes, this.name, shape, offset);
  }

  /** The element that is this many elements after it. */
  scaled(index: number): FieldPlace {
    const shape = this.#shapes.indexOf(this.shape);
    return new FieldPlace(this.#shapes, this.name, shape, this.offset + index * this.stride);
  }

  /** The same where the address on the stack is its own. */
  atStart(): FieldPlace {
    return this.to(this.#shapes.indexOf(this.shape), 0);
  }

  /** The whole of it, with the number of pointers followed. */
  tree(name: string, { levels, whole }: Depth): Extract<ValueType, { kind: 'tree' }> {
    const shapes = this.#shapes;
    return { kind: 'tree', name, depth: levels, whole, root: shapes.indexOf(this.shape), shapes };
  }

  /** What a pointer in it leads to, as `of` shape. */
  pointed(shape: number | null, skip: number): Pointed | null {
    return shape === null ? null : { shapes: this.#shapes, shape, skip };
  }

  /** Its first element, where it is an array whose length is not known. */
  flexible(): FieldPlace | null {
    const { shape } = this;
    if (shape.kind !== 'opaque' || shape.element === undefined) return null;
    return this.to(shape.element, this.offset);
  }

  /** An array of characters that ends at a NUL. */
  isText(): boolean {
    const { shape } = this;
    if (shape.kind !== 'array' || shape.isWhole) return false;
    const element = this.#shapes[shape.element];
    return element?.kind === 'scalar' && element.type.kind === 'char' && element.bytes === 1;
  }

  pointer(): Extract<Shape, { kind: 'pointer' }> | null {
    return this.shape.kind === 'pointer' ? this.shape : null;
  }
}
