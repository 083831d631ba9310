import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveProgram } from '../../../src/collector/program/program.ts';
import { refusal } from '../../support/refusal.ts';
import { buildTarget } from '../../support/targets.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sp-')));
const bin = join(root, 'bin');
const around = { cwd: root, env: { PATH: `${join(root, 'none')}:${bin}:/usr/bin:/bin` } };
afterAll(() => rmSync(root, { recursive: true, force: true }));

function file(name: string, content: string | Buffer, mode = 0o755): string {
  const path = join(root, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

let elf: Buffer;

beforeAll(() => {
  mkdirSync(bin);
  const built = buildTarget('supervisor/streams.c');
  elf = readFileSync(built);
  copyFileSync(built, join(root, 'app'));
  copyFileSync(built, join(bin, 'ontherun'));
  symlinkSync(join(root, 'app'), join(bin, 'linked'));
  writeFileSync(join(root, 'source.py'), 'pass\n');
});

/** The program with two bytes of its header changed. */
function changed(at: number, value: number): Buffer {
  const copy = Buffer.from(elf);
  copy.writeUInt16LE(value, at);
  return copy;
}

describe('[launch.env] what a command is', () => {
  it('a path relative to cwd stays as it was given', async () => {
    const info = await resolveProgram('./app', around);
    expect(info).toEqual({
      path: './app',
      kind: 'elf',
      interpreter: null,
      image: join(root, 'app'),
      machine: process.arch === 'x64' ? 'x86_64' : 'aarch64',
      pie: true,
      loader: info.loader,
      problems: [],
    });
    expect(info.loader).toMatch(/^\/lib.*\/ld-/);
  });

  it('a name is looked up on the PATH given, links followed for the image', async () => {
    expect(await resolveProgram('ontherun', around)).toMatchObject({ path: join(bin, 'ontherun') });
    expect(await resolveProgram('linked', around)).toMatchObject({
      path: join(bin, 'linked'),
      image: join(root, 'app'),
    });
    expect(await resolveProgram('sh', { cwd: root, env: {} })).toMatchObject({ path: '/bin/sh' });
    expect(await resolveProgram('app', { cwd: root, env: { PATH: ':/bin' } })).toMatchObject({
      path: join(root, 'app'),
    });
  });

  it('goes past files and folders on the PATH that cannot run', async () => {
    mkdirSync(join(root, 'first', 'ontherun'), { recursive: true });
    const env = { PATH: `${join(root, 'first')}:${bin}` };
    expect(await resolveProgram('ontherun', { cwd: root, env })).toMatchObject({
      path: join(bin, 'ontherun'),
    });
  });

  it('a script runs its interpreter, which may be a script itself', async () => {
    file('inner', '#!/bin/sh -e\n');
    file('outer', `#!${join(root, 'inner')} one two \n`);
    const info = await resolveProgram('./outer', around);
    expect(info).toMatchObject({ kind: 'script', image: realpathSync('/bin/sh') });
    expect(info.interpreter).toEqual({ path: join(root, 'inner'), args: ['one two'], runs: null });
  });

  it('#!/usr/bin/env shows what it will turn into', async () => {
    file('viaenv', '#!/usr/bin/env ontherun\n');
    const info = await resolveProgram('./viaenv', around);
    expect(info.interpreter).toEqual({
      path: '/usr/bin/env',
      args: ['ontherun'],
      runs: join(bin, 'ontherun'),
    });
    expect(info.image).toBe(realpathSync('/usr/bin/env'));
    expect(info.problems).toHaveLength(1);
  });

  it.each([
    [['-static'], { isStatic: true, pie: false }],
    [['-static-pie'], { isStatic: true, pie: true }],
    [['-no-pie'], { isStatic: false, pie: false }],
  ])('built with %j', async (flags, expected) => {
    const path = buildTarget('supervisor/streams.c', flags);
    const { loader, pie } = await resolveProgram(path, around);
    expect({ isStatic: loader === null, pie }).toEqual(expected);
  });

  it('tells what a setuid program loses', async () => {
    file('suid', elf, 0o4755);
    expect((await resolveProgram('./suid', around)).problems).toMatchObject([
      { subject: join(root, 'suid') },
    ]);
  });
});

describe('what cannot run', () => {
  it.each([
    ['./ap', 'PROGRAM_NOT_FOUND', 'Nearest: app'],
    ['./nofolder/app', 'PROGRAM_NOT_FOUND', 'there is no folder'],
    ['onthern', 'PROGRAM_NOT_FOUND', 'Nearest: ontherun'],
    ['app', 'PROGRAM_NOT_FOUND', 'there is one in'],
    ['', 'PROGRAM_NOT_FOUND', 'empty'],
    ['./bin', 'NOT_EXECUTABLE', 'is a folder'],
    ['source.py', 'NOT_EXECUTABLE', 'not an executable file'],
  ])('%j', async (command, code, reason) => {
    const said = await refusal(resolveProgram(command, around));
    expect(said.startsWith(`${code}: `)).toBe(true);
    expect(said).toContain(reason);
  });

  it('a missing cwd', async () => {
    const gone = { cwd: join(root, 'gone'), env: around.env };
    await expect(resolveProgram('./app', gone)).rejects.toMatchObject({
      code: 'NO_SUCH_DIRECTORY',
    });
  });

  it.each([
    ['no permission', () => file('plain', elf, 0o644), 'NOT_EXECUTABLE', 'not an executable file'],
    ['nothing in it', () => file('empty', ''), 'NOT_EXECUTABLE', 'is empty'],
    ['text without #!', () => file('text', 'echo hello\n'), 'NOT_EXECUTABLE', 'neither'],
    [
      'a missing interpreter',
      () => file('noint', '#!/no/such/shell\n'),
      'PROGRAM_NOT_FOUND',
      '/no/such/shell',
    ],
    [
      'Windows line ends',
      () => file('crlf', '#!/bin/sh\r\necho\r\n'),
      'PROGRAM_NOT_FOUND',
      'carriage return',
    ],
    ['an empty #! line', () => file('bang', '#!\n'), 'NOT_EXECUTABLE', 'without a program'],
    [
      'env of an unknown program',
      () => file('badenv', '#!/usr/bin/env pithon99\n'),
      'PROGRAM_NOT_FOUND',
      'pithon99',
    ],
    [
      'a script that runs itself',
      () => file('self', `#!${join(root, 'self')}\n`),
      'NOT_EXECUTABLE',
      'deep',
    ],
    ['another processor', () => file('other', changed(18, 21)), 'WRONG_ARCHITECTURE', 'ppc64'],
    ['an object file', () => file('object', changed(16, 1)), 'NOT_EXECUTABLE', 'object file'],
    ['a Windows program', () => file('windows', 'MZ\x90\0'), 'WRONG_ARCHITECTURE', 'Windows'],
    ['a cut-off ELF header', () => file('cut', elf.subarray(0, 80)), 'NOT_EXECUTABLE', 'damaged'],
    [
      'a loader of another system',
      () =>
        file(
          'musl',
          Buffer.from(
            elf
              .toString('latin1')
              .replace('/lib64/ld-', '/lib99/ld-')
              .replace('/lib/ld-', '/li9/ld-'),
            'latin1',
          ),
        ),
      'EXEC_FAILED',
      'dynamic loader',
    ],
  ])('%s', async (_what, make, code, reason) => {
    const said = await refusal(resolveProgram(make(), around));
    expect(said.startsWith(`${code}: `)).toBe(true);
    expect(said).toContain(reason);
  });
});
