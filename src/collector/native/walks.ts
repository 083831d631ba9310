import {
  interfaceLayout,
  btreeKeys,
  btreeLevels,
  mostElements,
  objectBytes,
  vtableLayout,
  type ByCodeShape,
  type GroupsShape,
  type PointerShape,
  type Shape,
  type ShapeField,
  type ShapeOption,
} from '../../model/values/shape.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import { walkFlag, walkKind } from '../../protocol/walk.ts';
import { innerText, type CaptureRules } from './captureRules.ts';
import {
  again,
  bitWords,
  each,
  encodeNodes,
  firstHead,
  follow,
  whenBetween,
  type Step,
} from './walkSteps.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

type Virtual = NonNullable<ShapeField['virtual']>;

/** Before and behind the elements: of a deque's blocks one or two may be empty. */
const spareBlocks = 3;
/** Offsets are 32 bits wide; no type that is captured is that large. */
const farthest = 0x7fffffff;

/** The steps by which a value of a type is copied with what it leads to; `stringBytes`: of a text that is a parameter. */
export function compileWalk(type: Tree, rules: Pick<CaptureRules, 'stringBytes'>): Buffer {
  return new WalkCompiler(type, innerText(rules)).encode();
}

class WalkCompiler {
  readonly #type: Tree;
  readonly #nodes = new Map<string, Step[]>();
  readonly #textBytes: number;

  constructor(type: Tree, textBytes: number) {
    this.#type = type;
    this.#textBytes = textBytes;
  }

  encode(): Buffer {
    const { root, depth, whole = depth } = this.#type;
    const shape = this.#shape(root);
    this.#node('root', () => [
      firstHead(Math.max(1, shape.bytes), depth, whole, this.#textBytes),
      ...this.#stepsOf(root, 0),
    ]);
    return encodeNodes(this.#nodes);
  }

  #shape(index: number): Shape {
    return (
      this.#type.shapes[index] ?? { kind: 'opaque', name: '?', bytes: 0, reason: 'it is not there' }
    );
  }

  /** The key of a node that is built once; it may lead to itself. */
  #node(key: string, build: () => Step[]): string {
    const known = this.#nodes.get(key);
    if (known) return key;
    const steps: Step[] = [];
    this.#nodes.set(key, steps);
    steps.push(...build());
    return key;
  }

  /** A node for values of a shape. */
  #nodeOf(index: number): string {
    return this.#node(`shape ${index}`, () => [
      { kind: walkKind.head, size: Math.max(1, this.#shape(index).bytes) },
      ...this.#stepsOf(index, 0),
    ]);
  }

  /** The same for an object that may be of a derived class: its vtable leads to its class's name. */
  #objectNode(index: number): string {
    const whole = this.#shape(index);
    const shape = whole.kind === 'byCode' ? this.#shape(whole.otherwise) : whole;
    if (shape.kind !== 'record' || shape.vtable === undefined) return this.#nodeOf(index);
    const tables = new Map<number, number>([[shape.vtable, vtableLayout.least]]);
    for (const { virtual } of shape.fields)
      if (virtual)
        tables.set(virtual.from, Math.max(virtual.before, tables.get(virtual.from) ?? 0));
    return this.#node(`object ${index}`, () => [
      { kind: walkKind.head, size: Math.max(1, whole.bytes) },
      ...[...tables].map(([at, before]) => this.#vtable(at, before)),
      ...this.#stepsOf(index, 0),
    ]);
  }

  /** What is written before the vtable whose address lies at `at`: offsets of virtual bases, the class's name. */
  #vtable(at: number, before: number): Step {
    const { typeInfo, name } = vtableLayout;
    const info = this.#node('type info', () => [
      { kind: walkKind.head, size: name + 8 },
      { kind: walkKind.text, at: name, node: this.#plainNode(1) },
    ]);
    const table = this.#node(`vtable ${before}`, () => [
      { kind: walkKind.head, size: before },
      follow(walkFlag.free, before - typeInfo, name + 8, info),
    ]);
    return { ...follow(walkFlag.free, at, before, table), a: -before };
  }

  #plainNode(size: number): string {
    return this.#node(`plain ${size}`, () => [{ kind: walkKind.head, size }]);
  }

  /** Whether what an address leads to is captured. */
  #isWanted(target: number | null): target is number {
    if (target === null) return false;
    const shape = this.#shape(target);
    return shape.kind !== 'secret' && shape.bytes > 0 && shape.bytes < farthest;
  }

  #stepsOf(index: number, at: number): Step[] {
    const shape = this.#shape(index);
    switch (shape.kind) {
      case 'scalar':
      case 'extended':
      case 'integer128':
      case 'complex':
      case 'bitset':
      case 'moment':
      case 'opaque':
        return [];
      case 'secret':
        return [{ kind: walkKind.blank, at, size: shape.bytes }];
      case 'record':
        if (shape.isUnion) return [];
        return [
          ...shape.fields.flatMap((field) =>
            field.bits || field.virtual ? [] : this.#stepsOf(field.shape, at + field.offset),
          ),
          ...this.#virtualBases(shape, index, at),
        ];
      case 'inside':
        return this.#stepsOf(shape.shape, at + shape.offset);
      case 'array':
        return this.#each(shape.element, at, shape.count);
      case 'pointer':
        return this.#pointer(shape, at);
      case 'text':
        return [this.#text(shape, at)];
      case 'sequence':
        return this.#sequence(shape, at);
      case 'choice':
        return this.#choice(shape, at);
      case 'byCode':
        return this.#byCode(shape, at);
      case 'links':
        return this.#links(shape, index, at);
      case 'table':
        return this.#table(shape, at);
      case 'ring':
        return this.#ring(shape, at);
      case 'bits':
        if ('count' in shape) {
          const [node, size] = [this.#plainNode(8), bitWords * 8];
          return [
            { kind: walkKind.follow, flags: walkFlag.free, at: at + shape.pointer, size, node },
          ];
        }
        return [
          {
            kind: walkKind.span,
            flags: walkFlag.free | walkFlag.byEnd,
            // The last word counts too.
            at: at + shape.pointer,
            a: at + shape.end,
            d: 8,
            size: 8,
            b: bitWords,
            node: this.#plainNode(8),
          },
        ];
      case 'deque':
        return this.#deque(shape, at);
      case 'blocks':
        return this.#blocks(shape, at);
      case 'btree':
        return this.#btree(shape, index, at);
      case 'groups':
        return this.#groups(shape, index, at);
      case 'interface':
        return this.#interface(shape, at);
    }
  }

  #virtualBases({ fields }: Extract<Shape, { kind: 'record' }>, index: number, at: number): Step[] {
    const bases = new Map<string, { readonly virtual: Virtual; readonly fields: ShapeField[] }>();
    for (const field of fields) {
      if (!field.virtual || field.bits) continue;
      const key = `base ${index} ${field.virtual.from} ${field.virtual.before}`;
      const known = bases.get(key);
      if (known) known.fields.push(field);
      else bases.set(key, { virtual: field.virtual, fields: [field] });
    }
    return [...bases].flatMap(([key, { virtual, fields: own }]) => {
      const size = Math.max(...own.map(({ offset, shape }) => offset + this.#shape(shape).bytes));
      const steps = own.flatMap(({ offset, shape }) => this.#stepsOf(shape, offset));
      if (steps.length === 0) return [];
      const node = this.#node(key, () => [{ kind: walkKind.head, size }, ...steps]);
      return [{ kind: walkKind.base, at: at + virtual.from, a: virtual.before, size, node }];
    });
  }

  #each(element: number, at: number, count: number): Step[] {
    const size = this.#shape(element).bytes;
    const inner = size === 0 || count === 0 ? [] : this.#stepsOf(element, 0);
    return inner.length === 0 ? [] : each(inner, { at, size, count, node: this.#nodeOf(element) });
  }

  #pointer(shape: PointerShape, at: number): Step[] {
    const { target, counts, skip, isFree } = shape;
    const steps: Step[] = [];
    if (counts && this.#type.depth > 0) {
      const size = Math.max(counts.owners, counts.weak) + counts.bytes;
      const node = this.#plainNode(size);
      steps.push({ kind: walkKind.follow, at: at + counts.at, size, node });
    }
    steps.push(...this.#dynamic(shape, at));
    if (this.#isWanted(target)) {
      const size = Math.min(this.#shape(target).bytes, objectBytes);
      const node = this.#objectNode(target);
      const flags = (isFree ? walkFlag.free : 0) | this.#partly(target);
      steps.push({ kind: walkKind.follow, flags, at: at + shape.at, a: skip, size, node });
    }
    return steps;
  }

  /** Fields and elements that are missing at the end of these are counted; others are not readable without their end. */
  #partly(target: number): number {
    const { kind } = this.#shape(target);
    return kind === 'record' || kind === 'array' ? walkFlag.partly : 0;
  }

  /** Where vtables of several types are equally far apart from what tells them, all of these are copied. */
  #dynamic({ dynamic, isFree, at: own, target }: PointerShape, at: number): Step[] {
    if (!dynamic) return [];
    const options = dynamic.options.flatMap((option) =>
      this.#isWanted(option.shape) ? [{ ...option, target: option.shape }] : [],
    );
    const behind = options.length - 1 + Number(this.#isWanted(target));
    return options.map(({ apart, skip, target: found }, i) => ({
      kind: walkKind.ofType,
      flags:
        (isFree ? walkFlag.free : 0) | (dynamic.inside ? walkFlag.inside : 0) | this.#partly(found),
      at: at + own,
      a: skip,
      size: Math.min(this.#shape(found).bytes, objectBytes),
      b: dynamic.inside ? dynamic.table : at + dynamic.table,
      c: apart,
      d: dynamic.word,
      e: options[i + 1]?.apart === apart ? 0 : behind - i,
      node: this.#objectNode(found),
    }));
  }

  #text({ pointer, length, unit, skip }: Extract<Shape, { kind: 'text' }>, at: number): Step {
    const node = this.#plainNode(unit ?? 1);
    const place = { flags: walkFlag.free, at: at + pointer, node };
    if (unit !== undefined) {
      const most = Math.floor(this.#textBytes / unit);
      if (length === null) return { kind: walkKind.follow, ...place, size: most * unit };
      return { kind: walkKind.span, ...place, a: at + length, size: unit, b: most };
    }
    if (length === null) return { kind: walkKind.text, at: at + pointer, node };
    return { kind: walkKind.span, ...place, a: at + length, size: 1, e: skip ?? 0 };
  }

  #sequence(shape: Extract<Shape, { kind: 'sequence' }>, at: number): Step[] {
    const { element, pointer, length, byEnd, unit } = shape;
    if (!this.#isWanted(element)) return [];
    const free = this.#shape(element).kind === 'scalar' ? walkFlag.free : 0;
    return [
      {
        kind: walkKind.span,
        flags: free | (byEnd ? walkFlag.byEnd : 0),
        at: at + pointer,
        a: at + length,
        size: unit,
        b: mostElements,
        node: this.#nodeOf(element),
      },
    ];
  }

  #choice(shape: Extract<Shape, { kind: 'choice' }>, at: number): Step[] {
    const { options, otherwise, size } = shape;
    const steps: Step[] = [];
    const test = (option: ShapeOption, skipped: number, flags = 0): Step => {
      const [low, high] = [BigInt(option.low), BigInt(option.high)];
      return { ...whenBetween(low, high), flags, at: at + shape.at, size, e: skipped };
    };
    for (const option of options) {
      if (option.shape === null) continue;
      const inner = this.#stepsOf(option.shape, at + option.offset);
      if (inner.length > 0) steps.push(test(option, inner.length), ...inner);
    }
    if (!otherwise || otherwise.shape === null) return steps;
    const inner = this.#stepsOf(otherwise.shape, at + otherwise.offset);
    if (inner.length === 0) return steps;
    for (const [i, option] of options.entries())
      steps.push(test(option, options.length - 1 - i + inner.length, walkFlag.not));
    return [...steps, ...inner];
  }

  /**
   * The build ID of each function that it may be, and what that one asks for: the lowest byte of an address, which is the same
   * wherever a file is loaded, leaves few.
   */
  #byCode({ at: own, build, options }: ByCodeShape, at: number): Step[] {
    const size = build.id.length / 2;
    return options.flatMap(({ address, shape }) => {
      if (shape === null) return [];
      const low = address & 0xff;
      const apart = build.address - address;
      const inner = this.#stepsOf(shape, at);
      const flags = walkFlag.free;
      return [
        { kind: walkKind.when, at: at + own, size: 1, a: low, c: low, e: inner.length + 1 },
        { kind: walkKind.follow, flags, at: at + own, a: apart, size, node: this.#plainNode(size) },
        ...inner,
      ];
    });
  }

  #links(shape: Extract<Shape, { kind: 'links' }>, index: number, at: number): Step[] {
    const { element, next, place, first } = shape;
    if (!this.#isWanted(element)) return [];
    const size = place + this.#shape(element).bytes;
    const flags = walkFlag.outside;
    const node = this.#node(`links ${index}`, () => [
      { kind: walkKind.head, size },
      ...next.map((link) => follow(flags | walkFlag.free, link, size, `links ${index}`)),
      ...this.#stepsOf(element, place),
    ]);
    return [follow(flags, at + first, size, node)];
  }

  #table(shape: Extract<Shape, { kind: 'table' }>, at: number): Step[] {
    const { element, control, mask, count } = shape;
    if (!this.#isWanted(element)) return [];
    const places = { at: at + control, a: at + mask, c: at + count, b: mostElements };
    const { size, node } = this.#elements(element);
    return [{ kind: walkKind.table, ...places, size, node }];
  }

  #elements(element: number): Required<Pick<Step, 'flags' | 'size' | 'node'>> {
    const { kind, bytes } = this.#shape(element);
    const flags = kind === 'scalar' ? walkFlag.free : 0;
    return { flags, size: bytes, node: this.#nodeOf(element) };
  }

  #ring(shape: Extract<Shape, { kind: 'ring' }>, at: number): Step[] {
    const { element, pointer, head, count, capacity, changing } = shape;
    if (!this.#isWanted(element)) return [];
    const places = { at: at + pointer, a: at + head, c: at + count, d: at + capacity };
    return [
      ...(changing === undefined ? [] : [again(at, shape.bytes, changing)]),
      { kind: walkKind.ring, ...this.#elements(element), ...places, b: mostElements },
    ];
  }

  #deque(shape: Extract<Shape, { kind: 'deque' }>, at: number): Step[] {
    const { element, first, end, bufferBytes } = shape;
    if (!this.#isWanted(element)) return [];
    const elements = this.#nodeOf(element);
    const size = bufferBytes;
    const buffer = this.#node(`buffer ${element}`, () => [
      { kind: walkKind.head, size: 8 },
      follow(walkFlag.free, 0, size, elements),
    ]);
    return [
      {
        kind: walkKind.span,
        flags: walkFlag.byEnd,
        // The end's own buffer counts too.
        at: at + first.entry,
        a: at + end.entry,
        d: 8,
        size: 8,
        b: mostElements,
        node: buffer,
      },
    ];
  }

  #blocks(shape: Extract<Shape, { kind: 'blocks' }>, at: number): Step[] {
    const { element, blocks, end, start, count, perBlock } = shape;
    if (!this.#isWanted(element)) return [];
    const most = spareBlocks + Math.ceil(mostElements / perBlock);
    return [
      {
        kind: walkKind.span,
        flags: walkFlag.free | walkFlag.byEnd,
        size: 8,
        b: most,
        at: at + blocks,
        a: at + end,
        node: this.#plainNode(8),
      },
      {
        kind: walkKind.blocks,
        ...this.#elements(element),
        at: at + blocks,
        a: at + start,
        b: mostElements,
        c: at + count,
        d: perBlock,
      },
    ];
  }

  #btree(shape: Extract<Shape, { kind: 'btree' }>, index: number, at: number): Step[] {
    const { key, value, nodeBytes, keys, values, edges } = shape;
    if (!this.#isWanted(key)) return [];
    const bytes = (height: number): number => nodeBytes + (height > 0 ? (btreeKeys + 1) * 8 : 0);
    const node = (height: number): string =>
      this.#node(`btree ${index} ${height}`, () => {
        const steps: Step[] = [
          { kind: walkKind.head, size: bytes(height) },
          ...this.#each(key, keys, btreeKeys),
          ...(value === null ? [] : this.#each(value, values, btreeKeys)),
        ];
        if (height === 0) return steps;
        const below = this.#node(`edge ${index} ${height}`, () => [
          { kind: walkKind.head, size: 8 },
          follow(walkFlag.free, 0, bytes(height - 1), `btree ${index} ${height - 1}`),
        ]);
        node(height - 1);
        return [
          ...steps,
          { kind: walkKind.each, at: edges, size: 8, a: btreeKeys + 1, node: below },
        ];
      });
    return Array.from({ length: btreeLevels }, (_unused, height) => [
      { kind: walkKind.when, at: at + shape.height, size: 8, a: height, c: height, e: 1 },
      { kind: walkKind.follow, at: at + shape.root, size: bytes(height), node: node(height) },
    ]).flat();
  }

  #groups(shape: GroupsShape, index: number, at: number): Step[] {
    const { key, value, table, group, slot } = shape;
    if (!this.#isWanted(key) || value === null) return [];
    const inner = [...this.#stepsOf(key, slot.key), ...this.#stepsOf(value, slot.value)];
    const node = (name: string, size: number, ...steps: readonly Step[]): string =>
      this.#node(`${name} ${index}`, () => [{ kind: walkKind.head, size }, ...steps]);
    const slots = node('slot', slot.bytes, ...inner);
    const places = { at: group.slots, size: slot.bytes, a: group.places, node: slots };
    const groups = node('group', group.bytes, { kind: walkKind.each, ...places });
    const free = { flags: walkFlag.free, b: mostElements };
    const all = { at: table.groups, a: table.mask, d: 1, size: group.bytes, node: groups };
    const tables = node('groups', table.bytes, { kind: walkKind.span, ...free, ...all });
    const entry = { at: 0, size: table.bytes, node: tables };
    const entries = node('entry', 8, { kind: walkKind.follow, flags: free.flags, ...entry });
    const isOne = { kind: walkKind.when, at: at + shape.length, size: 8, e: 1 };
    const there = at + shape.directory;
    return [
      isOne,
      { kind: walkKind.follow, at: there, size: group.bytes, node: groups },
      { ...isOne, flags: walkFlag.not },
      { kind: walkKind.span, at: there, a: isOne.at, b: mostElements, size: 8, node: entries },
      again(at, shape.bytes, shape.writing),
    ];
  }

  #interface({ options }: Extract<Shape, { kind: 'interface' }>, at: number): Step[] {
    const { hash, data } = interfaceLayout;
    const size = hash + 4;
    const node = this.#plainNode(size);
    return [
      { kind: walkKind.follow, flags: walkFlag.free, at, size, node },
      ...options.flatMap((option) => {
        const inner = option.shape === null ? [] : this.#stepsOf(option.shape, at + data);
        if (inner.length === 0) return [];
        return [{ kind: walkKind.told, at, c: option.hash, d: hash, e: inner.length }, ...inner];
      }),
      again(at, data + 8, 0),
    ];
  }
}
