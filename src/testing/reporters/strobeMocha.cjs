'use strict';
// A reporter for Mocha 8 and later.
const { write, idOf, failureOf, isList } = require('./strobeEvents.cjs');

let output = '';

/** Keeps the end of what a test writes; it goes where it went. */
function hear(stream) {
  const pass = stream.write;
  stream.write = function heard(chunk, ...rest) {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    output = (output + text).slice(-16_384);
    return pass.call(this, chunk, ...rest);
  };
}

module.exports = function StrobeMocha(runner) {
  write('process', { pid: process.pid });
  const told = new Set();
  runner.once('start', () => {
    write('expected', { count: runner.total });
    write('phase', { phase: 'running' });
  });
  hear(process.stdout);
  hear(process.stderr);
  runner.on('test', (test) => {
    output = '';
    write('started', { id: idFor(test), file: test.file || null });
  });
  runner.on('retry', (test, error) => tell(test, 'failed', error));
  runner.on('pass', (test) => tell(test, isList ? 'skipped' : 'passed'));
  runner.on('pending', (test) => tell(test, 'skipped'));
  runner.on('fail', (test, error) => {
    // A failed hook is told as itself; done() called twice fails a test again.
    if (told.has(test) && test.type !== 'hook') return;
    told.add(test);
    tell(test, 'failed', error);
  });
  runner.once('end', () => write('complete', {}));
};

function tell(test, outcome, error) {
  const names = test.titlePath();
  write('finished', {
    id: idFor(test),
    name: names.join(' > '),
    file: test.file || null,
    line: null,
    outcome,
    durationMs: test.duration === undefined ? null : test.duration,
    reason: test.type === 'hook' ? 'collecting' : null,
    failure: error ? failureOf(error, output) : undefined,
  });
}

function idFor(test) {
  return idOf(test.file || '', test.titlePath());
}
