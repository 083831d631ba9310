// Nanoseconds of a call of `wanted`, of one of `other`, and of two readings of the clock; with `beside` also of a call
// of `wanted` by a wrapper as one writes it by hand, and with a logpoint of the inspector. Each the least of many turns.
'use strict';
const { Session } = require('node:inspector');

function wanted(left, right) {
  return left + right;
}
function other(left, right) {
  return left - right;
}
function clock() {
  return performance.now() - performance.now();
}

const seen = [];

function wrapped(...values) {
  const began = performance.now();
  try {
    const result = Reflect.apply(wanted, this, values);
    seen.push({ name: 'wanted', values, result, began, ended: performance.now() });
    return result;
  } catch (error) {
    seen.push({ name: 'wanted', values, error, began, ended: performance.now() });
    throw error;
  }
}

function setLogpoint() {
  globalThis.seen = seen;
  const session = new Session();
  session.connect();
  session.post('Debugger.enable');
  session.post('Debugger.setBreakpointByUrl', {
    lineNumber: wantedLine,
    urlRegex: 'calls\\.cjs$',
    condition: 'seen.push([left, right, performance.now()]), false',
  });
}

const wantedLine = 6;
const turns = 40;

function least(run, calls) {
  let best = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    run(calls);
    best = Math.min(best, ((performance.now() - began) * 1e6) / calls);
    seen.length = 0;
    // The reader keeps up with what was recorded.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return best;
}

let sum = 0;
const timed = (called, calls = 50_000) =>
  least((count) => {
    for (let i = 0; i < count; i++) sum += called(i, 1);
  }, calls);
const figures = [wanted, other, clock].map((called) => timed(called));
if (process.argv[2] === 'beside') {
  figures.push(timed(wrapped));
  setLogpoint();
  // It takes so long that fewer do.
  figures.push(timed(wanted, 50));
}
console.log([...figures, Number.isNaN(sum)].join(' '));
