/* The programs whose debuggers are killed, what they say of themselves, and who can be killed. */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../../bench/support/build.mjs';
import { root } from '../../bench/support/record.mjs';
import { languages } from './truth/languages.mjs';

const gdb = join(root, '.cache/adapters/bin/gdb');
const lldb = join(root, '.cache/lldb/bin/lldb-dap');
const debugpy = join(root, '.cache/pythonPeers/3.12/bin/python');
/** Where the adapters of the project are. */
export const adapterEnv = {
  ...languages.Go.env,
  STROBE_ADAPTERS_GDB: gdb,
  STROBE_ADAPTERS_LLDB: lldb,
  STROBE_ADAPTERS_DEBUGPY: debugpy,
};

/** Command lines of those that can be killed. */
export const victims = {
  daemon: /dist\/daemon\.js/,
  stopper: /dist\/stopper/,
  host: /sidecar\.py/,
  gdb: /gdb.*interpreter.dap/,
  lldb: /lldb-dap/,
  debugpy: /debugpy\/adapter/,
  delve: /dlv dap/,
};

function wordsOf(file, first, step, count) {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  if (bytes.length < 4096) return [];
  return Array.from({ length: count(bytes) }, (_, i) => bytes.readBigUInt64LE(first + step * i));
}

const checkedSource = readFileSync(join(root, 'proof/targets/checked.cpp'), 'utf8').split('\n');
const checkedLine = (text) => checkedSource.findIndex((line) => line.includes(text)) + 1;

/** It ends at the end of its input. */
function checked(level) {
  return {
    command: () =>
      buildProgram(`checked${level}`, ['proof/targets/checked.cpp'], [level, '-pthread']),
    args: [],
    traced: 'checked::whole',
    places: [
      { function: 'checked::leaf', condition: 'x == -1' },
      { function: 'checked::part', condition: 'x == -1' },
      { function: 'checked::leaf', every: 3000 },
      { file: 'checked.cpp', line: checkedLine('*kept = sum'), every: 500 },
      { file: 'checked.cpp', line: checkedLine('sum += chosen'), every: 700, stop: 'process' },
    ],
    /** Rounds of each thread. */
    counted: (file) => wordsOf(file, 0, 8, () => 4),
    end: () => undefined,
  };
}

/** It ends when the first word of its file is not 0. `often`: at which hits threads stop. */
function rounds(name, often, more = {}) {
  const { command, args, places, functions, never } = languages[name];
  const stopping = places.map((place, i) => ({ ...place, every: often + i }));
  return {
    command,
    args,
    traced: functions[2],
    places: [...stopping, { function: functions[0], condition: never }],
    counted: (file) => wordsOf(file, 72, 64, (bytes) => Number(bytes.readBigUInt64LE(16))),
    end: (file) => {
      const opened = openSync(file, 'r+');
      writeSync(opened, Buffer.from([1]));
      closeSync(opened);
    },
    ...more,
  };
}

/** By name of what runs: `adapter` stops it (default: Strobe itself), and any of `kinds` (joined by "+": all of them) is killed. */
export const cases = {
  'C++ -O0': { ...checked('-O0'), kinds: ['stopper', 'stopper+daemon', 'host'] },
  'C++ -O2': { ...checked('-O2'), kinds: ['stopper', 'daemon', 'stopper+daemon'] },
  Rust: rounds('Rust', 50, { kinds: ['stopper', 'daemon'] }),
  Go: rounds('Go', 50, { adapter: 'strobe', kinds: ['stopper', 'stopper+daemon'] }),
  Python: rounds('Python', 20, { kinds: ['daemon', 'host'] }),
  Node: rounds('Node', 20, { kinds: ['daemon'] }),
  'C++ by gdb': rounds('C++', 20, { adapter: 'gdb', kinds: ['daemon', 'gdb'] }),
  'C++ by lldb': rounds('C++', 20, { adapter: 'lldb', kinds: ['daemon', 'lldb'] }),
  'Python by debugpy': rounds('Python', 20, {
    adapter: 'debugpy',
    command: () => debugpy,
    kinds: ['daemon', 'debugpy', 'host'],
  }),
  'Go by Delve': rounds('Go', 20, { adapter: 'delve', kinds: ['daemon', 'delve'] }),
};
