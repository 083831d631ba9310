/*
 * Every test framework that a registry has, each version in a folder of its own below
 * .cache/frameworks. What cannot be had is left out, and the table says so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bench/support/record.mjs';

export const folder = join(root, '.cache', 'frameworks');

const quietly = (command, args, cwd) =>
  spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;

/** The folder called `name`, made by `make` when it is not there; null when it cannot be made. */
function made(name, make) {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(path, { recursive: true });
  if (make(path)) return path;
  rmSync(path, { recursive: true, force: true });
  return null;
}

/** A package of npm's with what it needs. */
export function npm(name, version) {
  return made(`${name}-${version}`, (path) => {
    writeFileSync(join(path, 'package.json'), '{"private":true}');
    // This project's own setting, which npm hands on, would leave Bun without its program.
    const options = ['--no-audit', '--no-fund', '--ignore-scripts=false'];
    return quietly('npm', ['install', ...options, `${name}@${version}`], path);
  });
}

/** A virtual environment with one package in it; returns its `bin`. */
export function pip(name, version) {
  const path = made(`${name}-${version}`, (to) => {
    const pipOf = join(to, 'bin', 'pip');
    return (
      quietly('python3', ['-m', 'venv', to]) &&
      quietly(pipOf, ['install', '-q', `${name}==${version}`])
    );
  });
  return path && join(path, 'bin');
}

/** A cargo subcommand, built here: minutes. Returns its `bin`. */
export function cargo(name) {
  const path = made(name, (to) =>
    quietly('cargo', ['install', `cargo-${name}`, '--locked', '--debug', '--root', to]),
  );
  return path && join(path, 'bin');
}

/** A C++ framework's sources at a tag. */
export function sources(name, repository, tag) {
  return made(`${name}-${tag}`, (to) =>
    quietly('git', ['clone', '-q', '--depth', '1', '--branch', tag, repository, to]),
  );
}

/** A program compiled once: its name stands for its source. Null when it cannot be. */
export function compiled(path, args) {
  if (existsSync(path)) return path;
  return quietly('g++', ['-std=c++17', '-g', '-O0', ...args, '-o', path]) ? path : null;
}
