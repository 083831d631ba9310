'use strict';
// Required by Mocha, in each process that runs tests: root hooks come before all others.
const { tests, owned, idOf } = require('./strobeTests.cjs');

let running = null;

if (tests)
  exports.mochaHooks = {
    beforeEach() {
      const { currentTest } = this;
      running = tests.begin(idOf(currentTest.file || '', currentTest.titlePath()));
      currentTest.fn = owned(running, currentTest.fn);
    },
    afterEach() {
      if (running) tests.end(running);
      running = null;
    },
  };
