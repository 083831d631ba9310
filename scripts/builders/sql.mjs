import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFolder } from './compile.mjs';

/** Compiles native/sql into dist/sql.so when a source is newer. Answers whether it built. */
export async function buildSqlTables(root) {
  // The interface of extensions that the SQLite in use was built with.
  const headers = join(root, 'node_modules/better-sqlite3/deps/sqlite3');
  const linking = ['-shared', '-Wl,-z,noexecstack', '-Wl,-z,now', '-Wl,-z,defs'];
  return await compileFolder({
    folder: join(root, 'native/sql'),
    product: join(root, 'dist/sql.so'),
    builder: fileURLToPath(import.meta.url),
    flags: ['-fPIC', '-fvisibility=hidden', ...linking, '-isystem', headers],
    libraries: ['-lm'],
  });
}
