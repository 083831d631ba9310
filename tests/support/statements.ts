import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPaths } from '../../src/base/installPaths.ts';
import type { FoundStatement } from '../../src/model/functions/foundStatement.ts';
import { findStatements } from '../../src/symbols/native/index/findStatements.ts';
import { Library } from '../../src/symbols/native/index/library.ts';
import { Demangler } from '../../src/symbols/native/names/demangler.ts';

/** Asks something of symbols in this thread. */
export function withLibrary<T>(ask: (library: Library) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-statements-'));
  try {
    using library = new Library(folder, new Demangler(readFileSync(installPaths().demangler)));
    return ask(library);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every address of a program's own source at which a statement begins, once. */
export function allStatements(program: string, file: RegExp): FoundStatement[] {
  return withLibrary((library) => {
    const code = library.code(program);
    const info = code.types()?.info;
    const addresses = new Set<number>();
    for (const unit of info?.units ?? []) {
      const files = info?.lineHeader(unit)?.files ?? [];
      for (const row of info?.lineRows(unit) ?? [])
        if (row.beginsStatement && code.isCode(row.address) && file.test(files[row.file] ?? ''))
          addresses.add(row.address);
    }
    return [...addresses].flatMap((address) => {
      const where = { kind: 'offset', module: program, offset: code.offsetOf(address) } as const;
      const found = findStatements(library, [program], where, { names: [], depth: 1 });
      // A text keeps all of its source in memory.
      return found.statements.map((statement) => ({ ...statement, text: null }));
    });
  });
}
