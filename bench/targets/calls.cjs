// Nanoseconds of a call of `wanted`, of one of `other`, and of two readings of the clock, each the least of many turns,
// between which the reader keeps up with what was recorded; and of a call of `wanted` in a burst that it is too slow for.
// With `beside` also of a call of `wanted` by a wrapper as one writes it by hand, and with a logpoint of the inspector.
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
const turns = 30;
const calls = 50_000;
let sum = 0;

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function nsOf(called, count) {
  const began = performance.now();
  for (let i = 0; i < count; i++) sum += called(i, 1);
  return ((performance.now() - began) * 1e6) / count;
}

function least(called, pauseMs, count = calls) {
  let best = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    best = Math.min(best, nsOf(called, count));
    seen.length = 0;
    pause(pauseMs);
  }
  return best;
}

const figures = [least(wanted, 100), least(other, 5), least(clock, 5), nsOf(wanted, calls * 10)];
if (process.argv[2] === 'beside') {
  figures.push(least(wrapped, 5));
  setLogpoint();
  // It takes so long that fewer do.
  figures.push(least(wanted, 5, 50));
}
console.log([...figures, Number.isNaN(sum)].join(' '));
