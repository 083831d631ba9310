// A reporter for node:test, Node 20 and later (18.20 too).
import { resolve } from 'node:path';
import events from './strobeEvents.cjs';

const { write, idOf, failureOf, isList, broken } = events;

/** What runs in each file, in the order of running: results come in the order of writing. */
class Running {
  #names = new Map();
  #outputs = new Map();

  begin(data) {
    const { file, nesting, name } = data;
    if (isFileName(name, file)) return;
    const names = this.#names.get(file) ?? [];
    this.#names.set(file, names);
    // What has tests inside is not what runs.
    if (nesting > 0) write('ended', { id: idOf(file, names.slice(0, nesting)) });
    names.length = nesting;
    names[nesting] = name;
    if (!isList) write('started', { id: idOf(file, names), file });
  }

  hear({ file, message }) {
    if (file === undefined) return;
    const path = resolve(file);
    this.#outputs.set(path, ((this.#outputs.get(path) ?? '') + message).slice(-16_384));
  }

  /** What its file wrote: a file's output comes before the news of its tests. */
  output({ file }) {
    return file === undefined ? '' : (this.#outputs.get(resolve(file)) ?? '');
  }
}

export default async function* strobeNodeTest(source) {
  const names = [];
  const running = new Running();
  write('process', { pid: process.pid });
  for await (const { type, data } of source) {
    if (type === 'test:dequeue') running.begin(data);
    else if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    } else if (type === 'test:stdout' || type === 'test:stderr') running.hear(data);
    else if (type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting;
      finished([...names, data.name], type === 'test:pass', data, running);
    }
  }
  write('complete', {});
  yield '';
}

function finished(path, isGood, data, running) {
  const isFile = path.length === 1 && isFileName(path[0], data.file);
  if (isFile) {
    if (!isGood) brokenFile(data, running.output(data));
    return;
  }
  const id = idOf(data.file, path);
  // Node 20 tells tests that were not selected as skipped.
  if (isContainer(isGood, data) || (!isList && /does not match pattern/.test(String(data.skip)))) {
    write('ended', { id });
    return;
  }
  const reason = [data.skip, data.todo].find((one) => typeof one === 'string');
  const failure = isGood ? undefined : nodeFailure(data.details?.error, running.output(data));
  write('finished', {
    id,
    name: path.join(' > '),
    file: data.file ?? null,
    line: data.line ?? null,
    outcome: outcomeOf(isGood, data),
    durationMs: data.details?.duration_ms ?? null,
    reason: reason ?? null,
    failure,
  });
}

/** Its process ended badly: it could not be read, or it died. */
function brokenFile({ file, details }, output) {
  const failure = nodeFailure(details?.error, output);
  const { exitCode, signal } = details?.error ?? {};
  if (signal) failure.message = `the process of this file died of ${signal}`;
  else if (exitCode && failure.message === 'test failed')
    failure.message = `the process of this file ended with status ${exitCode}`;
  broken({ id: idOf(file, []), file, error: null, failure, text: output });
}

/** Suites, and tests whose subtests failed, tell nothing that those inside do not. */
function isContainer(isGood, { details }) {
  const isSuite = details?.type === 'suite';
  return isGood ? isSuite : details?.error?.failureType === 'subtestsFailed';
}

function outcomeOf(isGood, { skip, todo }) {
  if (isList || (skip !== undefined && skip !== false)) return 'skipped';
  if (isGood) return 'passed';
  return todo !== undefined && todo !== false ? 'expectedFailure' : 'failed';
}

/** A file is told as a test with its path as name. */
function isFileName(name, file) {
  if (file === undefined) return false;
  return name === file || file.endsWith(`/${name.replace(/^\.\//, '')}`);
}

function nodeFailure(error, output) {
  const cause = error?.cause instanceof Error ? error.cause : error;
  const failure = failureOf(cause, output);
  if (typeof error?.cause === 'string') failure.message = error.cause;
  return failure;
}
