import { itemTag } from '../../model/values/dynamicValue.ts';
import type { DefiningRing, Definition } from '../../model/functions/definition.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { storedJson } from '../storedJson.ts';

/** What processes defined besides functions, for those who read their values. */
export class Definitions {
  readonly #saveRing: Statement<[path: string, pid: number, parent: string | null]>;
  readonly #save: Statement<[ring: string, kind: string, number: number, fields: string]>;
  readonly #saved: Statement<[], { ring: string; fields: string }>;
  readonly #rings: Statement<[], { key: number; ring: string }>;
  /** Numbers of the types of promises, by ring. */
  readonly #promises = new Map<string, Set<number>>();
  readonly #ringOf = new Map<number, string>();

  constructor(db: Sqlite) {
    this.#saveRing = db.prepare('INSERT OR IGNORE INTO rings VALUES (?, ?, ?)');
    this.#save = db.prepare(
      'INSERT INTO definitions (ring, kind, number, fields) VALUES (?, ?, ?, ?)',
    );
    this.#saved = db.prepare("SELECT ring, fields FROM definitions WHERE kind = 'type'");
    this.#rings = db.prepare('SELECT key, ring FROM threads WHERE ring IS NOT NULL');
  }

  /** Goes on from what the file holds. */
  continue(): void {
    for (const { ring, fields } of this.#saved.iterate())
      this.#know(ring, storedJson<Definition>(fields, { kind: 'string', number: 'number' }));
    for (const { key, ring } of this.#rings.iterate()) this.#ringOf.set(key, ring);
  }

  add({ path, pid, parent }: DefiningRing, definitions: readonly Definition[]): void {
    this.#saveRing.run(path, pid, parent);
    for (const definition of definitions) {
      if (definition.kind === 'function' || definition.kind === 'file') continue;
      this.#save.run(path, definition.kind, definition.number, JSON.stringify(definition));
      this.#know(path, definition);
    }
  }

  /** A thread writes into this ring. */
  threadWrites(key: number, ring: string | null): void {
    if (ring !== null) this.#ringOf.set(key, ring);
  }

  /** Whether the value at bytes[from, to), which a thread captured, is a promise. */
  isPromise(key: number, bytes: Uint8Array, from: number, to: number): boolean {
    const types = this.#promises.get(this.#ringOf.get(key) ?? '');
    const tag = bytes[from + 8];
    if (!types || (tag !== itemTag.object && tag !== itemTag.other)) return false;
    let number = 0;
    let scale = 1;
    // An object has its size before the number of its type.
    for (let at = from + 8 + (tag === itemTag.object ? 3 : 1); at < to; at++, scale *= 128) {
      const byte = bytes[at] ?? 0;
      number += (byte & 127) * scale;
      if (byte < 128) return types.has(number);
    }
    return false;
  }

  #know(ring: string, definition: Definition): void {
    if (definition.kind !== 'type' || definition.language !== 'javascript') return;
    if (!definition.name.endsWith('Promise')) return;
    const known = this.#promises.get(ring);
    if (known) known.add(definition.number);
    else this.#promises.set(ring, new Set([definition.number]));
  }
}
