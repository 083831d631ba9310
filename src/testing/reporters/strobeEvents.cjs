'use strict';
/*
 * Writes what a JavaScript runner tells, one JSON object a line (src/testing/formats/eventLines.ts). Loaded by the
 * reporters beside it into the user's own runner: any Node from 14 on, no packages. The variables
 * that brought them here are taken back before a test can see them.
 */
const { appendFileSync } = require('node:fs');
const { relative, sep } = require('node:path'); // oxlint-disable-line typescript/unbound-method -- it needs no this

const report = process.env.STROBE_TEST_REPORT;
const isList = process.env.STROBE_TEST_LIST !== undefined;
delete process.env.STROBE_TEST_REPORT;
delete process.env.STROBE_TEST_LIST;

const mostText = 16_384;
const root = process.cwd();

function write(event, fields) {
  if (report === undefined) return;
  appendFileSync(report, `${JSON.stringify({ event, ...fields })}\n`);
}

function shortened(text) {
  return text.length <= mostText ? text : text.slice(-mostText);
}

/** `src/cart.test.js > Cart > sums up`: unique, and readable. */
function idOf(file, names) {
  const path = file ? relative(root, file).split(sep).join('/') : '';
  return [path, ...names].filter((part) => part !== '').join(' > ');
}

/** The frames of a V8 stack; places in packages and in Node are left to the reader. */
function framesOf(stack) {
  const frames = [];
  for (const line of String(stack || '').split('\n')) {
    const found =
      /^\s*at (?:async )?(?:(.+?) \()?(?:file:\/\/)?((?:\/|node:|[A-Za-z]:[\\/]).*?):(\d+):\d+\)?$/.exec(
        line,
      ) || /^\s*at (?:async )?(?:(.+?) \()?([^()\s]+?\.[cm]?[jt]sx?):(\d+):\d+\)?$/.exec(line);
    if (found) {
      const name =
        found[1] === undefined
          ? null
          : found[1].replace(/^(Object|Context|new|async)[. ](?=\S)/, '');
      frames.push({
        function: name === null || /^(<anonymous>|Object|Context)$/.test(name) ? null : name,
        file: decodeURIComponentSafe(found[2]),
        line: Number(found[3]),
      });
    }
    if (frames.length >= 40) break;
  }
  return frames;
}

function decodeURIComponentSafe(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A value as text; texts of runners that have made them already stay. */
function side(value) {
  if (value === undefined) return null;
  if (typeof value === 'string') return shortened(value);
  try {
    const text = JSON.stringify(value);
    return text === undefined ? shortened(String(value)) : shortened(text);
  } catch {
    return shortened(String(value));
  }
}

function failureOf(error, output) {
  const has = (name) => error && Object.prototype.hasOwnProperty.call(error, name);
  const message = error && error.message ? String(error.message) : String(error);
  const name =
    error && error.name && !/^(Error|AssertionError)/.test(error.name) ? `${error.name}: ` : '';
  const isCompared = has('expected') && has('actual') && error.actual !== undefined;
  return {
    message: shortened(message.startsWith(name) ? message : name + message),
    expected: isCompared ? side(error.expected) : null,
    actual: isCompared ? side(error.actual) : null,
    frames: error && error.stack ? framesOf(error.stack) : [],
    output: shortened(output || ''),
  };
}

/** A place in a text or a parser's own words for it. */
function placeOf(error, file, text) {
  const { loc } = error || {};
  if (loc && loc.line)
    return { line: loc.line, column: loc.column === undefined ? null : loc.column };
  const name = String(file)
    .replace(/^.*[\\/]/, '')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found =
    new RegExp(`${name}(?:: .*? \\(|:)(\\d+)(?::(\\d+))?`).exec(text) ||
    /^\s*>\s*(\d+) \|/m.exec(text) ||
    /\((\d+):(\d+)\)/.exec(text);
  if (!found) return { line: null, column: null };
  return { line: Number(found[1]), column: found[2] === undefined ? null : Number(found[2]) };
}

const unreadable =
  /\b(SyntaxError|ParseError|Parse failure|Parse failed|Transform failed|PARSE_ERROR|TransformError)\b|^TS\d+:/;

/** A file that could not be loaded: what a parser said is a compile error, all else a failure. */
function broken({ id, file, error, failure, text }) {
  const stack = String((error && error.stack) || '');
  const said = [error && error.name, text || '', failure.message, stack].join('\n');
  if (unreadable.test(said)) {
    const { line, column } = placeOf(error, file, said);
    const named = /^SyntaxError: .*$/m.exec(text || '');
    const message = named ? named[0] : shortLines(failure.message);
    write('buildProblem', { file, line, column, message });
    return;
  }
  const [first] = failure.frames;
  const line = first && first.file === file ? first.line : null;
  const fields = { id, name: id, file, line, outcome: 'failed', durationMs: null };
  write('finished', { ...fields, reason: 'collecting', failure });
}

function shortLines(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 3)
    .join('\n');
}

module.exports = {
  broken,
  write,
  idOf,
  framesOf,
  failureOf,
  shortened,
  isList,
  side,
};
