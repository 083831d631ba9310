'use strict';
// A reporter for Mocha 8 and later.
const { write, idOf, failureOf, isList } = require('./strobeEvents.cjs');

module.exports = function StrobeMocha(runner) {
  write('process', { pid: process.pid });
  const told = new Set();
  runner.once('start', () => {
    write('expected', { count: runner.total });
    write('phase', { phase: 'running' });
  });
  runner.on('test', (test) => write('started', { id: idFor(test), file: test.file || null }));
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
    failure: error ? failureOf(error, '') : undefined,
  });
}

function idFor(test) {
  return idOf(test.file || '', test.titlePath());
}
