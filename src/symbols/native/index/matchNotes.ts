import { parseFunctionName } from '../../../model/names/functionName.ts';
import { matchesParsedName } from '../../../model/names/pattern.ts';
import type { NameProgram } from '../../../model/names/pattern.ts';
import { nameAt } from '../names/nameTree.ts';
import { functionFlag } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';

const mostNamed = 4;

/** What must be told of the functions a pattern found, because their names do not say it. */
export class MatchNotes {
  readonly #indirect: string[] = [];
  readonly #leftOut = new Set<string>();
  #shared = 0;
  #sharedExample = '';
  #nameless = 0;
  /** Names by id. */
  readonly #implicit = new Map<string, string>();

  /** Addresses of what stands for the indirect functions (IFUNC) that the pattern names. */
  indirect(index: ModuleIndex, program: NameProgram): ReadonlySet<number> {
    const chosen = new Set<number>();
    for (const { name, choices, unknown } of index.facts.indirect) {
      if (!matchesParsedName({ ...program, parameters: null }, parseFunctionName(name))) continue;
      for (const address of choices) chosen.add(address);
      const names = choices.map((address) => nameOfCode(index, address)).slice(0, mostNamed);
      const rest = choices.length > mostNamed ? ` and ${choices.length - mostNamed} more` : '';
      const untraced = unknown > 0 ? `; not ${unknown} others, which have no name here` : '';
      this.#indirect.push(
        choices.length > 0
          ? `${name} is chosen when it is loaded (IFUNC): traced is what it is chosen from, ${names.join(', ')}${rest}${untraced}`
          : `${name} is chosen when it is loaded (IFUNC) from functions that have no name here, and cannot be traced: trace its callers`,
      );
    }
    return chosen;
  }

  /** A member that the compiler made matches a pattern that does not name it. */
  implicit(id: string, name: string): void {
    this.#implicit.set(id, name);
  }

  /** Ids of functions that are not hooked. */
  untraced(): string[] {
    return [...this.#implicit.keys()];
  }

  /** The function at a row is taken. */
  matched(index: ModuleIndex, row: number): void {
    if (((index.flags[row] ?? 0) & functionFlag.nameless) !== 0) this.#nameless++;
    const others = othersAt(index, row);
    if (others.length === 0) return;
    if (this.#shared++ > 0) return;
    const also = others.slice(0, mostNamed).join(', ');
    const rest = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
    this.#sharedExample = `${nameOf(index, row)} is also ${also}${rest}`;
  }

  /** What values of the functions taken are without. */
  leftOut(what: readonly string[]): void {
    for (const one of what) this.#leftOut.add(one);
  }

  sentences(): string[] {
    const [first, second] = this.#indirect;
    const left = this.#indirect.length - 2;
    const notes = [
      first,
      second,
      left > 0 ? `${left} more are chosen so (IFUNC)` : undefined,
    ].filter((note) => note !== undefined);
    const [example] = this.#implicit.values();
    if (example !== undefined)
      notes.push(
        `${this.#implicit.size} compiler-made members are left out; name one to trace it: "${example}"`,
      );
    if (this.#shared > 0)
      notes.push(
        `${this.#shared} of them share their code with functions of other names (aliases, or equal functions that the linker folded), whose calls are recorded under one name: ${this.#sharedExample}`,
      );
    if (this.#nameless > 0)
      notes.push(
        `${this.#nameless} of them have no name (the file is stripped): sub_ and the link-time address, found by their call frames`,
      );
    return [...notes, ...this.#leftOut];
  }
}

function nameOf(index: ModuleIndex, row: number): string {
  return nameAt(index.nameTree, index.names[row] ?? 0);
}

function nameOfCode(index: ModuleIndex, address: number): string {
  return nameOf(index, index.addresses.indexOf(address));
}

/** Names of the other functions that begin where this one does. */
function othersAt(index: ModuleIndex, row: number): string[] {
  const { addresses, names } = index;
  const address = addresses[row];
  const others: string[] = [];
  let first = row;
  while (first > 0 && addresses[first - 1] === address) first--;
  for (let at = first; addresses[at] === address; at++)
    if (names[at] !== names[row]) others.push(nameOf(index, at));
  return others;
}
