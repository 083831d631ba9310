import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe('functions of packages', () => {
  const { home, client } = withClient();
  const traced = async (
    command: string,
    cwd: string,
    patterns: readonly string[],
  ): Promise<SeenCall[]> => {
    const args = [join(cwd, command.endsWith('node') ? 'main.js' : 'main.py')];
    const options = { args, patterns, cwd, projectRoot: cwd };
    const { sessionId, exit } = await runToEnd(client, home, command, options);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    return await callsOf(client, sessionId);
  };
  /** What breakpoints write that are there when the program is launched. */
  const hits = async (
    command: string,
    cwd: string,
    breakpoints: readonly object[],
  ): Promise<unknown[]> => {
    const args = [join(cwd, command.endsWith('node') ? 'main.js' : 'main.py')];
    const options = { args, breakpoints, cwd, projectRoot: cwd };
    const { sessionId, exit } = await runToEnd(client, home, command, options);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const question = { view: 'events', sessionId, eventType: ['logpoint'] };
    const { structured } = await client.ok('debug_query', question);
    return listAt(structured, 'events').map((event) => at(event, 'message'));
  };
  const names = (calls: readonly SeenCall[]): string[] => calls.map((call) => call.function);

  describe('of Python', () => {
    /** A virtual environment (PEP 405) in which two packages are installed. */
    const environment = (folder: string): string => {
      const question =
        'import os, sys; print(os.path.realpath(sys.executable), "%d.%d" % sys.version_info[:2])';
      const [python = '', version = ''] = spawnSync('python3', ['-c', question], {
        encoding: 'utf8',
      })
        .stdout.trim()
        .split(' ');
      const packages = `.venv/lib/python${version}/site-packages`;
      write(folder, {
        '.venv/pyvenv.cfg': `home = ${dirname(python)}\n`,
        [`${packages}/till/__init__.py`]: 'from till.sums import total\n',
        [`${packages}/till/sums.py`]:
          'from tax import added\ndef total(lines):\n    return added(sum(lines))\n',
        [`${packages}/tax.py`]: 'def added(net):\n    return net * 2\n',
        'main.py':
          'import json\nfrom till import total\ndef main():\n    print(json.dumps(total([1, 2])))\nmain()\n',
      });
      mkdirSync(join(folder, '.venv/bin'), { recursive: true });
      rmSync(join(folder, '.venv/bin/python'), { force: true });
      symlinkSync(python, join(folder, '.venv/bin/python'));
      return join(folder, '.venv/bin/python');
    };

    test('[trace.packages] are meant with their package before them, from the first call on', async () => {
      const folder = join(home.project, 'shop');
      const python = environment(folder);
      expect(names(await traced(python, folder, ['till.**', 'tax.added', 'json.dumps']))).toEqual([
        'till.sums.total',
        'tax.added',
        'json.dumps',
      ]);
      const [call] = await traced(python, folder, ['till!total']);
      expect(call).toMatchObject({ function: 'till.sums.total', returns: 6 });
      expect(names(await traced(python, folder, ['@usercode', 'total', 'dumps']))).toEqual([
        'main.main',
      ]);
    });

    test('[inside.packages] record inside them, by function and by line', async () => {
      const folder = join(home.project, 'inside');
      const python = environment(folder);
      expect(
        await hits(python, folder, [
          { function: 'till.total', log: 'lines={lines}' },
          { function: 'till.sums.total', log: 'lines={lines}' },
          { file: 'tax.py', line: 2, log: 'net={net}' },
          { file: 'json/__init__.py', statement: 'return _default_encoder', log: 'obj={obj}' },
        ]),
      ).toEqual(['lines=[1, 2]', 'net=3', 'obj=6']);
    });

    test('[trace.packages] a name that is not there is answered with the nearest of the package', async () => {
      const folder = join(home.project, 'near');
      const command = environment(folder);
      const report = async (pattern: string): Promise<string> =>
        (
          await client.ok('debug_launch', {
            command,
            args: [join(folder, 'main.py')],
            cwd: folder,
            projectRoot: folder,
            patterns: [pattern],
          })
        ).text;
      expect(await report('till.total')).toContain('nearest names: till.sums.total');
      expect(await report('dumps')).toContain('with its package before it');
    });
  });

  const web = (folder: string): void =>
    write(folder, {
      'node_modules/till/package.json': '{"name": "till", "main": "lib/sums.js"}',
      'node_modules/till/lib/sums.js':
        'const { added } = require("@shop/tax");\nexports.total = (lines) => {\n  return added(lines.length);\n};\n',
      'node_modules/@shop/tax/package.json': '{"name": "@shop/tax", "type": "commonjs"}',
      'node_modules/@shop/tax/index.js': 'exports.added = function (net) { return net * 2; };\n',
      'main.js':
        'const { total } = require("till");\nfunction main() { return total([1, 2]); }\nif (main() !== 4 || !String(total).startsWith("(lines)")) process.exit(1);\n',
    });

  test('[inside.packages] record inside those of JavaScript', async () => {
    const folder = join(home.project, 'insideWeb');
    web(folder);
    expect(
      await hits(process.execPath, folder, [
        { file: 'node_modules/till/lib/sums.js', line: 3, log: 'n={lines.length}' },
        { function: '@shop/tax!added', log: 'net={net}' },
      ]),
    ).toEqual(['n=2', 'net=2']);
  });

  test('[trace.packages] of JavaScript are meant by the name of the package and !', async () => {
    const folder = join(home.project, 'web');
    web(folder);
    const all = await traced(process.execPath, folder, ['till!*', '@shop/tax!added', '@usercode']);
    expect(all.map((call) => [call.function, call.returns])).toEqual([
      ['main.main', 4],
      ['sums.total', 4],
      ['tax.added', 4],
    ]);
    expect(names(await traced(process.execPath, folder, ['@usercode', 'total']))).toEqual([
      'main.main',
    ]);
  });

  test('[trace.packages] the path of a file as a pattern is answered with how its functions are meant', async () => {
    const folder = join(home.project, 'byPath');
    web(folder);
    const { text } = await client.ok('debug_launch', {
      command: process.execPath,
      args: [join(folder, 'main.js')],
      cwd: folder,
      projectRoot: folder,
      patterns: ['src/cart.ts', 'nowhere'],
    });
    expect(text).toContain('The functions of a file are meant by "@file:src/cart.ts".');
    // That is said of patterns for Python.
    expect(text).not.toContain('json.dumps');
  });
});
