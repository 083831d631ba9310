/* The file in which the threads of proof/targets/truth say where they are. */
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';

const words = ['tid', 'rounds', 'from', 'i', 'parts', 'leafs', 'large', 'small'];

export class Page {
  #file;

  constructor(path) {
    this.path = path;
    writeFileSync(path, Buffer.alloc(4096));
    this.#file = openSync(path, 'r+');
  }

  /** Address of the program's knobs. */
  get knobs() {
    return this.#word(8);
  }

  /** By thread what it says; threads that said nothing yet are left out. */
  slots() {
    const slots = new Map();
    const count = Number(this.#word(16));
    for (let number = 0; number < count; number++) {
      const slot = Object.fromEntries(
        words.map((name, i) => [name, this.#word(64 + 64 * number + 8 * i)]),
      );
      if (slot.rounds > 0n) slots.set(Number(slot.tid), slot);
    }
    return slots;
  }

  /** All threads have said something. */
  get isWhole() {
    const count = Number(this.#word(16));
    return count > 0 && this.slots().size === count;
  }

  /** Has the program end by itself. */
  end() {
    writeSync(this.#file, Buffer.from([1]), 0, 1, 0);
  }

  close() {
    closeSync(this.#file);
  }

  #word(at) {
    const word = Buffer.alloc(8);
    readSync(this.#file, word, 0, 8, at);
    return word.readBigInt64LE();
  }
}

export function isSame(a, b) {
  return a !== undefined && b !== undefined && words.every((name) => a[name] === b[name]);
}
