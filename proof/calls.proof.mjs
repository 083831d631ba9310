/*
 * Calls of random programs beside what these write down of them: `npm run proof calls -- --programs=6 --seed=1`. Order, callers, ends,
 * arguments and results of all calls of each thread must be the same, and the traced program must do what it does untraced. Its functions
 * throw, jump, run on several stacks, in threads and in signal handlers, are replaced by what they call last, and end the program
 * in the middle (support/generatedCalls.mjs).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { truthOf } from './support/callTruth.mjs';
import { callsProgram } from './support/generatedCalls.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';

const functions = 30;
const mostShown = 10;
const builds = [
  'g++ -O0',
  'g++ -O1',
  'g++ -O2',
  'g++ -O3',
  'g++ -Os',
  'g++ -O2 -static-libstdc++ -static-libgcc -no-pie',
  'g++ -O2 -flto',
  'g++ -O2 -fcf-protection=full -fstack-protector-all',
  'clang++ -O0',
  'clang++ -O1',
  'clang++ -O2',
  'clang++ -O3',
  'clang++ -O2 -stdlib=libc++',
  'clang++ -O2 -flto -fuse-ld=lld',
].map((build) => `${build} -std=c++20 -g -w -pthread`);

const option = (name) => process.argv.find((one) => one.startsWith(`--${name}=`))?.split('=')[1];
const programs = Number(option('programs') ?? 4);
const seed = Number(option('seed') ?? Date.now() % 1_000_000);

/** Without the numbers that the kernel gives threads. */
function withoutIds(text) {
  return text.replaceAll(/^thread \d+$/gm, 'thread');
}

/** By thread id, in order: the calls of a session, from its export. */
async function callsOf(product, sessionId, path) {
  await product.call('debug_session', { action: 'export', sessionId, format: 'jsonl', path });
  const threads = new Map();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const call = line === '' ? null : JSON.parse(line);
    if (call?.eventType !== 'call') continue;
    const known = threads.get(call.threadId);
    if (known) known.push(call);
    else threads.set(call.threadId, [call]);
  }
  rmSync(path);
  for (const calls of threads.values()) calls.sort((a, b) => placeOf(a.id) - placeOf(b.id));
  return threads;
}

function placeOf(id) {
  return Number(id.slice(id.indexOf('.') + 1));
}

function fnOf({ functionName }) {
  return Number(/\bf(\d+)(\(|\.|$)/.exec(functionName)?.[1]);
}

/** What differs first in each way, of one thread. */
function* differences(told, seen) {
  if (told.length !== seen.length) yield `${seen.length} calls, not ${told.length}`;
  const places = new Map(seen.map(({ id }, i) => [id, i]));
  for (const [i, call] of told.entries()) {
    const shown = seen[i];
    if (!shown) return;
    const at = `call ${i} (${shown.id})`;
    if (fnOf(shown) !== call.fn) {
      yield `${at} is ${shown.functionName}, not f${call.fn}`;
      return;
    }
    const parent = shown.parentEventId === null ? null : places.get(shown.parentEventId);
    if (!callersOf(told, call).includes(parent))
      yield `${at} is called by ${parent}, not ${callersOf(told, call).join(' or ')}`;
    yield* differentEnds(call, shown, at);
    const a = shown.arguments.a;
    if (a !== undefined && String(a) !== call.given) yield `${at} is given ${a}, not ${call.given}`;
    const result = shown.returnValue?.v?.[2] ?? shown.returnValue;
    if (
      ['number', 'string'].includes(typeof result) &&
      call.result &&
      String(result) !== call.result
    )
      yield `${at} returns ${result}, not ${call.result}`;
  }
}

function* differentEnds(call, shown, at) {
  const ends = call.end === 'tail' ? ['tail', 'returned'] : [call.end];
  // What is replaced has left its stack by then.
  if (call.isTail && call.end !== 'tail') ends.push('tail');
  if (!ends.includes(shown.end))
    yield `${at} f${call.fn} ends ${shown.end}, not ${ends.join(' or ')}`;
  if (shown.end === 'jumped' && typeof shown.durationNs !== 'number')
    yield `${at} is left by a jump, and when is not known`;
}

/** The caller; where that was replaced by this call, also the one above. */
function callersOf(told, { parent }) {
  const callers = [parent];
  while (callers.at(-1) !== null && told[callers.at(-1)].isTail)
    callers.push(told[callers.at(-1)].parent);
  return callers;
}

async function compared(product, program, folder) {
  const [plain, traced] = ['plain.txt', 'traced.txt'].map((name) => join(folder, name));
  const alone = spawnSync(program, [plain], { encoding: 'utf8' });
  const { sessionId } = await product.launch(program, [traced], ['gen::f*']);
  const { exit } = await product.waitForExit(sessionId);
  const wrong = [];
  if (exit.code !== alone.status || alone.status === null)
    wrong.push(`ended by ${JSON.stringify(exit)}, untraced by ${alone.status ?? alone.signal}`);
  const account = readFileSync(traced, 'utf8');
  if (withoutIds(account) !== withoutIds(readFileSync(plain, 'utf8')))
    wrong.push('what the program does is not what it does untraced');
  const truth = truthOf(account);
  const seen = await callsOf(product, sessionId, join(folder, 'calls.jsonl'));
  let calls = 0;
  for (const [tid, told] of truth) {
    calls += told.length;
    for (const difference of differences(told, seen.get(tid) ?? []))
      wrong.push(`thread ${tid}: ${difference}`);
  }
  await product.call('debug_session', { action: 'delete', sessionId });
  return { calls, threads: truth.size, wrong };
}

const home = openHome();
const folder = home.project;
const rows = builds.map((build) => ({ build, calls: 0, threads: 0, wrong: 0 }));
try {
  const product = await Product.start(home);
  const prelude = 'calls.hpp';
  copyFileSync(join(root, 'proof', 'targets', 'generated', prelude), join(folder, prelude));
  for (let number = 0; number < programs; number++) {
    const random = randomOf(seed + number);
    const below = (most) => Math.floor(random() * most);
    const source = join(folder, `${seed + number}.cpp`);
    writeFileSync(source, callsProgram({ below, isOneIn: (most) => below(most) === 0 }, functions));
    for (const row of rows) {
      const [compiler, ...flags] = row.build.split(' ');
      const built = join(folder, 'program');
      execFileSync(compiler, [...flags, source, '-o', built], { stdio: 'ignore' });
      const { calls, threads, wrong } = await compared(product, built, folder);
      row.calls += calls;
      row.threads += threads;
      row.wrong += wrong.length;
      for (const one of wrong.slice(0, mostShown))
        console.log(`WRONG  ${row.build}, seed ${seed + number}: ${one}`);
    }
  }
  await product.close();
} finally {
  home.close();
}
for (const { build, calls, threads, wrong } of rows)
  console.log(`${build}: ${calls} calls in ${threads} threads, ${wrong} wrong`);
const calls = rows.reduce((sum, row) => sum + row.calls, 0);
const wrong = rows.reduce((sum, row) => sum + row.wrong, 0);
const verdict = `${calls} calls of random programs, ${wrong} differences from what they wrote down, seed ${seed}`;
recordRows('calls', verdict, rows);
if (wrong > 0) process.exitCode = 1;
