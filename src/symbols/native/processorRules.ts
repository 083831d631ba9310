import type { Processor } from '../../model/processor.ts';
import type { Place } from '../../model/values/valueType.ts';
import type { Layout } from './abi/layout.ts';
import type { ParameterRegisters, Placement } from './abi/registerFile.ts';
import type { WordOfStub } from './elf/stubs.ts';

/** How code of one processor passes values, calls, and is described; a folder each. */
export interface ProcessorRules {
  readonly processor: Processor;
  /** The places of a C or C++ function's parameters at its entry, `this` included. */
  place(parameters: readonly Layout[], returns: Layout): Placement;
  /** Where a C or C++ function leaves its result. */
  returned(returns: Layout): Place;
  /** The registers that Rust passes parameters in. */
  readonly rust: ParameterRegisters;
  /** What `long double` is when it takes 16 bytes: another format than IEEE's, or one of its own. */
  readonly longDouble: 'extended' | 'vector';
  /** Whether the word of the function tells that a pointer to a member means a virtual one (else what is added to `this`). */
  readonly tellsVirtual: boolean;
  /** DWARF's numbers of the integer registers of parameters, in their order, and of the first vector register. */
  readonly argumentRegisters: readonly number[];
  readonly firstVector: number;
  /** DWARF's numbers of the frame and stack pointers: the frame begins there. */
  readonly frameRegisters: readonly number[];
  /** From the stack pointer at a function's first instruction to its canonical frame address. */
  readonly entryBytes: number;
  /** Whether a function leaves its caller's value in a register (DWARF's number). */
  isPreserved(register: number): boolean;
  /** Whether an address can be one of memory at all. */
  isCanonical(address: bigint): boolean;
  /** Whether the bytes before a return address, up to `callBytes`, end with a call. */
  readonly callBytes: number;
  isCall(before: Uint8Array): boolean;
  /** From the stack pointer of a handler's caller to the siginfo_t that the kernel put there. */
  readonly signalInformation: bigint;
  readonly instructions: InstructionRules;
  /** From the thread pointer to the program's own thread-local storage. */
  threadBlock(segment: ThreadSegment): number;
}

export interface InstructionRules {
  /** The longest. */
  readonly bytes: number;
  /** What the instruction at the beginning of `code` accesses in memory; null where that is not known. */
  accessOf(code: Uint8Array, registers: readonly (bigint | null)[]): Access | null;
  /** Addresses that code at `address` takes: of functions that it hands out. */
  takenAddresses(code: Uint8Array, address: number): number[];
  /** Null where stubs are not read. */
  readonly wordOfStub: WordOfStub | null;
}

/** Where an instruction accesses memory. */
export interface Access {
  /** Addresses that it reads or writes: one, two of an instruction that copies, or none of a call by register. */
  readonly addresses: readonly bigint[];
  /** What the address must be a multiple of; 1 for most. */
  readonly alignment: number;
  /** A jump leads to `to`, or to the address in memory at `addresses`; null for others. */
  readonly jump: { readonly isReturn: boolean; readonly to: bigint | null } | null;
}

export interface ThreadSegment {
  readonly address: number;
  readonly memorySize: number;
  readonly alignment: number;
}
