import type { Depth } from '../values/shape.ts';
import type { Parameter, Place, ValueType } from '../values/valueType.ts';
import type { Traceable } from './traceable.ts';

/** A function of machine code, as the symbols of its file describe it. Its unit is an ELF file. */
export interface FoundFunction extends Traceable {
  /** As the linker knows it (mangled); equal to `name` for C. */
  readonly linkageName: string;
  /** Link-time virtual address of the first instruction. */
  readonly address: number;
  /** The same from where the file begins in memory: run-time address = base + offset. */
  readonly offset: number;
  /** Bytes of the contiguous range that holds the entry. */
  readonly size: number;
  /** From its first instruction to that of the next function; null of the last one. */
  readonly room: number | null;
  /** Nothing says that it is called as C functions are. */
  readonly isForeign: boolean;
  /** Its runtime moves stacks and reads return addresses: it is traced from outside the process alone. */
  readonly isOfGo: boolean;
  /** In order, `this` first. Empty when unknown: see `stackBytes`. */
  readonly parameters: readonly Parameter[];
  readonly returns: ValueType;
  /**
   * Of a returned tree: `parts` whose registers are 0 = rax, 1 = rdx, 2 = st0, 8 = xmm0, 9 = xmm1, or an address in `callersResult`, also of text.
   */
  readonly returnPlace?: Place;
  /**
   * Bytes of stack arguments the caller passes (multiple of 8; 0 for most functions);
   * null when the signature is unknown or variadic.
   */
  readonly stackBytes: number | null;
  readonly variadic: boolean;
  /** It takes the address of its stack arguments: how many there are only its caller knows. */
  readonly opensStack: boolean;
  /** The compiler made it: a constructor, destructor or assignment that the source does not write. */
  readonly isImplicit?: true;
  /** Pointers that its values follow. */
  readonly depth: Depth;
}

/** Identity of a function of machine code: its file and link-time address. */
export function codeId(unit: string, address: number): string {
  return `${unit}\0${address}`;
}
