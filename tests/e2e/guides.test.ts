import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientProgram, packageRoot, runProgram } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';

const guides = join(packageRoot, 'docs', 'guides');

/** Commands of a page, each with what it says they show. A page may also hold what is typed elsewhere. */
function blocksOf(page: string): { commands: string; shown: readonly string[] }[] {
  const blocks = page.matchAll(/```sh\n(.*?)```\n(?:\s*```text\n(.*?)```)?/gs);
  return [...blocks]
    .map(([, commands = '', shown = '']) => ({
      commands,
      shown: shown.split('\n').filter(Boolean),
    }))
    .filter(({ commands }) => /(?:^|\n)strobe |shop/.test(commands));
}

/** Whether a line has all parts of the wanted one, in order; `…` stands for what differs. */
function shows(line: string, wanted: string): boolean {
  let at = 0;
  for (const part of wanted.split('…')) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

describe('guides', () => {
  const home = withHome();
  const bin = (): string => join(home.path, 'bin');

  beforeAll(() => {
    mkdirSync(bin());
    writeFileSync(
      join(bin(), 'strobe'),
      `#!/bin/sh\nexec "${process.execPath}" "${clientProgram}" "$@"\n`,
    );
    chmodSync(join(bin(), 'strobe'), 0o755);
    copyFileSync(join(guides, 'shop.cpp'), join(home.project, 'shop.cpp'));
    execFileSync('g++', ['-g', '-pthread', '-o', 'shop', 'shop.cpp'], { cwd: home.project });
  });

  const pages = readdirSync(guides).filter((name) => name.endsWith('.md'));
  for (const name of [...pages, '../../README.md']) {
    test(`[cli.guides] ${name}: its commands run, and show what it says`, async () => {
      const env = { ...home.env, PATH: `${bin()}:${process.env['PATH'] ?? ''}` };
      const blocks = blocksOf(readFileSync(join(guides, name), 'utf8'));
      expect(blocks.length).toBeGreaterThan(0);
      for (const { commands, shown } of blocks) {
        const place = { env, cwd: home.project };
        const ended = await runProgram(place, ['bash', '-c', `exec 2>&1\n${commands}`]);
        const output = ended.stdout.toString();
        expect(output, commands).not.toMatch(/^Next: /m);
        const lines = output.split('\n');
        for (const wanted of shown)
          expect([wanted, lines.some((line) => shows(line, wanted)) ? wanted : output]).toEqual([
            wanted,
            wanted,
          ]);
      }
    });
  }

  test('[cli.guides] the README lists every guide, and its figures are the newest measured', () => {
    const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');
    for (const name of pages) expect(readme).toContain(`docs/guides/${name}`);
    const results = readFileSync(join(packageRoot, 'bench', 'results', 'vm.md'), 'utf8');
    const rows = results.split('\n');
    for (const [, row = '', value = ''] of readme.matchAll(/<!-- bench: (.*?) -->([\d,.]+ \w+)/g)) {
      const measured = rows.filter(
        (line) => line.startsWith(`| ${row} | `) && !line.includes('not measured'),
      );
      expect([row, measured.at(-1)?.split(' | ')[1]]).toEqual([row, value]);
    }
  });
});
