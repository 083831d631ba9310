import { hash } from 'node:crypto';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type {
  DefiningRing,
  Definition,
  FunctionDefinition,
} from '../../model/functions/definition.ts';
import { record } from '../../protocol/record.ts';
import type { Entry } from './definitionEntries.ts';
import { partsOf } from './definitionParts.ts';
import type { PayloadPlans } from './payloadPlan.ts';
import type { RingSink } from './ringSink.ts';

/** Number of ended processes remembered: children of theirs may still come. */
const MOST_ENDED = 256;

/** How far the definitions of a process were read. JSON. */
export interface DefinitionsState {
  readonly ring: RingOfDefinitions;
  /** Path of its parent's ring. */
  readonly parent: string | null;
  readonly position: number;
  /** Its numbers of functions, and those of the session they were given, as runs. */
  readonly runs: readonly (readonly [local: number, session: number, count: number])[];
  /** Of a process that has ended: paths of its files by number. */
  readonly files: readonly (readonly [number: number, path: string])[];
  readonly isOver: boolean;
  readonly hasEnded: boolean;
}

/** What the head of a ring file says of its process. */
export interface RingOfDefinitions {
  readonly path: string;
  readonly pid: number;
  /** 0: none. */
  readonly parent: number;
  readonly functionBase: number;
  /** CLOCK_MONOTONIC ns at which the process began to record, in decimal digits. */
  readonly began: string;
}

/** What definitions are read with. */
interface DefinitionsReading {
  readonly plans: PayloadPlans;
  readonly sink: Pick<RingSink, 'defined' | 'definitionsUnread'>;
}

type FunctionIdentity = Pick<
  FunctionDefinition,
  'qualifiedName' | 'file' | 'offset' | 'line' | 'parameters' | 'probe'
>;

/** The function numbers of a session: each process has its own, and one function may be in many. */
export class SessionDefinitions {
  readonly #numbers = new Map<string, number>();
  #next: number = record.localFunctions;
  readonly #processes = new Map<string, ProcessDefinitions>();

  /** A function that was stored has its number already. Those of hooks are of no interest here. */
  know({ number, name, module, address, line, captured, probe }: TracedFunction): void {
    if (number < record.localFunctions) return;
    const parameters = captured.map((parameter) => parameter.name);
    const known = { qualifiedName: name, file: module, offset: address ?? 0, line: line ?? 0 };
    const statement = probe === undefined ? {} : { probe: JSON.stringify(probe) };
    this.#numbers.set(identityOf({ ...known, ...statement, parameters }), number);
    this.#next = Math.max(this.#next, number + 1);
  }

  /** The definitions of the process that writes a ring. */
  of(ring: RingOfDefinitions): ProcessDefinitions {
    const known = this.#processes.get(ring.path);
    if (known?.ring.began === ring.began) return known;
    const made = new ProcessDefinitions(this, ring, this.#parentOf(ring));
    this.#processes.set(ring.path, made);
    return made;
  }

  /** All that the process of a ring defined was read. */
  ended(path: string): void {
    const ended = this.#processes.get(path);
    if (!ended) return;
    this.#processes.delete(path);
    if (!ended.isEmpty) this.#processes.set(path, ended);
    ended.hasEnded = true;
    const all = [...this.#processes.values()].filter((process) => process.hasEnded);
    for (const { ring } of all.slice(0, -MOST_ENDED)) this.#processes.delete(ring.path);
  }

  state(): DefinitionsState[] {
    return [...this.#processes.values()].flatMap((process) =>
      process.isEmpty ? [] : [process.state()],
    );
  }

  continueFrom(states: readonly DefinitionsState[]): void {
    for (const state of states) {
      this.#processes.set(state.ring.path, ProcessDefinitions.continue(this, state));
      for (const [, session, count] of state.runs)
        this.#next = Math.max(this.#next, session + count);
    }
  }

  /** The number of a function, and whether it has just got it. */
  numberOf(fn: FunctionIdentity): { readonly number: number; readonly isNew: boolean } {
    const identity = identityOf(fn);
    const known = this.#numbers.get(identity);
    if (known !== undefined) return { number: known, isNew: false };
    this.#numbers.set(identity, this.#next);
    return { number: this.#next++, isNew: true };
  }

  /** Another process may have had the number since: the one that began last before the child did. */
  #parentOf(child: RingOfDefinitions): ProcessDefinitions | null {
    let found: ProcessDefinitions | null = null;
    for (const process of this.#processes.values()) {
      const { pid, began } = process.ring;
      if (pid !== child.parent || BigInt(began) > BigInt(child.began)) continue;
      if (!found || BigInt(began) > BigInt(found.ring.began)) found = process;
    }
    return found;
  }
}

/** What one process defined, and what its parent had defined before it forked. */
export class ProcessDefinitions {
  readonly ring: RingOfDefinitions;
  hasEnded: boolean;
  readonly #session: SessionDefinitions;
  readonly #owner: DefiningRing;
  /** Until it was asked what it had defined at the fork. */
  #parent: ProcessDefinitions | null;
  /** Session-wide numbers by local one, less `localFunctions`; 0: not defined. */
  #locals = new Uint32Array(0);
  #files = new Map<number, string>();
  #runs: DefinitionsState['runs'] | null = [];
  #position = 0;
  #entriesSeen = 0;
  /** Nothing more is read: it is damaged, or its end was reached. */
  #isOver = false;

  constructor(
    session: SessionDefinitions,
    ring: RingOfDefinitions,
    parent: ProcessDefinitions | null,
  ) {
    this.#session = session;
    this.ring = ring;
    this.#parent = parent;
    this.#owner = { path: ring.path, pid: ring.pid, parent: parent?.ring.path ?? null };
    this.hasEnded = false;
  }

  /** As another reader left it. */
  static continue(session: SessionDefinitions, state: DefinitionsState): ProcessDefinitions {
    const made = new ProcessDefinitions(session, state.ring, null);
    made.#continue(state);
    return made;
  }

  get locals(): Uint32Array {
    return this.#locals;
  }

  /** Neither it nor a parent before it defined anything. */
  get isEmpty(): boolean {
    return this.#position === 0 && this.#locals.length === 0;
  }

  /**
   * Reads what the process has defined by now; of `count` entries, as its ring file says. Call after copying records
   * and before decoding them. `final`: the process is gone.
   */
  read(count: number, { plans, sink }: DefinitionsReading, final = false): void {
    if (this.#parent) this.#inherit(this.#parent, { plans, sink });
    if (this.#isOver || (count === this.#entriesSeen && !final)) return;
    this.#entriesSeen = count;
    this.#readOn({ plans, sink }, final);
  }

  state(): DefinitionsState {
    this.#runs ??= runsOf(this.#locals);
    return {
      ring: this.ring,
      parent: this.#owner.parent,
      position: this.#position,
      runs: this.#runs,
      files: this.hasEnded ? [...this.#files] : [],
      isOver: this.#isOver,
      hasEnded: this.hasEnded,
    };
  }

  #continue({ position, runs, files, isOver, hasEnded }: DefinitionsState): void {
    this.#isOver = isOver;
    this.hasEnded = hasEnded;
    for (const [local, session, count] of runs)
      for (let each = 0; each < count; each++) this.#set(local + each, session + each);
    this.#files = new Map(files);
    if (hasEnded) return;
    // Functions that are still to come may be in files that are known.
    for (const { entries } of partsOf(this.ring.path, 0, position))
      for (const entry of entries) this.#keepFile(entry);
    this.#position = position;
  }

  /** What the parent had defined at the fork is all in its file by now. */
  #inherit(parent: ProcessDefinitions, reading: DefinitionsReading): void {
    this.#parent = null;
    if (!parent.hasEnded) parent.#readOn(reading, false);
    if (parent.isEmpty) return;
    this.#locals = parent.#locals.slice(0, this.ring.functionBase - record.localFunctions);
    this.#runs = null;
    this.#files = new Map(parent.#files);
    reading.sink.defined(this.#owner, []);
  }

  #readOn({ plans, sink }: DefinitionsReading, final: boolean): void {
    for (const { entries, position, left, isDamaged } of partsOf(this.ring.path, this.#position)) {
      const defined = entries.flatMap((entry) => this.#take(entry, plans));
      if (defined.length > 0) sink.defined(this.#owner, defined);
      const isTorn = final && left > 0 && position === this.#position;
      this.#position = position;
      this.#isOver = isDamaged || isTorn;
      const unread = entries.filter((entry) => entry === null).length + (this.#isOver ? 1 : 0);
      if (unread > 0) sink.definitionsUnread(unread);
    }
  }

  #take(entry: Entry | null, plans: PayloadPlans): Definition[] {
    if (entry === null) return [];
    this.#keepFile(entry);
    if (entry.kind !== 'function') return [entry];
    const fn = { ...entry, file: this.#files.get(entry.file) ?? '' };
    const { number, isNew } = this.#session.numberOf(fn);
    this.#set(entry.number, number);
    if (!isNew) return [];
    plans.set(number, { enter: fn.parameters.map(() => true), returns: 'string' });
    return [{ ...fn, number }];
  }

  #keepFile(entry: Entry | null): void {
    if (entry?.kind === 'file') this.#files.set(entry.number, entry.path);
  }

  #set(local: number, session: number): void {
    const at = local - record.localFunctions;
    if (at >= this.#locals.length) {
      const wider = new Uint32Array(Math.max(at + 1, this.#locals.length * 2));
      wider.set(this.#locals);
      this.#locals = wider;
    }
    this.#locals[at] = session;
    this.#runs = null;
  }
}

/** What makes a function the same in another process. */
function identityOf(fn: FunctionIdentity): string {
  const { file, offset, line, qualifiedName, parameters, probe = '' } = fn;
  return hash(
    'sha1',
    [file, offset, line, qualifiedName, ...parameters, probe].join('\0'),
    'base64',
  );
}

function runsOf(locals: Uint32Array): [number, number, number][] {
  const runs: [number, number, number][] = [];
  for (const [at, session] of locals.entries()) {
    if (session === 0) continue;
    const last = runs.at(-1);
    const local = at + record.localFunctions;
    if (last && local === last[0] + last[2] && session === last[1] + last[2]) last[2]++;
    else runs.push([local, session, 1]);
  }
  return runs;
}
