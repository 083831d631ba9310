import { join } from 'node:path';
import { SessionTables } from '../../../src/db/reader/sessionTables.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import {
  defineCallers,
  defineSqlValues,
  defineWatchValues,
} from '../../../src/db/sql/sqlValues.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import { packageRoot } from '../../support/strobe.ts';

/** A connection with the tables, as the process has it that runs SQL: for one statement. */
export function sqlTables(path: string): { readonly db: Sqlite } & Disposable {
  const db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  const reading = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  const tables = new SessionTables(reading);
  db.loadExtension(join(packageRoot, 'dist', 'sql.so'));
  tables.refresh();
  defineSqlValues(db, tables);
  defineCallers(db, tables);
  defineWatchValues(db, tables);
  return {
    db,
    [Symbol.dispose]: () => {
      db.close();
      reading.close();
    },
  };
}
