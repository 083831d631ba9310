// A reporter for Vitest 1 to 5.
import { fileURLToPath } from 'node:url';
import events from './strobeEvents.cjs';

const { write, idOf, failureOf, broken } = events;
const tellTests = fileURLToPath(new URL('strobeVitestTests.mjs', import.meta.url));

export default class StrobeVitest {
  #output = new Map();
  #spoke = false;
  /** Files without a test; said when others have some. */
  #empty = [];

  onInit(vitest) {
    // Only what is traced has whom to tell which test runs.
    if (typeof globalThis.$strobe === 'function')
      for (const { config } of vitest.projects ?? [vitest]) config.setupFiles?.unshift(tellTests);
    write('process', { pid: process.pid });
    write('phase', { phase: 'collecting' });
  }

  onUserConsoleLog(log) {
    if (!log.taskId) return;
    const text = (this.#output.get(log.taskId) ?? '') + log.content;
    this.#output.set(log.taskId, text.slice(-16_384));
  }

  onTestModuleCollected(module) {
    write('expected', { count: [...module.children.allTests()].length });
  }

  onTestCaseReady(test) {
    this.#spoke = true;
    write('started', { id: this.#id(test), file: test.module.moduleId });
  }

  onTestCaseResult(test) {
    this.#spoke = true;
    const result = test.result();
    const diagnostic = test.diagnostic?.();
    const error = result.errors?.[0];
    const good = test.options?.fails ? 'expectedFailure' : 'passed';
    const outcome = { passed: good, failed: 'failed', skipped: 'skipped' }[result.state];
    if (outcome === undefined) return;
    if (diagnostic?.flaky) this.#failedBefore(test, error);
    write('finished', {
      id: this.#id(test),
      name: test.fullName,
      file: test.module.moduleId,
      line: test.location?.line ?? null,
      outcome,
      durationMs: diagnostic?.duration ?? null,
      reason: result.note ?? null,
      failure: error ? vitestFailure(error, this.#output.get(test.id)) : undefined,
    });
  }

  /** It passed when it was tried again. */
  #failedBefore(test, error) {
    write('finished', {
      id: this.#id(test),
      name: test.fullName,
      file: test.module.moduleId,
      line: test.location?.line ?? null,
      outcome: 'failed',
      durationMs: null,
      reason: null,
      failure: error ? vitestFailure(error, '') : undefined,
    });
  }

  onTestModuleEnd(module) {
    this.#ofModule(module.moduleId, module.errors?.() ?? []);
    for (const suite of module.children.allSuites?.() ?? [])
      for (const error of suite.errors?.() ?? [])
        this.#broken(module.moduleId, [...suitePath(suite)], error);
  }

  onTestRunEnd(_modules, unhandled) {
    this.#end(unhandled);
  }

  // Vitest 1 and 2 know files and tasks only.
  onFinished(files = [], errors = []) {
    if (this.#spoke) return;
    for (const file of files) {
      this.#ofModule(file.filepath, file.result?.errors ?? []);
      for (const task of file.tasks) this.#oldTask(file, task, []);
    }
    this.#end(errors);
  }

  #oldTask(file, task, names) {
    const path = [...names, task.name];
    if (task.tasks) {
      for (const inner of task.tasks) this.#oldTask(file, inner, path);
      return;
    }
    const state = task.result?.state;
    const error = task.result?.errors?.[0];
    write('finished', {
      id: idOf(file.filepath, path),
      name: path.join(' > '),
      file: file.filepath,
      line: task.location?.line ?? null,
      outcome: oldOutcome(state, task.fails),
      durationMs: task.result?.duration ?? null,
      reason: null,
      failure: error ? vitestFailure(error, this.#output.get(task.id)) : undefined,
    });
  }

  #ofModule(file, errors) {
    for (const error of errors.slice(0, 1)) this.#broken(file, [], error);
  }

  /** A file that could not be loaded, or whose hooks failed. */
  #broken(file, names, error) {
    if (String(error.message).startsWith('No test suite found in file')) {
      this.#empty.push(error.message);
      return;
    }
    const id = idOf(file, names);
    const failure = vitestFailure(error, '');
    broken({ id, file, error, failure });
  }

  #end(unhandled) {
    if (this.#spoke) for (const text of this.#empty) write('trouble', { text });
    for (const error of unhandled ?? [])
      write('trouble', { text: `unhandled ${error.name ?? 'error'}: ${error.message}` });
    write('complete', {});
  }

  #id(test) {
    return idOf(test.module.moduleId, [...suitePath(test)]);
  }
}

function oldOutcome(state, isExpected) {
  if (state === 'pass') return isExpected ? 'expectedFailure' : 'passed';
  return state === 'fail' ? 'failed' : 'skipped';
}

function suitePath(task) {
  const names = [];
  for (let one = task; one && one.type !== 'module'; one = one.parent) names.unshift(one.name);
  return names;
}

function vitestFailure(error, output) {
  const failure = failureOf(error, output);
  const stacks = error.stacks ?? [];
  if (stacks.length > 0)
    failure.frames = stacks.map(({ method, file, line }) => ({
      function: method || null,
      file,
      line,
    }));
  return failure;
}
