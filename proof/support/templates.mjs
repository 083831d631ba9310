/* What stands in a case's folder before it runs, and the programs of ours that are built for it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bench/support/record.mjs';
import { path } from './cases.mjs';

const targets = join(root, 'proof', 'targets');

/** Equal for every run, apart from STROBE_HOME nothing of the caller's. */
export function environmentIn(folder, home) {
  return {
    PATH: path,
    HOME: folder,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    STROBE_HOME: home,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONHASHSEED: '0',
    PERL_HASH_SEED: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_AUTHOR_DATE: '1700000000 +0000',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    GIT_COMMITTER_DATE: '1700000000 +0000',
  };
}

function texts(folder) {
  const words = Array.from({ length: 3000 }, (_, i) =>
    'alabama delta gamma'.slice(i % 13, (i % 13) + 1 + (i % 6)).trim(),
  );
  writeFileSync(join(folder, 'words.txt'), `${words.join('\n')}\nalaska\nZürich\n`);
  const lines = Array.from(
    { length: 20_000 },
    (_, i) => `w${String.fromCharCode(97 + (i % 26))} ${(i * 7919) % 10_007}`,
  );
  writeFileSync(join(folder, 'numbers.txt'), `${lines.join('\n')}\n`);
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
  for (let i = 0; i < 30; i++)
    writeFileSync(join(folder, 'deep', 'er', `f${i}.txt`), `${i}\n`.repeat(i * 40));
  symlinkSync('../words.txt', join(folder, 'deep', 'link'));
}

function repository(folder) {
  const git = (...args) => {
    const ran = spawnSync('git', args, {
      cwd: folder,
      env: environmentIn(folder, ''),
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
  };
  git('init', '-q', '-b', 'main');
  texts(folder);
  git('add', '.');
  git('commit', '-q', '-m', 'the first');
  writeFileSync(join(folder, 'words.txt'), 'changed\n');
  git('commit', '-q', '-a', '-m', 'the change');
  writeFileSync(join(folder, 'words.txt'), 'changed again\nand more\n');
  writeFileSync(join(folder, 'untracked'), '');
}

function project(folder) {
  copyFileSync(join(targets, 'everyday.cpp'), join(folder, 'everyday.cpp'));
  writeFileSync(
    join(folder, 'small.c'),
    'int twice(int n) { return n < 2 ? n : twice(n - 1) + twice(n - 2); }\n',
  );
  writeFileSync(
    join(folder, 'Makefile'),
    'all: a b c\n\t@echo done $(words $^)\na b c: small.c\n\t@gcc -S -o $@ $<\n\t@echo $(shell echo from a shell) > $@.log\n',
  );
}

const makers = { texts, repository, project, nothing: () => undefined };

/** Makes the template `name` below `folder` and returns its path. */
export function makeTemplate(name, folder) {
  const made = join(folder, name);
  mkdirSync(made, { recursive: true });
  makers[name](made);
  return made;
}

const recipes = {
  everyday: ['g++', '-std=c++17', '-g', '-O0', '-pthread', 'everyday.cpp'],
  everydayFast: ['g++', '-std=c++17', '-g', '-O2', '-pthread', 'everyday.cpp'],
  everydayStatic: [
    'g++',
    '-std=c++17',
    '-g',
    '-O1',
    '-pthread',
    '-static-libgcc',
    '-static-libstdc++',
    'everyday.cpp',
  ],
  everydayRust: ['rustc', '--edition=2021', '-g', '-O', 'everyday.rs'],
};

/** Builds a program of ours; `missing` says why it cannot be. */
export function buildOwn(name, folder) {
  const [compiler, ...args] = recipes[name];
  const program = join(folder, name);
  const ran = spawnSync(compiler, [...args, '-o', program], {
    cwd: targets,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (ran.error) return { missing: `${compiler} is not installed` };
  if (ran.status !== 0) throw new Error(`${compiler}: ${ran.stderr}`);
  return { program };
}
