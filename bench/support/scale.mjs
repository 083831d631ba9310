/*
 * A C++ program with as much debug information as a large one: one unit, not optimised and optimised, is
 * linked many times, each time with other names (of equal length, written into the object file).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './record.mjs';

const source = join(root, 'bench', 'targets', 'scale.cpp');
const tag = 'tag000';

/** `copies` of each of the two; at most 500. Cached by content. */
export function buildScale(copies) {
  const key = createHash('sha256').update(readFileSync(source)).update(`${copies}`).digest('hex');
  const folder = join(root, '.cache', 'bench', key.slice(0, 16));
  const built = join(folder, 'scale');
  if (existsSync(built)) return built;
  mkdirSync(folder, { recursive: true });
  const objects = ['-O0', '-O2'].flatMap((level, half) => {
    const object = join(folder, `unit${level}.o`);
    execFileSync('g++', ['-std=c++20', '-g', level, '-c', '-o', object, source]);
    const bytes = readFileSync(object);
    rmSync(object);
    const places = [];
    for (let at = bytes.indexOf(tag); at >= 0; at = bytes.indexOf(tag, at + 1)) places.push(at);
    return Array.from({ length: copies }, (_unused, i) => {
      const name = `tag${String(half * copies + i).padStart(3, '0')}`;
      for (const at of places) bytes.write(name, at);
      const copy = join(folder, `${name}.o`);
      writeFileSync(copy, bytes);
      return copy;
    });
  });
  const main = join(folder, 'main.cpp');
  writeFileSync(main, 'int main() { return 0; }\n');
  const flags = ['-fuse-ld=gold', '-no-pie', '-pthread'];
  execFileSync('g++', ['-g', ...flags, main, ...objects, '-o', `${built}.new`]);
  for (const object of objects) rmSync(object);
  renameSync(`${built}.new`, built);
  return built;
}
