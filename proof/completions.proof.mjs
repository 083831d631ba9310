/*
 * Completions in real shells at a terminal: keys are pressed and what is shown is read. bash is the system's; zsh and
 * fish are the installed ones or Debian's, unpacked.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../bench/support/build.mjs';
import { client, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { environmentOf, programIn, unpacked } from '../scripts/foreign.mjs';

const limitS = '20';
/** What is typed, and what the terminal shows then. */
const lines = [
  ['strobe que\\t', 'strobe query'],
  ['strobe query sta\\t', 'strobe query stats'],
  ['strobe query stats --sort-b\\t', '--sort-by'],
  ['strobe query tree ma\\t', String.raw`strobe query tree many-\d{4}`],
  ['strobe query tree --root shop::vi\\t', '--root shop::visit'],
  ['strobe run -t shop::inS\\t', '-t shop::inStock'],
];

/** A shell: its program, and the folder it was unpacked in; null where it cannot be had. */
function shellOf(name) {
  if (spawnSync(name, ['-c', ':']).status === 0) return { program: name, folder: '/', env: {} };
  try {
    const folder = unpacked(name);
    const program = programIn(folder, `bin/${name}`) ?? programIn(folder, `usr/bin/${name}`);
    return { program, folder, env: environmentOf(folder) };
  } catch (error) {
    console.log(`skipped ${name}: ${error.message}`);
    return null;
  }
}

/** Puts the completions where the shell looks for them, as the script's first line says. */
const started = {
  bash: (home, script) => {
    writeFileSync(join(home, '.bashrc'), script);
    return ['--rcfile', join(home, '.bashrc'), '-i'];
  },
  zsh: (home, script, folder) => {
    const functions = join(home, 'functions');
    mkdirSync(functions);
    writeFileSync(join(functions, '_strobe'), script);
    const own = join(folder, 'usr/share/zsh/functions');
    const modules = join(folder, 'usr/lib/x86_64-linux-gnu/zsh');
    const places = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => join(one.parentPath, one.name));
    writeFileSync(
      join(home, '.zshenv'),
      `module_path=(${readdirSync(modules)
        .map((version) => join(modules, version))
        .join(' ')})\n`,
    );
    writeFileSync(
      join(home, '.zshrc'),
      `fpath=(${[functions, own, ...places].join(' ')})\nautoload -Uz compinit\ncompinit -u -D\n`,
    );
    return ['-i'];
  },
  fish: (home, script, folder) => {
    // It finds its own files beside its program only where its settings are there, too.
    const settings = join(folder, 'usr/etc');
    if (folder !== '/' && !existsSync(settings)) symlinkSync('../etc', settings);
    const completions = join(home, '.config/fish/completions');
    mkdirSync(completions, { recursive: true });
    writeFileSync(join(completions, 'strobe.fish'), script);
    return ['-i'];
  },
};

const home = openHome();
try {
  const strobe = (...args) =>
    spawnSync(process.execPath, [client, ...args], {
      cwd: home.project,
      env: home.env,
      encoding: 'utf8',
    });
  const program = buildProgram('many', ['bench/targets/many.cpp']);
  assert.equal(strobe('run', '-t', 'shop::**', '--', program, '10').status, 0);
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'strobe'), join(bin, 'strobe'));
  const failed = Object.keys(started).filter((name) => {
    const shell = shellOf(name);
    if (shell === null) return false;
    const own = join(home.path, name);
    mkdirSync(own);
    const args = started[name](own, strobe('completion', name).stdout, shell.folder);
    const env = {
      ...home.env,
      ...shell.env,
      HOME: own,
      ZDOTDIR: own,
      TERM: 'dumb',
      PATH: `${bin}:${process.env.PATH}`,
    };
    const typed = spawnSync(
      'python3',
      [join(root, 'proof/support/typed.py'), limitS, shell.program, ...args],
      {
        cwd: home.project,
        env,
        encoding: 'utf8',
        input: lines.map((line) => line.join(' => ')).join('\n'),
      },
    );
    console.log(`${name}:\n${typed.stdout}${typed.stderr}`);
    return typed.status !== 0;
  });
  assert.deepEqual(failed, []);
} finally {
  home.close();
}
