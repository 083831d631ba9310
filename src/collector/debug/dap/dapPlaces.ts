import type { z } from 'zod';
import { placed, type DapCapabilities } from './dapAnswers.ts';
import type { DapLink } from './dapLink.ts';

/** A place where all threads are to stop: an address (`0x55d0`), a line (`/a/b.py:12`), or one of `raisePlaces`. */
export interface DapPlace {
  readonly at: string;
  readonly condition: string | undefined;
}

/** Whether a place is there; `why`: why not, as the adapter says it. */
export interface PlacedAt {
  readonly id: number | null;
  readonly why: string | null;
}

/** Where exceptions are, and the number that stands for a stop there. */
export const raisePlaces = { raised: -1, uncaught: -2 } as const;

/** What an adapter's breakpoints are at. */
export interface DapPlaces {
  /** Why an adapter cannot have them, as a clause; null: it can. */
  whyNot(can: DapCapabilities): string | null;
  /** Has all threads stop at these places and no others. An outcome each, in their order. Throws DapError. */
  set(places: readonly DapPlace[], limitMs?: number): Promise<readonly PlacedAt[]>;
}

type Placed = z.output<typeof placed>;

/** Of machine code. */
export class AddressPlaces implements DapPlaces {
  readonly #link: DapLink;

  constructor(link: DapLink) {
    this.#link = link;
  }

  whyNot({ supportsInstructionBreakpoints }: DapCapabilities): string | null {
    return supportsInstructionBreakpoints === true ? null : 'it has no breakpoints at addresses';
  }

  async set(places: readonly DapPlace[], limitMs?: number): Promise<readonly PlacedAt[]> {
    const breakpoints = places.map(({ at, condition }) => ({
      instructionReference: at,
      ...(condition === undefined ? {} : { condition }),
    }));
    const { breakpoints: told } = await this.#link.ask(
      'setInstructionBreakpoints',
      { breakpoints },
      placed,
      limitMs,
    );
    return places.map((_, i) => outcomeOf(told[i]));
  }
}

/** Of source text. */
export class SourcePlaces implements DapPlaces {
  readonly #link: DapLink;
  #filters = '';
  /** By file what was asked for there last, and what became of it. */
  readonly #files = new Map<string, { readonly asked: string; readonly told: Placed }>();

  constructor(link: DapLink) {
    this.#link = link;
  }

  whyNot(): string | null {
    return null;
  }

  async set(places: readonly DapPlace[], limitMs?: number): Promise<readonly PlacedAt[]> {
    const outcomes = new Map<DapPlace, PlacedAt>();
    const filters = Object.keys(raisePlaces).filter((one) => places.some(({ at }) => at === one));
    if (filters.join() !== this.#filters)
      await this.#link.tell('setExceptionBreakpoints', { filters }, limitMs);
    this.#filters = filters.join();
    const lines = places.filter(({ at }) => !(at in raisePlaces));
    const paths = new Set([...this.#files.keys(), ...lines.map(({ at }) => lineOf(at).path)]);
    for (const path of paths) {
      const mine = lines.filter(({ at }) => lineOf(at).path === path);
      const breakpoints = mine.map(({ at, condition }) => ({
        line: lineOf(at).line,
        ...(condition === undefined ? {} : { condition }),
      }));
      const args = { source: { path }, breakpoints };
      const asked = JSON.stringify(breakpoints);
      const known = this.#files.get(path);
      const told =
        known?.asked === asked
          ? known.told
          : await this.#link.ask('setBreakpoints', args, placed, limitMs);
      for (const [i, place] of mine.entries()) outcomes.set(place, outcomeOf(told.breakpoints[i]));
      if (mine.length === 0) this.#files.delete(path);
      else this.#files.set(path, { asked, told });
    }
    return places.map((place) => {
      if (place.at === 'raised' || place.at === 'uncaught')
        return { id: raisePlaces[place.at], why: null };
      return outcomes.get(place) ?? outcomeOf(undefined);
    });
  }
}

function outcomeOf(
  told:
    | { readonly id?: number | undefined; verified: boolean; message?: string | undefined }
    | undefined,
): PlacedAt {
  if (told?.verified === true && told.id !== undefined) return { id: told.id, why: null };
  return { id: null, why: told?.message ?? 'it does not say why' };
}

function lineOf(at: string): { readonly path: string; readonly line: number } {
  const colon = at.lastIndexOf(':');
  return { path: at.slice(0, colon), line: Number(at.slice(colon + 1)) };
}
