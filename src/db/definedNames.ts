import type {
  DefiningRing,
  Definition,
  TypeDefinition,
  StrandDefinition,
} from '../model/functions/definition.ts';
import { noNames, type DefinedNames } from '../model/decoding/dynamic.ts';
import type { TracedThread } from '../model/eventColumns.ts';
import type { Sqlite, Statement } from './sqlite.ts';
import { storedJson } from './storedJson.ts';

interface DefinitionRow {
  readonly id: number;
  readonly ring: string;
  readonly fields: string;
}

/** What one process defined. */
export class ProcessNames implements DefinedNames {
  readonly types = new Map<number, TypeDefinition>();
  readonly names = new Map<number, string>();
  readonly strands = new Map<number, StrandDefinition>();
  parent: ProcessNames | null = null;

  type(number: number): TypeDefinition | null {
    return this.types.get(number) ?? this.parent?.type(number) ?? null;
  }

  name(number: number): string | null {
    return this.names.get(number) ?? this.parent?.name(number) ?? null;
  }

  /** The numbers of the strands with this name. */
  strandsNamed(name: string): Set<number> {
    const own = [...this.strands].filter(([, { strand }]) => strand.name === name);
    return new Set([...own.map(([number]) => number), ...(this.parent?.strandsNamed(name) ?? [])]);
  }

  strand(number: number): StrandDefinition | null {
    return this.strands.get(number) ?? this.parent?.strand(number) ?? null;
  }

  add(definition: Definition): void {
    if (definition.kind === 'type') this.types.set(definition.number, definition);
    else if (definition.kind === 'name') this.names.set(definition.number, definition.name);
    else if (definition.kind === 'strand') this.strands.set(definition.number, definition);
  }
}

/** What processes defined, by the rings they write. */
export class RingNames {
  readonly #byRing = new Map<string, ProcessNames>();

  of(ring: string): ProcessNames {
    let names = this.#byRing.get(ring);
    if (!names) this.#byRing.set(ring, (names = new ProcessNames()));
    return names;
  }

  /** What a process did not define, its parent had. */
  add({ path, parent }: Pick<DefiningRing, 'path' | 'parent'>): ProcessNames {
    const names = this.of(path);
    names.parent = parent === null || parent === path ? null : this.of(parent);
    return names;
  }
}

/** What the processes of a session defined, as a file holds it. */
export class DefinitionTable {
  readonly #rings: Statement<[], DefiningRing>;
  readonly #rows: Statement<[after: number], DefinitionRow>;
  readonly #byRing = new RingNames();
  /** Rings of threads; the one that was known last of each process. */
  readonly #threads: Statement<[], { key: number; ring: string }>;
  #byThread = new Map<number, ProcessNames>();
  readonly #byPid = new Map<number, ProcessNames>();
  #seen = 0;
  #ringsSeen = 0;

  constructor(db: Sqlite) {
    this.#rings = db.prepare('SELECT path, pid, parent FROM rings ORDER BY rowid');
    this.#threads = db.prepare('SELECT key, ring FROM threads WHERE ring IS NOT NULL');
    this.#rows = db.prepare('SELECT id, ring, fields FROM definitions WHERE id > ? ORDER BY id');
  }

  /** Takes over what another commit brought. */
  refresh(): void {
    const rings = this.#rings.all();
    for (const ring of rings.slice(this.#ringsSeen))
      this.#byPid.set(ring.pid, this.#byRing.add(ring));
    this.#ringsSeen = rings.length;
    if (rings.length === 0) return;
    this.#byThread = new Map(
      this.#threads.all().map(({ key, ring }) => [key, this.#byRing.of(ring)]),
    );
    for (const { id, ring, fields } of this.#rows.iterate(this.#seen)) {
      this.#byRing
        .of(ring)
        .add(storedJson<Definition>(fields, { kind: 'string', number: 'number' }));
      this.#seen = id;
    }
  }

  /** What the process of a thread defined. */
  of(thread: Pick<TracedThread, 'key' | 'pid'>): DefinedNames {
    return this.#of(thread) ?? noNames;
  }

  /** The numbers of the strands with this name, in the process of a thread. */
  strandsNamed(thread: Pick<TracedThread, 'key' | 'pid'>, name: string): ReadonlySet<number> {
    return this.#of(thread)?.strandsNamed(name) ?? new Set();
  }

  #of({ key, pid }: Pick<TracedThread, 'key' | 'pid'>): ProcessNames | undefined {
    return this.#byThread.get(key) ?? this.#byPid.get(pid);
  }
}
