import type { ScalarType } from './scalarType.ts';

/**
 * How memory is read as a value: the one description from which the engine's walk is compiled
 * (collector) and captured pieces are decoded (db). Shapes of one value stand in an array and refer
 * to each other by index, so that types may contain themselves. Offsets count from the start of the
 * shape's own bytes.
 */
export type Shape =
  | { readonly kind: 'scalar'; readonly bytes: number; readonly type: ScalarType }
  /** x86's long double. */
  | { readonly kind: 'extended'; readonly bytes: number; readonly name: string }
  | {
      readonly kind: 'integer128';
      readonly bytes: number;
      readonly name: string;
      readonly signed: boolean;
    }
  /** Real and imaginary part, each of half the bytes. */
  | { readonly kind: 'complex'; readonly bytes: number; readonly name: string }
  | {
      readonly kind: 'record';
      readonly bytes: number;
      readonly name: string;
      readonly fields: readonly ShapeField[];
      /** Fields that are not read. */
      readonly left: number;
      /** Its fields share their bytes, so what they point to is not followed. */
      readonly isUnion?: boolean;
      /** Where the address of its class's vtable lies, of C++ (Itanium C++ ABI §2.5). */
      readonly vtable?: number;
    }
  /** Stands for what lies `offset` inside it; `unit`: of a number, as people write it. */
  | {
      readonly kind: 'inside';
      readonly bytes: number;
      readonly name: string;
      readonly offset: number;
      readonly shape: number;
      readonly unit?: string;
    }
  | {
      readonly kind: 'array';
      readonly bytes: number;
      readonly name: string;
      readonly element: number;
      readonly count: number;
      /** A text as long as it is, with the NULs in it. */
      readonly isWhole?: true;
    }
  | PointerShape
  /**
   * Text up to a NUL (`length` null), or of the length that lies there. `unit`: bytes of a character,
   * UTF-16 or UTF-32 above 1; `skip`: bytes before it, where the address leads.
   */
  | {
      readonly kind: 'text';
      readonly bytes: number;
      readonly name: string;
      readonly pointer: number;
      readonly length: number | null;
      readonly unit?: 2 | 4;
      readonly skip?: number;
    }
  /** Bits in the value itself, the lowest first; shown as digits, the highest first. */
  | {
      readonly kind: 'bitset';
      readonly bytes: number;
      readonly name: string;
      readonly count: number;
    }
  | SequenceShape
  | ChoiceShape
  | ByCodeShape
  | LinksShape
  | GroupsShape
  /** Go's interface: the address of what tells the type, and that of the value, or a value that is an address. */
  | {
      readonly kind: 'interface';
      readonly bytes: number;
      readonly name: string;
      readonly options: readonly InterfaceOption[];
    }
  /** hashbrown: elements lie below their control bytes. */
  | {
      readonly kind: 'table';
      readonly bytes: number;
      readonly name: string;
      readonly holds: 'list' | 'map';
      readonly control: number;
      readonly mask: number;
      readonly count: number;
      element: number | null;
    }
  /** A ring buffer: VecDeque, a channel of Go. */
  | {
      readonly kind: 'ring';
      readonly bytes: number;
      readonly name: string;
      readonly pointer: number;
      readonly head: number;
      readonly count: number;
      readonly capacity: number;
      /** Of a byte that is not 0 while it changes. */
      readonly changing?: number;
      /** Of a byte that is not 0 once nothing more can be sent. */
      readonly closed?: number;
      element: number | null;
    }
  /** Rust's B-tree; `edges`: offset of the children's addresses in an inner node. */
  | {
      readonly kind: 'btree';
      readonly bytes: number;
      readonly name: string;
      readonly holds: 'list' | 'map';
      readonly root: number;
      readonly height: number;
      readonly count: number;
      readonly nodeBytes: number;
      readonly filled: number;
      readonly keys: number;
      readonly values: number;
      readonly edges: number;
      key: number | null;
      value: number | null;
    }
  /** Truth values, 64 to a word: address of the first word, and their number. */
  | {
      readonly kind: 'bits';
      readonly bytes: number;
      readonly name: string;
      readonly pointer: number;
      readonly count: number;
    }
  /** The same, told by the address of the last word, and its bits. */
  | {
      readonly kind: 'bits';
      readonly bytes: number;
      readonly name: string;
      readonly pointer: number;
      readonly end: number;
      readonly endBits: number;
    }
  /** libstdc++'s deque: buffers of `bufferBytes`, whose addresses lie in an array. */
  | {
      readonly kind: 'deque';
      readonly bytes: number;
      readonly name: string;
      readonly first: DequePlace;
      readonly end: DequePlace;
      readonly bufferBytes: number;
      element: number | null;
    }
  /** libc++'s deque: blocks of `perBlock` elements, whose addresses lie from the one at `blocks` to the one at `end`. */
  | {
      readonly kind: 'blocks';
      readonly bytes: number;
      readonly name: string;
      readonly blocks: number;
      readonly end: number;
      /** Of the number of the first element, counted from the first block's beginning on. */
      readonly start: number;
      readonly count: number;
      readonly perBlock: number;
      element: number | null;
    }
  /** Its memory is never read: a name in it looks like a secret (model/redaction). */
  | {
      readonly kind: 'secret';
      readonly bytes: number;
      readonly name: string;
      readonly word: string;
    }
  /** Go's time.Time: its seconds and nanoseconds lie in these two words. */
  | {
      readonly kind: 'moment';
      readonly bytes: number;
      readonly name: string;
      readonly wall: number;
      readonly ext: number;
    }
  /** Not read. `element`: of an array whose length is not known. */
  | {
      readonly kind: 'opaque';
      readonly bytes: number;
      readonly name: string;
      readonly reason: string;
      readonly element?: number;
    };

export interface ShapeField {
  readonly name: string;
  readonly offset: number;
  readonly shape: number;
  /** Of a bit-field: its lowest bit and its bits, from `offset` on. */
  readonly bits?: { readonly from: number; readonly count: number };
  /**
   * In a virtual base, from whose start `offset` counts. It begins as far behind `from` as is written
   * `before` the vtable whose address lies at `from`.
   */
  readonly virtual?: { readonly from: number; readonly before: number };
}

/** Where the addresses lie of an element, of the buffer it is in, and of that buffer's entry in the array. */
export interface DequePlace {
  readonly item: number;
  readonly buffer: number;
  readonly entry: number;
}

/** An address at `at`, `skip` bytes before what it leads to; `target` null: not followed. */
export interface PointerShape {
  readonly kind: 'pointer';
  readonly bytes: number;
  readonly name: string;
  readonly at: number;
  readonly skip: number;
  /** It leads to a container, which belongs to it: no level of depth of its own. */
  readonly isFree?: boolean;
  /** What it leads to is the value: a map of Go. */
  readonly isValue?: boolean;
  target: number | null;
  /** Owners and weak ones are counted at offsets behind the address at `at`; of the weak ones there is one more. */
  readonly counts?: {
    readonly at: number;
    readonly owners: number;
    readonly weak: number;
    readonly bytes: 4 | 8;
    /** What is written is so much less. */
    readonly plus?: 1;
  };
  /** What it leads to by a vtable. */
  dynamic?: DynamicTarget;
}

/**
 * Several types of which one is told by a vtable: its address lies at `table` in the pointer's own bytes or, where it is
 * `inside`, in what the pointer leads to.
 */
export interface DynamicTarget {
  readonly table: number;
  readonly inside: boolean;
  /** Offset in the vtable of the address that `DynamicOption` describes. */
  readonly word: number;
  readonly options: readonly DynamicOption[];
}

/**
 * A type whose vtable lies `apart` bytes behind what an address in it leads to: that is the same wherever the program
 * was loaded.
 */
export interface DynamicOption {
  readonly name: string;
  readonly apart: number;
  /** Bytes before the value where the address leads. */
  readonly skip: number;
  /** What else such a vtable of Rust says: its size, and how far behind what drops it the vtable lies (null: nothing does). */
  readonly size?: number;
  readonly drop?: number | null;
  shape: number | null;
}

/** Offset of the first method's address in a vtable of Rust: what drops the object, its size and alignment come first. */
export const firstMethod = 24;
export const sizeInVtable = 8;

/** Elements one after the other. */
export interface SequenceShape {
  readonly kind: 'sequence';
  readonly bytes: number;
  readonly name: string;
  readonly pointer: number;
  readonly length: number;
  /** `length` is the place of the end's address. */
  readonly byEnd: boolean;
  readonly unit: number;
  element: number | null;
}

/** One of several, told by a number of `size` bytes at `at`. */
export interface ChoiceShape {
  readonly kind: 'choice';
  readonly bytes: number;
  readonly name: string;
  readonly at: number;
  readonly size: number;
  readonly options: readonly ShapeOption[];
  readonly otherwise: ShapeOption | null;
}

export interface ShapeOption {
  /** Numbers without sign, as decimal text. */
  readonly low: string;
  readonly high: string;
  /** Empty: the value stands for itself. */
  readonly name: string;
  readonly offset: number;
  readonly shape: number | null;
}

/**
 * One of several, told by the function whose address lies at `at`. Which one that is tells the build ID of its file, which is
 * found as far from it as both lie apart in the file: so wherever that was loaded, and never in another file.
 */
export interface ByCodeShape {
  readonly kind: 'byCode';
  readonly bytes: number;
  readonly name: string;
  readonly at: number;
  readonly build: BuildMark;
  /** `address`: the function's, in its file. */
  readonly options: readonly { readonly address: number; shape: number | null }[];
  readonly otherwise: number;
}

/** A build ID in lower-case hexadecimal, and its address in memory by its file. */
export interface BuildMark {
  readonly id: string;
  readonly address: number;
}

/** Nodes that are linked: in a row, or as a binary tree. */
export interface LinksShape {
  readonly kind: 'links';
  readonly bytes: number;
  readonly name: string;
  readonly holds: 'list' | 'map';
  /** Of the first node's or the root's address. */
  readonly first: number;
  /** Of the number of elements; null: not kept. */
  readonly count: number | null;
  /** Offsets in a node: of the next one, or of left and right. */
  readonly next: readonly [number] | readonly [number, number];
  /** Of the element in a node. */
  readonly place: number;
  element: number | null;
}

/** Go's map (internal/runtime/maps): one group of places, or with a `length` a directory of tables of them. */
export interface GroupsShape {
  readonly kind: 'groups';
  readonly bytes: number;
  readonly name: string;
  readonly holds: 'map';
  readonly count: number;
  /** Of the address of the group, or of the addresses of `length` tables. */
  readonly directory: number;
  readonly length: number;
  /** Of a byte that is not 0 while it is written to. */
  readonly writing: number;
  /** `groups`: of the address of the first; `mask`: of their number less one. */
  readonly table: { readonly bytes: number; readonly groups: number; readonly mask: number };
  /** `control`: of a byte for each place, whose highest bit is clear where there is an element. */
  readonly group: {
    readonly bytes: number;
    readonly control: number;
    readonly slots: number;
    readonly places: number;
  };
  readonly slot: { readonly bytes: number; readonly key: number; readonly value: number };
  key: number | null;
  value: number | null;
}

/** A type that a value in an interface may be of; `shape`: of the interface's second word, null: the name alone is told. */
export interface InterfaceOption {
  readonly name: string;
  readonly hash: number;
  readonly shape: number | null;
}

/** Where the second word of Go's interfaces lies, and the type's hash in what the first leads to (internal/abi ITab, Type). The
 * first is a multiple of 2; its lowest bit is set in the copy of one that changed meanwhile. */
export const interfaceLayout = { data: 8, hash: 16 } as const;

/** How many pointers are followed, one behind the other. What lies behind more than `whole` is captured as far as `farRoom` goes. */
export interface Depth {
  readonly levels: number;
  readonly whole: number;
}

/** Where nobody says how many (docs/adr/0012-values.md). */
export const usualDepth: Depth = { levels: 3, whole: 1 };

/** Of watched values, which are asked for one by one. */
export const watchedDepth: Depth = { levels: 3, whole: 2 };

/** As somebody asked for it. */
export function depthOf(levels: number): Depth {
  return { levels, whole: levels };
}

/** Copies and words of one value that lie deeper than what is captured whole. */
export const farRoom = { copies: 6, words: 24 } as const;
/** Elements of a container that are captured. */
export const mostElements = 100;
/** Bytes of an object behind a pointer that are captured. */
export const objectBytes = 1024;
/** Keys of a node of Rust's B-tree (alloc::collections::btree::node::CAPACITY). */
export const btreeKeys = 11;
/** Levels of inner nodes of a B-tree that are captured. */
export const btreeLevels = 4;
/**
 * Where objects point to in their vtable: this number of bytes before it is the address of the type info, in which that
 * of the class's mangled name lies (Itanium C++ ABI §2.5.2, §2.9.4). `least`: bytes before that are captured.
 */
export const vtableLayout = { least: 16, typeInfo: 8, name: 8 } as const;
