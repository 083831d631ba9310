/* The programs that storms run, and what is known of them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../../../bench/support/build.mjs';
import { root } from '../../../bench/support/record.mjs';

const folder = 'proof/targets/truth';
export const delvePath = join(root, '.cache/delve/dlv');

function linesOf(source) {
  const lines = readFileSync(join(root, folder, source), 'utf8').split('\n');
  return (text) => lines.findIndex((line) => line.includes(text)) + 1;
}

/** Places by the text of their line. */
function placesOf(source, texts) {
  const line = linesOf(source);
  return texts.map((text) => ({ file: source, line: line(text) }));
}

/**
 * `isNative`: the kernel says which threads stand still; of others their own counters do.
 * `places`: where to stop; `knobs`: what can be read and set at any time (`at`, `bytes`), or where a thread stands
 * (`word`: what all threads say of it).
 */
export const languages = {
  'C++': {
    isNative: true,
    command: () => buildProgram('rounds', [`${folder}/rounds.cpp`], ['-O0']),
    args: [],
    places: placesOf('rounds.cpp', ['return x * 3', 'sum += leaf', '*kept = sum', 'sum ^= kept;']),
    functions: ['truth::leaf', 'truth::part', 'truth::whole'],
    until: ['truth::leaf', 'rounds.cpp:' + linesOf('rounds.cpp')('return sum;')],
    never: 'x == -1',
    often: 'x % 5 == 0',
    knobs: [
      { name: 'truth::knobs.large', at: 0, bytes: 8 },
      { name: 'truth::knobs.small', at: 8, bytes: 4 },
      { name: 'truth::knobs.table[3]', at: 44, bytes: 4 },
    ],
  },
  Rust: {
    isNative: true,
    command: () => buildProgram('rounds', [`${folder}/rounds.rs`], ['-C', 'opt-level=0']),
    args: [],
    places: placesOf('rounds.rs', ['return x * 3', 'sum += leaf', '*kept = sum', 'sum ^= kept;']),
    functions: ['rounds::leaf', 'rounds::part', 'rounds::whole'],
    until: ['rounds::leaf', 'rounds.rs:' + linesOf('rounds.rs')('return sum;')],
    never: 'x == -1',
    often: 'x % 5 == 0',
    knobs: [
      { name: 'rounds::KNOBS.large', at: 0, bytes: 8 },
      { name: 'rounds::KNOBS.small', at: 8, bytes: 4 },
      { name: 'rounds::KNOBS.table[3]', at: 44, bytes: 4 },
    ],
  },
  Python: {
    isNative: false,
    command: () => pythonPath(),
    args: [join(root, folder, 'rounds.py')],
    places: placesOf('rounds.py', [
      'return x * 3',
      'total += leaf',
      'own.say(3, i)',
      'total += part',
    ]),
    functions: ['rounds.leaf', 'rounds.part', 'rounds.whole'],
    until: ['rounds.leaf', `rounds.py:${linesOf('rounds.py')('return total')}`],
    never: 'x == -1',
    often: 'x % 5 == 0',
    knobs: [
      { name: 'knobs.large', word: 'large' },
      { name: 'knobs.small', word: 'small' },
    ],
  },
  Node: {
    isNative: false,
    command: () => process.execPath,
    args: [join(root, folder, 'rounds.mjs')],
    places: placesOf('rounds.mjs', ['return x * 3', 'sum += leaf', 'own.say(3, i)', 'sum += part']),
    functions: ['leaf', 'part', 'whole'],
    until: ['leaf', `rounds.mjs:${linesOf('rounds.mjs')('return sum')}`],
    never: 'x == -1',
    often: 'x % 5 == 0',
    // Each worker has its own.
    knobs: [{ name: 'knobs.large' }, { name: 'knobs.small' }],
  },
  // By Delve: what stands still are goroutines, and all of them do.
  Go: {
    isNative: false,
    env: { STROBE_ADAPTERS_DELVE: delvePath },
    command: () => buildGo('rounds', `${folder}/rounds.go`),
    args: [],
    places: placesOf('rounds.go', ['return x*3', 'sum += leaf', '*kept = sum', 'sum ^= kept']),
    functions: ['main.leaf', 'main.part', 'main.whole'],
    until: ['main.leaf', `rounds.go:${linesOf('rounds.go')('return sum')}`],
    never: 'x == -1',
    often: 'x % 5 == 0',
    knobs: [
      { name: 'main.knobs.large', at: 0, bytes: 8 },
      { name: 'main.knobs.small', at: 8, bytes: 4 },
    ],
  },
};

export function buildGo(name, source) {
  const program = join(root, '.cache', 'bench', name);
  execFileSync('go', ['build', '-gcflags', 'all=-N -l', '-o', program, join(root, source)], {
    stdio: 'inherit',
  });
  return program;
}

export function pythonPath() {
  const asked = ['-c', 'import sys; print(sys.executable)'];
  return execFileSync('python3', asked, { encoding: 'utf8' }).trim();
}

/** A thread's functions, the newest first. */
export const chain = ['leaf', 'part', 'whole'];
