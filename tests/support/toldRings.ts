import { ClockMap } from '../../src/collector/rings/clockMap.ts';
import { PayloadPlans } from '../../src/collector/rings/payloadPlan.ts';
import type { DefinitionsState } from '../../src/collector/rings/sessionDefinitions.ts';
import { SessionRings, type RingsState } from '../../src/daemon/indexing/sessionRings.ts';
import { eventKind, type EventColumns } from '../../src/model/eventColumns.ts';
import type { Definition, FunctionDefinition } from '../../src/model/functions/definition.ts';
import { dynamicTexts, type DefinedNames } from './dynamicText.ts';

/** One event as the reader gave it out. */
export interface ToldEvent {
  readonly pid: number;
  readonly tid: number;
  readonly kind: string;
  /** Name of a function that was defined at run time, else its number. */
  readonly fn: string;
  readonly sp: number;
  readonly values: readonly string[];
}

/** All that the readers of a session's rings were told, by functions' names. */
export class ToldRings {
  readonly events: ToldEvent[] = [];
  readonly functions = new Map<number, FunctionDefinition>();
  readonly definitions = new Map<string, Definition[]>();
  readonly counted = new Map<string, { calls: number; timed: number }>();
  readonly lost: Record<string, number> = {};
  readonly #parents = new Map<string, string | null>();
  readonly #clock = new ClockMap(0n);
  #rings: SessionRings;

  readonly #keeps: 'all' | 'counts';
  readonly seen = { functions: 0, events: 0 };

  /** `counts`: where very much is told, only `seen` is kept. */
  constructor(path: string, keeps: 'all' | 'counts' = 'all') {
    this.#keeps = keeps;
    this.#clock.add({ tsc: 0n, monotonicNs: 0n });
    this.#clock.add({ tsc: 10_000_000n, monotonicNs: 10_000_000n });
    this.#rings = this.#make();
    this.#rings.add(path);
  }

  poll(final = false): this {
    this.#rings.poll(final);
    return this;
  }

  /** As after a commit. */
  publish(): void {
    this.#rings.publishConsumed();
  }

  /** Another reader goes on where this one is, as after the death of the daemon. */
  handOver(): void {
    const state: { rings: RingsState; definitions: DefinitionsState[] } = structuredClone({
      rings: this.#rings.state(),
      definitions: this.#rings.definitions.state(),
    });
    this.#rings.close();
    this.#rings = this.#make();
    for (const fn of this.functions.values())
      this.#rings.definitions.know({
        number: fn.number,
        name: fn.qualifiedName,
        signature: '',
        linkageName: '',
        module: fn.file,
        address: fn.offset,
        file: fn.file,
        line: fn.line,
        uncaptured: [],
        captured: fn.parameters.map((name) => ({ name, type: { kind: 'unknown' } })),
        returns: { kind: 'unknown' },
      });
    this.#rings.definitions.continueFrom(state.definitions);
    this.#rings.continueFrom(state.rings);
  }

  close(): void {
    this.#rings.close();
  }

  /** `outer 65536`: what became of a function, by name, in the order of definition. */
  get names(): string[] {
    return [...this.functions.values()].map((fn) => fn.qualifiedName);
  }

  #make(): SessionRings {
    const plans = new PayloadPlans();
    for (const { number, parameters } of this.functions.values())
      plans.set(number, { enter: parameters.map(() => true), returns: 'string' });
    const lose = (cause: string, count: number): void => {
      this.lost[cause] = (this.lost[cause] ?? 0) + count;
    };
    return new SessionRings(this.#clock, plans, {
      overwritten: (_thread, count) => lose('overwritten', count),
      torn: (_thread, count) => lose('torn', count),
      undefinedFunction: (_thread, count) => lose('undefinedFunction', count),
      definitionsUnread: (count) => lose('definitionsUnread', count),
      lost: lose,
      threadEnded: () => {},
      partRead: () => {},
      forked: () => {},
      ended: () => {},
      removed: () => {},
      defined: ({ path, parent }, definitions) => {
        this.#parents.set(path, parent);
        this.seen.functions += definitions.filter(({ kind }) => kind === 'function').length;
        if (this.#keeps === 'counts') return;
        const all = this.definitions.get(path) ?? [];
        this.definitions.set(path, all);
        for (const definition of definitions) all.push(definition);
        for (const one of definitions)
          if (one.kind === 'function') this.functions.set(one.number, one);
      },
      counted: (_thread, calls) => {
        for (const { fn, calls: count, timed } of calls) {
          const name = this.#nameOf(fn);
          const sum = this.counted.get(name) ?? { calls: 0, timed: 0 };
          this.counted.set(name, { calls: sum.calls + count, timed: sum.timed + timed });
        }
      },
      events: ({ pid, tid, ring }, columns) => {
        this.seen.events += columns.count;
        if (this.#keeps === 'all') this.#keep(pid, tid, ring, columns);
      },
    });
  }

  #nameOf(fn: number): string {
    return this.functions.get(fn)?.qualifiedName ?? String(fn);
  }

  #keep(pid: number, tid: number, ring: string, columns: EventColumns): void {
    const { kind, fn, sp, payload, payloadStart } = columns;
    const defined = this.#namesOf(ring);
    for (let row = 0; row < columns.count; row++) {
      const bytes = Buffer.from(payload.subarray(payloadStart[row], payloadStart[row + 1]));
      this.events.push({
        pid,
        tid,
        kind: kindName(kind[row] ?? 0),
        fn: this.#nameOf(fn[row] ?? 0),
        sp: sp[row] ?? 0,
        values: valuesOf(kind[row] ?? 0, fn[row] ?? 0, bytes, defined),
      });
    }
  }

  /** What a process defined, and before it its parents. */
  #namesOf(ring: string): DefinedNames {
    const parent = this.#parents.get(ring);
    const { types, names } = parent
      ? this.#namesOf(parent)
      : { types: new Map<number, string>(), names: new Map<number, string>() };
    const [ownTypes, ownNames] = [new Map(types), new Map(names)];
    for (const definition of this.definitions.get(ring) ?? []) {
      if (definition.kind === 'type') ownTypes.set(definition.number, definition.name);
      if (definition.kind === 'name') ownNames.set(definition.number, definition.name);
    }
    return { types: ownTypes, names: ownNames };
  }
}

function kindName(kind: number): string {
  return Object.entries(eventKind).find(([, code]) => code === kind)?.[0] ?? String(kind);
}

function valuesOf(kind: number, fn: number, bytes: Buffer, defined: DefinedNames): string[] {
  const hasLine = kind === eventKind.raise || kind === eventKind.handled;
  if (fn < 65536) return words(bytes);
  if (!hasLine) return dynamicTexts(bytes, defined);
  const line = bytes.subarray(bytes.length - 8);
  return [...dynamicTexts(bytes.subarray(0, -8), defined), `line ${line.readUInt32LE()}`];
}

function words(bytes: Buffer): string[] {
  return Array.from({ length: bytes.length / 8 }, (_, at) => String(bytes.readBigUInt64LE(at * 8)));
}
