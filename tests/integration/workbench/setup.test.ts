import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot, runProgram } from '../../support/strobe.ts';
import type { Ended } from '../../support/strobe.ts';

/** What a clone holds and a start needs. */
const parts = [
  'strobe',
  'scripts',
  'src',
  'agent',
  'native',
  'package.json',
  'package-lock.json',
].concat('settings.schema.json', 'tsconfig.json');

/** A copy of the sources that was never built; packages are shared with this clone. */
const clone = mkdtempSync(join(tmpdir(), 'strobe-clone-'));
const home = join(clone, 'home');

async function strobe(args: readonly string[], path = process.env['PATH'] ?? ''): Promise<Ended> {
  const env = { PATH: path, HOME: clone, STROBE_HOME: home };
  return await runProgram({ env, cwd: clone }, [join(clone, 'strobe'), ...args], '', 100_000);
}

beforeAll(() => {
  for (const part of parts) cpSync(join(packageRoot, part), join(clone, part), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(clone, 'node_modules'));
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(join(packageRoot, '.cache', 'home', 'runtime'), join(home, 'runtime'));
});

afterAll(() => {
  rmSync(clone, { recursive: true, force: true });
});

it('names a missing compiler and the package that brings it [setup.toolchain]', async () => {
  const tools = join(clone, 'tools');
  mkdirSync(tools);
  symlinkSync(process.execPath, join(tools, 'node'));
  const { code, stdout, stderr } = await strobe(['--version'], tools);
  expect(code).toBe(1);
  expect(stdout.toString()).toBe('');
  expect(stderr).toContain('TOOLCHAIN_MISSING: gcc, g++, make not found');
  expect(stderr).toContain('build-essential');
});

it('sets itself up once, again for a changed source, and keeps standard output clean [setup.stdout] [setup.fresh]', async () => {
  const first = await strobe(['--version']);
  expect(first.stderr).toContain('strobe set-up: ready');
  expect(first.stdout.toString()).toMatch(/^(strobe )?\d+\.\d+\.\d+\n$/);
  expect(first.code).toBe(0);

  const second = await strobe(['--version']);
  expect(second.stderr).toBe('');
  expect(second.stdout).toEqual(first.stdout);

  const soon = new Date(Date.now() + 60_000);
  utimesSync(join(clone, 'src', 'base', 'clock.ts'), soon, soon);
  const third = await strobe(['--version']);
  expect(third.stderr).toContain('strobe set-up: ready');
  expect(third.stdout).toEqual(first.stdout);
}, 200_000);
