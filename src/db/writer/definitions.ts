import type { Definition } from '../../model/functions/definition.ts';
import type { DefiningRing } from '../definedNames.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** What processes defined besides functions, for those who read their values. */
export class Definitions {
  readonly #saveRing: Statement<[path: string, pid: number, parent: string | null]>;
  readonly #save: Statement<[ring: string, kind: string, number: number, fields: string]>;

  constructor(db: Sqlite) {
    this.#saveRing = db.prepare('INSERT OR IGNORE INTO rings VALUES (?, ?, ?)');
    this.#save = db.prepare(
      'INSERT INTO definitions (ring, kind, number, fields) VALUES (?, ?, ?, ?)',
    );
  }

  add({ path, pid, parent }: DefiningRing, definitions: readonly Definition[]): void {
    this.#saveRing.run(path, pid, parent);
    for (const definition of definitions)
      if (definition.kind !== 'function' && definition.kind !== 'file')
        this.#save.run(path, definition.kind, definition.number, JSON.stringify(definition));
  }
}
