import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

const sources = {
  'twice.c': 'int twice(int n) {\n  return 2 * n;\n}\nint main(void) { return twice(1) - 2; }\n',
  'twice.py': 'def twice(n):\n    return 2 * n\ntwice(1)\n',
  'twice.mjs': 'function twice(n) {\n  return 2 * n;\n}\ntwice(1);\n',
};

test('[pattern.links] a project is one by each name that links give its folder: its functions are traced, and breakpoints are set in its files', async () => {
  const real = join(home.project, 'real');
  const link = join(home.project, 'link');
  mkdirSync(real);
  symlinkSync('real', link);
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(real, name), text);
  // A shell that came by the link names its folder so, and the compiler writes that down.
  execFileSync('gcc', ['-g', '-O0', 'twice.c', '-o', 'twice'], {
    cwd: link,
    env: { ...process.env, PWD: link },
  });
  const programs = [
    { command: join(real, 'twice'), args: [], file: 'twice.c' },
    { command: 'python3', args: [join(link, 'twice.py')], file: 'twice.py' },
    { command: process.execPath, args: [join(link, 'twice.mjs')], file: 'twice.mjs' },
  ];
  for (const projectRoot of [real, link])
    for (const { command, args, file } of programs) {
      const launched = await client.ok('debug_launch', {
        projectRoot,
        command,
        args,
        patterns: ['@usercode'],
        breakpoints: [real, link].map((folder) => ({
          file: join(folder, file),
          line: 2,
          log: `${folder === real ? 'real' : 'link'} {n}`,
        })),
        waitFor: 'exit',
      });
      expect(launched.text).not.toContain('cannot be read');
      const sessionId = textAt(launched.structured, 'sessionId');
      const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
      expect(text, `${projectRoot} ${file}`).toMatch(/\btwice\(n=1\) = 2/);
      for (const hit of ['real 1', 'link 1']) expect(text, `${projectRoot} ${file}`).toContain(hit);
    }
});
