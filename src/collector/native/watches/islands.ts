import { closeSync, openSync, readSync } from 'node:fs';

/** ISLAND_HEAD and ISLAND_BYTES of native/engine/sites.h: a way into the thunk, then displaced instructions. */
const headBytes = 16n;
const islandBytes = 80n;
const jumpBytes = 5;
const jumpCode = 0xe9;

/** Where the displaced beginnings of hooked functions run, so that code in them can be named. */
export class Islands {
  /** Address of the function by that of its island. */
  readonly #functions = new Map<bigint, bigint>();

  /** Follows the jumps at these run-time addresses of hooked functions in a process. */
  learn(pid: number, hooked: readonly bigint[]): void {
    if (hooked.length === 0) return;
    let memory: number;
    try {
      memory = openSync(`/proc/${pid}/mem`, 'r');
    } catch {
      return; // It is gone: what is known already counts.
    }
    try {
      const jump = Buffer.alloc(jumpBytes);
      for (const address of hooked) {
        if (readAt(memory, jump, address) < jumpBytes || jump[0] !== jumpCode) continue;
        this.#functions.set(address + BigInt(jumpBytes + jump.readInt32LE(1)), address);
      }
    } finally {
      closeSync(memory);
    }
  }

  /** Displaced instructions mostly have the length of the original ones; anything else is answered as it is. */
  original(pc: bigint): bigint {
    for (const [island, address] of this.#functions) {
      if (pc < island || pc >= island + islandBytes) continue;
      return pc < island + headBytes ? address : address + (pc - island - headBytes);
    }
    return pc;
  }
}

function readAt(memory: number, into: Buffer, address: bigint): number {
  try {
    return readSync(memory, into, 0, into.length, address);
  } catch {
    return 0; // Unmapped meanwhile.
  }
}
