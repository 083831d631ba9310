import type { Trap } from '../../native/probes/processProbes.ts';
import { plantError } from './plantError.ts';
import type { Stopper } from './stopper.ts';

/** The int3s of one process that lead to islands of the engine: what is recorded where no jump has room. */
export class Traps {
  readonly #nextPlace: () => number;
  /** By address; `place`: the number that it has in the stopper. */
  readonly #standing = new Map<bigint, Trap & { readonly place: number }>();

  constructor(nextPlace: () => number) {
    this.#nextPlace = nextPlace;
  }

  /** Has these, and no others. `why`: none can be. By address why one does not stand: whole sentences. */
  async set(
    traps: readonly Trap[],
    stopper: Stopper | null,
    why: string | null,
  ): Promise<ReadonlyMap<bigint, string>> {
    const wanted = new Set(why === null ? traps.map(({ address }) => address) : []);
    for (const [address, { place }] of this.#standing) {
      if (wanted.has(address)) continue;
      stopper?.lift(place);
      this.#standing.delete(address);
    }
    const failed = new Map<bigint, string>();
    for (const trap of traps) {
      const not = why ?? (await this.#plant(trap, stopper));
      if (not !== null)
        failed.set(trap.address, `No jump has room there, and no trap can be: ${not}`);
    }
    return failed;
  }

  /** The process, or its stopper, is gone. */
  clear(): void {
    this.#standing.clear();
  }

  /** Why it does not stand: a whole sentence. */
  async #plant(trap: Trap, stopper: Stopper | null): Promise<string | null> {
    const { address, island } = trap;
    const known = this.#standing.get(address);
    if (known?.island === island) return null;
    if (known) stopper?.lift(known.place);
    this.#standing.delete(address);
    if (stopper === null) return 'The program is held at its start.';
    const place = this.#nextPlace();
    const error = await stopper.divert(place, address, island);
    if (error !== 0) return plantError(error, false);
    this.#standing.set(address, { ...trap, place });
    return null;
  }
}
