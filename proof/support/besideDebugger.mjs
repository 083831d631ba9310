/* Breakpoints that record beside a debugger that stops at the same places. */
import { isDeepStrictEqual } from 'node:util';
import { randomOf } from './random.mjs';
import { recordRows } from './record.mjs';

/** What a debugger says of a name that has no value there. */
export const unset = Symbol('not there');

/** Some of these, in any order. */
export function someOf(all, places, seed) {
  const random = randomOf(seed);
  return all
    .map((line) => ({ line, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, places)
    .map(({ line }) => line);
}

/**
 * Each hit as the product tells it, and the places that it bound: all of them, unless some `mayFail`. A breakpoint's label
 * ends with what its hits are told apart by, a line or an address.
 */
export async function recorded(product, { rounds, ...launch }, add, { mayFail = false } = {}) {
  const { sessionId } = await product.call('debug_launch', {
    ...launch,
    stdin: 'open',
    waitFor: 'output',
  });
  const all = [];
  for (let from = 0; from < add.length; from += 32) {
    const answer = await product.call('debug_breakpoint', {
      sessionId,
      add: add.slice(from, from + 32),
    });
    all.splice(0, all.length, ...answer.breakpoints);
  }
  const moved = all.filter((one) => one.state !== 'bound' || one.moved !== null);
  if (moved.length > 0 && !mayFail) throw new Error(JSON.stringify(moved));
  const placeOf = (label) => label.split(':').at(-1);
  await product.call('debug_session', {
    action: 'input',
    sessionId,
    text: `${rounds}\n`,
    eof: true,
  });
  await product.waitForExit(sessionId);
  const places = all.filter((one) => !moved.includes(one)).map(({ label }) => placeOf(label));
  const hits = [];
  for (let cursor; ;) {
    const answer = await product.call('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['logpoint'],
      limit: 100,
      budget: 20_000,
      verbose: true,
      ...(cursor ? { cursor } : {}),
    });
    for (const { functionName, arguments: values } of answer.events)
      hits.push({ line: placeOf(functionName), values });
    cursor = answer.nextCursor ?? answer.cursor;
    if (!answer.hasMore || !cursor) return { hits, places };
  }
}

/**
 * Both in their order. `plainTheirs`: what a value means that the debugger tells; `plain`: what ours means beside such a one;
 * `other`: a value that is left out.
 */
export function compared(ours, theirs, plain, plainTheirs = plain, other) {
  let values = 0;
  let absent = 0;
  const wrong = [];
  for (const [i, one] of theirs.entries()) {
    const own = ours[i];
    if (own?.line !== String(one.line)) {
      wrong.push(`hit ${i}: line ${own?.line} for ${one.line}`);
      break;
    }
    for (const [name, told] of Object.entries(one.values)) {
      const theirValue = told === unset ? unset : plainTheirs(told);
      if (other !== undefined && theirValue === other) continue;
      const ownValue = plain(own.values[name], theirValue);
      if (ownValue === unset || theirValue === unset) absent++;
      else if (isDeepStrictEqual(ownValue, theirValue)) values++;
      else
        wrong.push(
          `line ${one.line} ${name}: ${JSON.stringify(own.values[name])} for ${String(theirValue)}`,
        );
    }
  }
  if (ours.length !== theirs.length) wrong.push(`${ours.length} hits for ${theirs.length}`);
  return { hits: theirs.length, values, absent, wrong };
}

/**
 * Tries each version (its name, and `tried` of it), prints what came out, and records it as `proof`. Answers nothing;
 * a difference sets the exit status.
 */
export async function proveBeside(proof, language, versions) {
  const rows = [];
  let failures = 0;
  for (const { name, tried } of versions) {
    const { hits, lines, values, absent, wrong } = await tried();
    failures += wrong.length;
    for (const one of wrong.slice(0, 10)) console.log(one);
    console.log(
      `${name}: ${hits} hits at ${lines} random lines; ${values} values equal to the debugger's, ${absent} not there in one of them, ${wrong.length} different`,
    );
    rows.push({ name, hits, lines, values, absent, different: wrong.length });
  }
  const sumOf = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const verdict = `${sumOf('hits')} hits at random lines are those of ${language}'s debugger stopped there, ${sumOf('values')} values equal, ${failures} different`;
  console.log(verdict);
  recordRows(proof, verdict, rows);
  if (failures > 0) process.exitCode = 1;
}
