/* The programs that storms run, and what is known of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../../../bench/support/build.mjs';
import { root } from '../../../bench/support/record.mjs';

const folder = 'proof/targets/truth';

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
 * `places`: where to stop; `knobs`: what can be read and set at any time (offset, bytes), or in a frame.
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
};

/** A thread's functions, the newest first. */
export const chain = ['leaf', 'part', 'whole', 'work'];
