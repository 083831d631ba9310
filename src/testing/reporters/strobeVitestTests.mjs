// Loaded by Vitest before each file of tests (strobeVitest.mjs).
import * as vitest from 'vitest';
import told from './strobeTests.cjs';

const { tests, owned, idOf } = told;

function idOfTask(task) {
  const names = [];
  for (let one = task; one && one !== one.file; one = one.suite) names.unshift(one.name);
  return idOf(task.file.filepath, names);
}

if (tests) {
  if (vitest.aroundEach)
    vitest.aroundEach(async (runTest, { task }) => {
      const test = tests.begin(idOfTask(task));
      try {
        await tests.run(test, runTest);
      } finally {
        tests.end(test);
      }
    });
  else await beforeVersion41();
}

async function beforeVersion41() {
  const { getFn, setFn } = await import('vitest/suite');
  vitest.beforeEach(({ task }) => {
    const test = tests.begin(idOfTask(task));
    setFn(task, owned(test, getFn(task)));
    return () => tests.end(test);
  });
}
