import { noNames, type DefinedNames } from '../../model/decoding/dynamic.ts';
import type { DefiningRing, Definition } from '../../model/functions/definition.ts';
import { RingNames } from '../definedNames.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { storedJson } from '../storedJson.ts';

/** What processes defined besides functions, for those who read their values. */
export class Definitions {
  readonly #saveRing: Statement<[path: string, pid: number, parent: string | null]>;
  readonly #save: Statement<[ring: string, kind: string, number: number, fields: string]>;
  readonly #saved: Statement<[], { ring: string; fields: string }>;
  readonly #rings: Statement<[], DefiningRing>;
  readonly #threads: Statement<[], { key: number; ring: string }>;
  readonly #names = new RingNames();
  readonly #byThread = new Map<number, DefinedNames>();

  constructor(db: Sqlite) {
    this.#saveRing = db.prepare('INSERT OR IGNORE INTO rings VALUES (?, ?, ?)');
    this.#save = db.prepare(
      'INSERT INTO definitions (ring, kind, number, fields) VALUES (?, ?, ?, ?)',
    );
    this.#saved = db.prepare('SELECT ring, fields FROM definitions ORDER BY id');
    this.#rings = db.prepare('SELECT path, pid, parent FROM rings ORDER BY rowid');
    this.#threads = db.prepare('SELECT key, ring FROM threads WHERE ring IS NOT NULL');
  }

  /** Goes on from what the file holds. */
  continue(): void {
    for (const ring of this.#rings.iterate()) this.#names.add(ring);
    for (const { ring, fields } of this.#saved.iterate())
      this.#names
        .of(ring)
        .add(storedJson<Definition>(fields, { kind: 'string', number: 'number' }));
    for (const { key, ring } of this.#threads.iterate()) this.threadWrites(key, ring);
  }

  add({ path, pid, parent }: DefiningRing, definitions: readonly Definition[]): void {
    this.#saveRing.run(path, pid, parent);
    const names = this.#names.add({ path, parent });
    for (const definition of definitions) {
      if (definition.kind === 'function' || definition.kind === 'file') continue;
      this.#save.run(path, definition.kind, definition.number, JSON.stringify(definition));
      names.add(definition);
    }
  }

  /** A thread writes into this ring. */
  threadWrites(key: number, ring: string | null): void {
    if (ring !== null) this.#byThread.set(key, this.#names.of(ring));
  }

  /** What the process of a thread defined. */
  of(key: number): DefinedNames {
    return this.#byThread.get(key) ?? noNames;
  }
}
