import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { StrobeError } from '../../../src/model/errors.ts';
import { SymbolIndex } from '../../../src/symbols/native/symbolIndex.ts';
import { suiteFolder } from '../../support/folder.ts';
import { sourceFolder } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';
import { parsePattern } from '../../../src/model/names/pattern.ts';

const folder = suiteFolder();
const { symbolWorker } = installPaths();
const libc =
  ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/libc.so.6', '/usr/lib/libc.so.6'].find((path) =>
    existsSync(path),
  ) ?? '';

function codeOf(error: unknown): string {
  return error instanceof StrobeError ? error.code : String(error);
}

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'no error', codeOf);
}

describe('the symbol index in its worker', () => {
  const program = buildTarget('symbols/names.cpp', ['-O0']);
  const options = { projectRoot: sourceFolder };

  test('a rest costs no question: neither one that is asked already nor the next', async () => {
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir: join(folder, 'rests') });
    const asked = index.open(program);
    await index.rest();
    expect(await asked).toMatchObject({ path: program, problems: [] });
    await index.rest();
    index.warm();
    expect(await index.open(program)).toMatchObject({ path: program, fromCache: true });
  });

  test('opens, finds, completes; the second opening comes from the folder of indexes', async () => {
    const cacheDir = join(folder, 'kept');
    {
      await using index = await SymbolIndex.start(symbolWorker, { cacheDir });
      const summary = await index.open(program);
      expect(summary).toMatchObject({
        path: program,
        debugInfo: 'dwarf',
        dwarfVersion: 5,
        languages: ['C++'],
        fromCache: false,
        problems: [],
      });
      expect(summary.buildId).toMatch(/^[0-9a-f]{40}$/);
    }
    expect(readdirSync(cacheDir).filter((name) => name.endsWith('.index'))).toHaveLength(1);
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir });
    expect(await index.open(program)).toMatchObject({ fromCache: true, debugInfo: 'dwarf' });
    const { value, problems } = await index.find(
      [program],
      parsePattern('bank::v2::Account::deposit(long)'),
      options,
    );
    expect(problems).toEqual([]);
    expect(value.functions).toMatchObject([
      {
        unit: program,
        name: 'bank::v2::Account::deposit',
        signature: 'bank::v2::Account::deposit(long)',
        linkageName: '_ZN4bank2v27Account7depositEl',
        file: join(sourceFolder, 'names.cpp'),
        line: 31,
        parameters: [
          {
            name: 'this',
            type: { kind: 'pointer', name: 'Account*' },
            place: { kind: 'integer', register: 0 },
          },
          {
            name: 'amount',
            type: { kind: 'int', name: 'long', bytes: 8, signed: true },
            place: { kind: 'integer', register: 1 },
          },
        ],
        returns: { kind: 'int', name: 'long', bytes: 8, signed: true },
        stackBytes: 0,
        variadic: false,
        opensStack: false,
      },
    ]);
    expect(await index.complete([program], 'bank::v2::Account::dep', 5)).toEqual([
      'bank::v2::Account::deposit',
    ]);
    const offset = value.functions[0]?.offset ?? 0;
    expect(await index.namesAt(program, [offset, offset + 1, 1])).toEqual([
      'bank::v2::Account::deposit',
      null,
      null,
    ]);
    expect(await index.complete([program], 'hid', 5)).toEqual([]);
    expect(await index.complete([program], 'Hid', 5)).toEqual([
      '(anonymous namespace)::Hidden::get',
    ]);
  });

  test('a pattern without a library name stays in the project; a library can be named', async () => {
    await using index = await SymbolIndex.start(symbolWorker, {
      cacheDir: join(folder, 'libraries'),
    });
    const modules = [program, libc];
    const all = await index.find(modules, parsePattern('**'), options);
    expect(new Set(all.value.functions.map((fn) => fn.unit))).toEqual(new Set([program]));
    const malloc = await index.find(modules, parsePattern('libc.so!malloc'), options);
    expect(malloc.value.functions).toMatchObject([
      { unit: libc, name: 'malloc', parameters: [], stackBytes: null },
    ]);
    const none = await index.find(modules, parsePattern('libnowhere!f'), options);
    expect(none).toMatchObject({
      value: { functions: [] },
      problems: [{ code: 'NOTHING_MATCHED' }],
    });
  });

  test('what many functions match is kept until a file changes', async () => {
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir: join(folder, 'many') });
    const numbered = (count: number): string => {
      const source = join(folder, 'many.c');
      const names = Array.from(
        { length: count },
        (_, i) => `int f${i}(int a) { return a + ${i}; }`,
      );
      writeFileSync(source, `${names.join('\n')}\nint main(void) { return f0(1) != 1; }\n`);
      execFileSync('gcc', ['-g', '-o', join(folder, 'many'), source]);
      return join(folder, 'many');
    };
    const modules = [numbered(300)];
    const find = async () => await index.find(modules, parsePattern('f*'), options);
    const first = await find();
    expect(first.value.functions).toHaveLength(300);
    expect(await find()).toBe(first);
    numbered(301);
    expect((await find()).value.functions).toHaveLength(301);
  });

  test('a name that is not there is answered with those near it', async () => {
    await using index = await SymbolIndex.start(symbolWorker, {
      cacheDir: join(folder, 'nearest'),
    });
    const nearest = async (pattern: string) =>
      (await index.find([program], parsePattern(pattern), options)).value.nearest;
    expect((await nearest('Account::deposit'))[0]).toBe('bank::v2::Account::deposit');
    expect((await nearest('bank::Account::depposit'))[0]).toBe('bank::v2::Account::deposit');
    expect(await nearest('@file:name.cpp')).toContain(`@file:${join(sourceFolder, 'names.cpp')}`);
    expect(await nearest('zzzzzzzzzz')).toEqual([]);
  });

  test('[pattern.advice] what matches nothing is told how to be written, or which files there are', async () => {
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir: join(folder, 'advice') });
    const notes = async (pattern: string, projectRoot: string) =>
      (await index.find([program], parsePattern(pattern), { projectRoot })).value.notes.join('\n');
    const source = join(sourceFolder, 'names.cpp');
    expect(await notes('nosuch.*name', sourceFolder)).toContain('"nosuch*name"');
    expect(await notes('@file:absent.c', sourceFolder)).toBe('its functions come from names.cpp');
    expect(await notes('@usercode', '/nowhere')).toMatch(`/nowhere, but from ${source}: give`);
    expect(await notes('@usercode', sourceFolder)).not.toContain('come');
    expect(await notes('main', sourceFolder)).toBe('');
  });

  test('a limit is told, a missing file is an error, a missing module a problem', async () => {
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir: join(folder, 'errors') });
    const cut = await index.find([program], parsePattern('**'), { ...options, limit: 3 });
    expect(cut.value.functions).toHaveLength(3);
    expect(cut.problems).toMatchObject([{ code: 'TOO_MANY_MATCHES', subject: '**' }]);
    expect(await failure(index.open('/nowhere'))).toBe('BAD_BINARY');
    expect(
      (await index.find([program, '/nowhere'], parsePattern('main'), options)).problems,
    ).toMatchObject([{ code: 'BAD_BINARY', subject: '/nowhere' }]);
    expect(
      (await index.find([program], parsePattern('main'), options)).value.functions,
    ).toHaveLength(1);
  });

  test('a program built anew at the same path is read anew; a damaged index is built again', async () => {
    const cacheDir = join(folder, 'rebuilt');
    const path = join(folder, 'program');
    copyFileSync(program, path);
    await using index = await SymbolIndex.start(symbolWorker, { cacheDir });
    expect(await index.open(path)).toMatchObject({ fromCache: false, dwarfVersion: 5 });
    rmSync(path);
    copyFileSync(buildTarget('symbols/names.cpp', ['-O0', '-gdwarf-4']), path);
    expect(await index.open(path)).toMatchObject({ fromCache: false, dwarfVersion: 4 });
    for (const name of readdirSync(cacheDir))
      writeFileSync(join(cacheDir, name), 'STRBSYM1 and then nothing of sense');
    await using other = await SymbolIndex.start(symbolWorker, { cacheDir });
    expect(await other.open(path)).toMatchObject({ fromCache: false, dwarfVersion: 4 });
  });

  test('an index that cannot be kept is told and used all the same', async () => {
    const blocked = join(folder, 'blocked');
    writeFileSync(blocked, 'a file where a folder should be');
    await using index = await SymbolIndex.start(symbolWorker, {
      cacheDir: join(blocked, 'inside'),
    });
    const summary = await index.open(program);
    expect(summary.problems.map((problem) => problem.detail).join()).toContain(
      'cannot be kept on disk',
    );
    expect(summary.functions).toBeGreaterThan(20);
  });
});

describe('a worker that fails', () => {
  const ready = `import { parentPort } from 'node:worker_threads';\nparentPort.postMessage({ kind: 'ready' });\n`;
  function worker(name: string, body: string): string {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, ready + body);
    return path;
  }

  test('a hanging one is ended at the limit, and the next question gets a new one', async () => {
    // It answers its first question only in a life after the first.
    const marker = join(folder, 'hung-once');
    const path = worker(
      'hanging',
      `import { existsSync, writeFileSync } from 'node:fs';
       parentPort.on('message', () => {
         if (!existsSync(${JSON.stringify(marker)})) { writeFileSync(${JSON.stringify(marker)}, ''); for (;;); }
         parentPort.postMessage({ kind: 'end', reply: { ok: true, answer: ['alive'] } });
       });`,
    );
    await using index = await SymbolIndex.start(path, {
      cacheDir: folder,
      limits: { completeMs: 1500 },
    });
    expect(await failure(index.complete([], 'x', 1))).toBe('TIMED_OUT');
    expect(await index.complete([], 'x', 1)).toEqual(['alive']);
  });

  test('a crashing one is told, and the next question gets a new one', async () => {
    const marker = join(folder, 'crashed-once');
    const path = worker(
      'crashing',
      `import { existsSync, writeFileSync } from 'node:fs';
       parentPort.on('message', () => {
         if (!existsSync(${JSON.stringify(marker)})) { writeFileSync(${JSON.stringify(marker)}, ''); throw new Error('it broke'); }
         parentPort.postMessage({ kind: 'end', reply: { ok: true, answer: ['alive'] } });
       });`,
    );
    await using index = await SymbolIndex.start(path, { cacheDir: folder });
    const [first, second] = await Promise.allSettled([
      index.complete([], 'x', 1),
      index.complete([], 'y', 1),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL' } });
    expect(first.status === 'rejected' ? String(first.reason) : '').toContain('it broke');
    expect(second).toMatchObject({ status: 'fulfilled', value: ['alive'] });
  });

  test('one that does not exist or never becomes ready refuses to start', async () => {
    expect(await failure(SymbolIndex.start(join(folder, 'absent.mjs'), { cacheDir: folder }))).toBe(
      'INTERNAL',
    );
    const silent = join(folder, 'silent.mjs');
    writeFileSync(silent, 'setInterval(() => {}, 1000);');
    expect(
      await failure(SymbolIndex.start(silent, { cacheDir: folder, limits: { startMs: 300 } })),
    ).toBe('INTERNAL');
  });

  test('closing answers what is waiting, and closes the door', async () => {
    const path = worker('silentAnswers', `parentPort.on('message', () => {});`);
    const index = await SymbolIndex.start(path, { cacheDir: folder });
    const waiting = [failure(index.open('/a')), failure(index.open('/b'))];
    await new Promise((resolve) => setImmediate(resolve));
    await index.close();
    expect(await Promise.all(waiting)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await failure(index.open('/c'))).toBe('CANCELLED');
  });
});
