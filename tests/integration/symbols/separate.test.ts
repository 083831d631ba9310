import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Library } from '../../../src/symbols/native/index/library.ts';
import { testFolder } from '../../support/folder.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

describe('separate debug information', () => {
  let folder: string;
  beforeEach(() => {
    folder = testFolder();
  });

  /** A stripped copy of a program, and beside it what was stripped, as .gnu_debuglink names it. */
  function stripped(program: string): { readonly app: string; readonly debug: string } {
    const [app, debug] = [join(folder, 'app'), join(folder, 'app.debug')];
    copyFileSync(program, app);
    execFileSync('objcopy', ['--only-keep-debug', app, debug]);
    execFileSync('strip', [app]);
    execFileSync('objcopy', ['--add-gnu-debuglink=app.debug', app], { cwd: folder });
    return { app, debug };
  }

  test.each(['-gdwarf-5', '-gdwarf-4'])(
    '[symbols.separate] functions, lines and parameters are those of the whole file (%s)',
    (version) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/names.cpp', [version, '-Wl,--build-id']);
      const { app, debug } = stripped(program);
      const own = (module: string) =>
        library.find(module, '**').map(({ unit: _unit, id: _id, ...fn }) => fn);
      expect(own(app)).toEqual(own(program));
      expect(own(app).length).toBeGreaterThan(10);
      mkdirSync(join(folder, '.debug'));
      renameSync(debug, join(folder, '.debug', 'app.debug'));
      using again = new TestLibrary();
      expect(again.library.open(app, () => {})).toMatchObject({ debugInfo: 'dwarf', problems: [] });
    },
  );

  test('[symbols.separate] of another build it is not used, and that is told; once it is there it is', () => {
    const program = buildTarget('symbols/names.cpp', ['-Wl,--build-id']);
    const { app, debug } = stripped(program);
    const other = buildTarget('symbols/names.cpp', ['-Wl,--build-id', '-DOTHER=1', '-O0']);
    execFileSync('objcopy', ['--only-keep-debug', other, join(folder, 'other.debug')]);
    renameSync(debug, join(folder, 'kept.debug'));
    renameSync(join(folder, 'other.debug'), debug);
    using library = new TestLibrary();
    const first = library.library.open(app, () => {});
    expect(first.debugInfo).not.toBe('dwarf');
    expect(first.problems.map(({ detail }) => detail).join()).toMatch(
      /separate file \(app\.debug\), of which no copy of the same build was read/,
    );
    renameSync(join(folder, 'kept.debug'), debug);
    // Another library over the same folder of indexes: what was kept without it is not used.
    using later = new Library(library.folder, library.demangler);
    expect(later.open(app, () => {}).debugInfo).toBe('dwarf');
  });

  test('[symbols.separate] a program without a build id: by the checksum in .gnu_debuglink, never of another build', () => {
    const program = buildTarget('symbols/names.cpp', ['-Wl,--build-id=none']);
    const { app, debug } = stripped(program);
    using library = new TestLibrary();
    expect(library.library.open(app, () => {})).toMatchObject({
      buildId: null,
      debugInfo: 'dwarf',
    });
    const bytes = readFileSync(debug);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(debug, bytes);
    using other = new TestLibrary();
    expect(other.library.open(app, () => {}).debugInfo).not.toBe('dwarf');
  });

  test("[symbols.separate] in a distribution's folder it is found by its build id or by the program's path", () => {
    const program = buildTarget('symbols/names.cpp', ['-Wl,--build-id']);
    const { app, debug } = stripped(program);
    const installed = join(folder, 'debug');
    using before = new TestLibrary(installed);
    const { buildId } = before.library.open(app, () => {});
    const byId = join(installed, '.build-id', buildId?.slice(0, 2) ?? '');
    mkdirSync(byId, { recursive: true });
    renameSync(debug, join(byId, `${buildId?.slice(2)}.debug`));
    using library = new TestLibrary(installed);
    expect(library.library.open(app, () => {})).toMatchObject({ debugInfo: 'dwarf', problems: [] });
    const byPath = join(installed, folder);
    mkdirSync(byPath, { recursive: true });
    renameSync(join(byId, `${buildId?.slice(2)}.debug`), join(byPath, 'app.debug'));
    using again = new TestLibrary(installed);
    expect(again.library.open(app, () => {})).toMatchObject({ debugInfo: 'dwarf', problems: [] });
  });

  test('[symbols.elf] sections compressed by zstd are read, or the next step is told', () => {
    const program = buildTarget('symbols/names.cpp', []);
    const packed = join(folder, 'packed');
    execFileSync('objcopy', ['--compress-debug-sections=zstd', program, packed]);
    using library = new TestLibrary();
    const { debugInfo, problems } = library.library.open(packed, () => {});
    const told = problems.map(({ detail }) => detail).join();
    expect(`${debugInfo} ${told}`).toMatch(
      'zstdDecompressSync' in zlib
        ? /^dwarf $/
        : /^symtab .*\.debug_info is compressed by zstd, .* run objcopy --decompress-debug-sections FILE, or Strobe with Node 22\.15/,
    );
  });
});
