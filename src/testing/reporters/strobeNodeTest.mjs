// A reporter for node:test, Node 20 and later (18.20 too).
import events from './strobeEvents.cjs';

const { write, idOf, failureOf, isList } = events;

export default async function* strobeNodeTest(source) {
  const names = [];
  let output = '';
  write('process', { pid: process.pid });
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
      output = '';
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      output = (output + data.message).slice(-16_384);
    } else if (type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting;
      finished([...names, data.name], type === 'test:pass', data, output);
    }
  }
  write('complete', {});
  yield '';
}

function finished(path, isGood, data, output) {
  if (isContainer(isGood, data)) return;
  // Node 20 tells tests that were not selected as skipped.
  if (!isList && /does not match pattern/.test(String(data.skip))) return;
  const isFile = path.length === 1 && data.file !== undefined && isFileName(path[0], data.file);
  if (isFile && isGood) return;
  const reason = [data.skip, data.todo].find((one) => typeof one === 'string');
  write('finished', {
    id: idOf(data.file, isFile ? [] : path),
    name: isFile ? idOf(data.file, []) : path.join(' > '),
    file: data.file ?? null,
    line: isFile ? null : (data.line ?? null),
    outcome: outcomeOf(isGood, data),
    durationMs: data.details?.duration_ms ?? null,
    reason: isFile ? 'collecting' : (reason ?? null),
    failure: isGood ? undefined : nodeFailure(data.details?.error, output),
  });
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

/** A file that ended badly is told as a test with its path as name. */
function isFileName(name, file) {
  return name === file || file.endsWith(name.replace(/^\.\//, ''));
}

function nodeFailure(error, output) {
  const cause = error?.cause instanceof Error ? error.cause : error;
  const failure = failureOf(cause, output);
  if (typeof error?.cause === 'string') failure.message = error.cause;
  return failure;
}
