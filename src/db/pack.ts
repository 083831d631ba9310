import { StrobeError } from '../model/errors.ts';
import { sessionMigrations } from './sessionSchema.ts';
import { seal, unseal } from './packSeal.ts';
import { Sqlite } from './sqlite.ts';

/*
 * A packed session is its store as one SQLite file, with one more table that holds what the
 * catalogue knew of it, and a mark in the header that tells it from other databases. It may come
 * from anywhere: before it is taken its bytes have to be those that were packed (packSeal.ts), and its
 * tables exactly those that we make.
 */

/** `Stro`, at byte 68 of the file. */
const MARK = 0x5374726f;
const FACTS = 'CREATE TABLE packed (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL)';

/** Bytes of what the catalogue knew: the daemon reads them at once. */
const MOST_FACTS = 16 << 20;

/** How a packed session begins, one character a byte. */
// oxlint-disable-next-line no-control-regex -- the end of SQLite's own magic.
export const packBegins = /^SQLite format 3\u0000[\s\S]{52}Stro/;

/** Makes a pack of a store, also of one that is being written: as of its last commit. `path`: an empty file. */
export function writePack(storePath: string, path: string, facts: string): void {
  copyWithFacts(storePath, path, facts);
  seal(path);
}

function copyWithFacts(storePath: string, path: string, facts: string): void {
  using store = Sqlite.openReadonly(storePath, { migrations: sessionMigrations });
  store.copyTo(path);
  using pack = Sqlite.open(path, { migrations: sessionMigrations });
  pack.exec(FACTS);
  pack.prepare<[string]>('INSERT INTO packed VALUES (1, ?)').run(facts);
  pack.exec(`PRAGMA application_id = ${MARK}`);
  pack.checkpoint();
}

/**
 * What the catalogue of another home knew of the packed session, after the file was found whole
 * and of our making. Throws STORE_FAILED for any other file. Seal and table of facts are removed:
 * what is left is a store.
 */
export function unpack(path: string): string {
  if (!unseal(path)) throw notOurs(path, 'it is damaged: its bytes are not those that were packed');
  using pack = Sqlite.open(path, { migrations: sessionMigrations });
  if (pack.number('PRAGMA application_id') !== MARK) throw notOurs(path, 'it is no packed session');
  using ours = Sqlite.open(':memory:', { migrations: sessionMigrations });
  ours.exec(FACTS);
  if (JSON.stringify(pack.layout()) !== JSON.stringify(ours.layout())) {
    throw notOurs(path, 'its tables are not those of a session');
  }
  if (!pack.isWhole()) throw notOurs(path, 'it is damaged');
  if (pack.number('SELECT octet_length(json) FROM packed') > MOST_FACTS)
    throw notOurs(path, 'it says more of itself than a session does');
  const facts = pack.prepare<[], { json: string }>('SELECT json FROM packed').get()?.json;
  if (typeof facts !== 'string') throw notOurs(path, 'it does not say what it is');
  pack.exec('DROP TABLE packed; PRAGMA application_id = 0');
  pack.checkpoint();
  return facts;
}

function notOurs(path: string, why: string): StrobeError {
  return new StrobeError(
    'STORE_FAILED',
    `${path} cannot be opened: ${why}.`,
    'Use a whole copy of it, or pack the session again.',
  );
}
