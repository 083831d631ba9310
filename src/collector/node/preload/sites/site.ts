import { functionFlags } from '../../../../model/functions/definition.ts';
import { definitionKind } from '../../../../protocol/definitions.ts';
import type { WantedSite } from '../../../../protocol/nodeTracer.ts';
import { countHit, tellHit } from '../calls.ts';
import { isTrue, shownValue, unknown, valueOf, type Moment } from '../expressionValue.ts';
import { tellUndecided } from '../tellUndecided.ts';
import { beginFields, define, fileNumber, putText, putTold, putWord } from '../names.ts';

type State = 'holds' | 'broken' | 'unknown';

/** What invariants were last in this thread, by what all their places share. */
const invariants = new Map<string, State>();

/** A breakpoint of this thread. */
export class Site {
  readonly asked: WantedSite;
  readonly #number: number;
  #met = 0;

  constructor(file: string, asked: WantedSite) {
    this.asked = asked;
    this.#number = defined(file, asked);
  }

  /** `none`: what the reader gives for a name that is not there. Answers whether it is a hit that is wanted. */
  hit(read: (name: number) => unknown, none: unknown): boolean {
    return this.look(momentOf(this.asked.names, read, none));
  }

  /** What is asked there is looked at, and recorded or counted; the same. */
  look(moment: Moment): boolean {
    const { captured, levels } = this.asked;
    if (this.#number === 0) return false;
    const what = this.#choose(moment);
    if (what !== 'recorded') {
      countHit(this.#number, what === 'met');
      return false;
    }
    const values = captured.map(({ expression }) => shownValue(expression, moment));
    tellHit(this.#number, levels, values);
    return true;
  }

  #choose(moment: Moment): 'recorded' | 'met' | 'unmet' {
    const { condition, check, after, every, most } = this.asked;
    const value = condition === undefined ? true : valueOf(condition, moment);
    if (check !== undefined) {
      const now: State = value === unknown ? 'unknown' : isTrue(value) ? 'holds' : 'broken';
      const before = invariants.get(check) ?? 'holds';
      invariants.set(check, now);
      if (now === 'holds') return 'unmet';
      return now === before ? 'met' : 'recorded';
    }
    // A condition that is unknown counts as met.
    if (value === unknown) tellUndecided(this.asked.name);
    else if (!isTrue(value)) return 'unmet';
    const nth = ++this.#met - after;
    const step = Math.max(every, 1);
    const isDue = nth > 0 && nth % step === 0 && (most === 0 || nth / step <= most);
    return isDue ? 'recorded' : 'unmet';
  }
}

/** What names mean where a reader reads them; `none`: what it gives for one that is not there. */
export function momentOf(
  names: readonly string[],
  read: (name: number) => unknown,
  none: unknown,
): Moment {
  return {
    parameters: names,
    values: names.map((_name, i) => readOr(read, i, none)),
    result: unknown,
    variable: () => unknown,
  };
}

function readOr(read: (name: number) => unknown, name: number, none: unknown): unknown {
  try {
    const value = read(name);
    return value === none ? unknown : value;
  } catch {
    return unknown; // It has no value yet, or V8 did not keep it.
  }
}

/** Its number; 0: what cannot be defined is not recorded. */
function defined(
  file: string,
  { name, line, column, offset, captured, probe }: WantedSite,
): number {
  const inFile = fileNumber(file);
  if (inFile === 0) return 0;
  beginFields();
  putText(name);
  for (const word of [inFile, column, offset, functionFlags.statement, captured.length])
    putWord(word);
  for (const { text } of captured) putText(text);
  putTold(probe);
  return define(definitionKind.function, line);
}
