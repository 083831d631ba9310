/*
 * Runs every `<folder>/*.<suffix>.mjs` in a process of its own, one after the other, on the built
 * product. Used by `npm run bench` and `npm run proof`; arguments select files by part of a name, or
 * as a group of <folder>/groups.json; those from the first that begins with `--` on are the files'.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const optionsAt = given.findIndex((argument) => argument.startsWith('--'));
const options = optionsAt < 0 ? [] : given.splice(optionsAt);
const [folder, suffix, ...wanted] = given;

function node(file, args, env = {}) {
  const ended = spawnSync(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return ended.status === 0;
}

const groupsFile = join(root, folder, 'groups.json');
const groups = existsSync(groupsFile) ? JSON.parse(readFileSync(groupsFile, 'utf8')) : {};
const isWanted = (name) =>
  wanted.some((word) => groups[word]?.includes(name.split('.')[0]) ?? name.includes(word));
const all = existsSync(join(root, folder)) ? readdirSync(join(root, folder)).toSorted() : [];
const files = all
  .filter((name) => name.endsWith(`.${suffix}.mjs`))
  .filter((name) => wanted.length === 0 || isWanted(name));
if (files.length === 0) {
  console.error(`Nothing to run: no ${folder}/*.${suffix}.mjs fits.`);
  process.exitCode = 1;
} else if (
  !node(join(root, 'scripts/setup.mjs'), [], { STROBE_HOME: join(root, '.cache', 'home') })
) {
  process.exitCode = 1;
} else {
  const failed = files.filter((name) => {
    console.log(`\n── ${name} ──`);
    return !node(join(root, folder, name), options);
  });
  console.log(`\n${files.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}
