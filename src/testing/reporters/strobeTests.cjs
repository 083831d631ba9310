'use strict';
/*
 * Tells the tracer in this process which test runs (src/collector/node/preload/tests.ts). The reporters beside it have
 * runners load it into the processes, threads and contexts that run tests; untraced there is nothing to tell.
 */
const { idOf } = require('./strobeEvents.cjs');

/** Null: the process is not traced. */
const tests = typeof globalThis.$strobe === 'function' ? globalThis.$strobe(0) : null;
const isWrapped = Symbol('strobe');

/** A test's function, so that what it starts belongs to the test. */
function owned(test, body) {
  if (typeof body !== 'function' || body[isWrapped] || isGenerator(body)) return body;
  function run(...values) {
    return tests.run(test, () => Reflect.apply(body, this, values));
  }
  // Runners hand a callback to functions that take one.
  Object.defineProperty(run, 'length', { value: body.length });
  Object.defineProperty(run, 'name', { value: body.name });
  run[isWrapped] = true;
  return run;
}

function isGenerator({ constructor }) {
  return constructor !== undefined && constructor.name === 'GeneratorFunction';
}

module.exports = { tests, owned, idOf };
