/** What a program keeps where it may write. `anonymous`: large blocks, heaps and stacks of threads, memory of the instrumentation. */
export type MemoryKind = 'globals' | 'heap' | 'anonymous' | 'stack';

/** Memory that is mapped in one piece. */
export interface MemoryRegion {
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
  readonly kind: MemoryKind;
  /** Whose globals they are. */
  readonly file: string | null;
}

/** What is searched for: it begins at multiples of `alignment`. */
export interface SoughtBytes {
  readonly bytes: Uint8Array;
  readonly alignment: number;
}

export interface MemoryHit {
  readonly address: bigint;
  readonly region: Pick<MemoryRegion, 'kind' | 'file'>;
}

export interface MemoryFinds {
  /** The first ones, in the order of the regions. */
  readonly hits: readonly MemoryHit[];
  readonly total: number;
  /** That were looked through. */
  readonly bytes: number;
  /** Why not all was looked through, as a clause; null: it was. */
  readonly cut: string | null;
}
