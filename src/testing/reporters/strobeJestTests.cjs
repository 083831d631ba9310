'use strict';
// Loaded by Jest before each file of tests (strobeJest.cjs); tests are run by jest-circus.
const { tests, owned, idOf } = require('./strobeTests.cjs');

const running = new Map();

function idOfTest(test) {
  const names = [];
  for (let one = test; one && one.parent; one = one.parent) names.unshift(one.name);
  return idOf(globalThis.expect.getState().testPath, names);
}

function hear({ name, test, describeBlock }) {
  // Up to version 29, concurrent tests are started with their block.
  if (name === 'run_describe_start')
    for (const child of describeBlock.children)
      if (child.type === 'test' && child.concurrent) begin(child);
  if (name === 'test_start') begin(test);
  if (name === 'test_done' || name === 'test_skip') end(test);
}

function begin(test) {
  const told = tests.begin(idOfTest(test));
  running.set(test, told);
  test.fn = owned(told, test.fn);
}

function end(test) {
  const told = running.get(test);
  if (told) tests.end(told);
  running.delete(test);
}

if (tests) {
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const symbol = symbols.find(({ description }) => description === 'EVENT_HANDLERS');
  if (symbol) globalThis[symbol].push(hear);
}
