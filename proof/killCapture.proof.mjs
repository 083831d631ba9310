/*
 * Rounds in which the target, the daemon or both are killed (kill -9), or the index worker is held
 * still, at a random moment while calls are captured whose truth is known: they have serial numbers,
 * and the program counts in a file of its own which of them are over. After each round every call of
 * the session is read: none that the program had completed (before its daemon was killed) is missing unless it is counted as lost,
 * and each has its own arguments, result and caller. KILL_ROUNDS and KILL_SEED choose how many and
 * which, KILL_RING how large a ring may become (of small ones more is lost).
 */
import { createReadStream, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildProgram } from '../bench/support/build.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import {
  holdThread,
  isAlive,
  kill,
  openStorm,
  pause,
  StormClient,
  until,
} from './support/storm.mjs';

const kinds = ['target', 'daemon', 'both', 'index'];
const rounds = Number(process.env.KILL_ROUNDS ?? 50);
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
if (process.env.KILL_RING) process.env.STROBE_RING_BYTES_PER_THREAD = process.env.KILL_RING;

const serial = buildProgram('serial', ['proof/targets/serial.cpp']);
const holder = buildProgram('holdThread', ['tests/targets/e2e/holdThread.c']);
const storm = openStorm();
const counts = join(storm.project, 'counts');
const exported = join(storm.project, 'calls.jsonl');
const patterns = ['inner', 'outer'].map((name) => ({
  pattern: `serial::${name}`,
  sampling: 'off',
}));

/** How many outer calls each thread has completed. */
function completedCalls() {
  const page = readFileSync(counts);
  return [0, 64].map((at) => Number(page.readBigInt64LE(at)));
}

/** A request that met the death of the daemon is answered with an error once. */
async function ask(client, tool, args) {
  const first = await client.call(tool, args);
  const { isError, text, answer } = first.isError ? await client.call(tool, args) : first;
  if (isError) throw new Error(`${tool}: ${text.slice(0, 300)}`);
  return answer;
}

async function strike(kind, pid, holdMs) {
  if (kind === 'index') {
    await Promise.all(storm.threads('strobe-index').map((tid) => holdThread(holder, tid, holdMs)));
    return;
  }
  if (kind !== 'target') kill(storm.daemon());
  if (kind !== 'daemon') kill(pid);
}

/** Reads every call of a session; tells what is wrong with them, and how many there are. */
async function check(completed) {
  const problems = [];
  const wrong = (what) => {
    if (problems.length < 5) problems.push(what);
  };
  const outers = [new Map(), new Map()];
  const seen = [new Set(), new Set()];
  let calls = 0;
  let lost = {};
  for await (const line of createInterface({ input: createReadStream(exported) })) {
    if (line === '') continue;
    const row = JSON.parse(line);
    if (row.eventType === 'session') ({ lost } = row);
    if (row.eventType !== 'call') continue;
    calls++;
    const { n, thread } = row.arguments;
    const isOuter = row.functionName === 'serial::outer';
    if (isOuter) outers[thread].set(row.id, n);
    else if (row.parentEventId !== null) {
      const above = outers[thread].get(row.parentEventId);
      if (above !== n && above !== n - 1) wrong(`${row.id} of ${n} hangs below that of ${above}`);
    }
    if (row.end !== 'returned') continue;
    const own = isOuter ? 6 * n + 3 + 2 * thread : 3 * n + thread;
    if (row.returnValue !== own) wrong(`${row.id} of ${n} returned ${row.returnValue}, not ${own}`);
    if (isOuter && seen[thread].has(n)) wrong(`${n} is there twice`);
    if (isOuter) seen[thread].add(n);
  }
  let missing = 0;
  for (const [thread, over] of completed.entries())
    for (let n = 0; n < over; n++) if (!seen[thread].has(n)) missing++;
  const lostEvents = Object.values(lost).reduce((sum, count) => sum + count, 0);
  if (missing > lostEvents) wrong(`${missing} completed calls are missing, ${lostEvents} lost`);
  return { problems, calls, lostEvents };
}

async function round(kind, random) {
  const afterMs = Math.floor(random() * 700);
  const holdMs = 200 + Math.floor(random() * 800);
  const client = await StormClient.start(storm);
  rmSync(counts, { force: true });
  rmSync(exported, { force: true });
  try {
    const args = { command: serial, args: [counts], projectRoot: storm.project, patterns };
    const launch = { ...args, onClientExit: 'keep' };
    const { sessionId, pid } = await ask(client, 'debug_launch', launch);
    await pause(afterMs);
    const before = completedCalls();
    await strike(kind, pid, holdMs);
    // The next daemon takes the session over; then its target is killed as well.
    await ask(client, 'debug_session', { action: 'status', sessionId });
    if (kind === 'daemon' || kind === 'index') {
      await pause(Math.floor(random() * 300));
      kill(pid);
    }
    await until(() => !isAlive(pid), 10_000);
    await until(async () => {
      const status = await ask(client, 'debug_session', { action: 'status', sessionId });
      return status.session.state === 'ended';
    }, 20_000);
    // Without its daemon a program runs untraced until the next one has taken it over.
    const completed = kind === 'daemon' || kind === 'both' ? before : completedCalls();
    await ask(client, 'debug_session', {
      action: 'export',
      sessionId,
      format: 'jsonl',
      path: exported,
    });
    // A long one goes on after the answer.
    await until(() => existsSync(exported), 60_000);
    const found = await check(completed);
    await ask(client, 'debug_session', { action: 'delete', sessionId });
    return { afterMs, completed: completed[0] + completed[1], ...found };
  } finally {
    await client.close();
  }
}

const random = randomOf(seed);
const all = [];

function told() {
  const rows = kinds.map((kind) => {
    const mine = all.filter((one) => one.kind === kind);
    const sum = (name) => mine.reduce((total, one) => total + one[name], 0);
    return {
      struck: kind,
      rounds: mine.length,
      sound: mine.filter(({ problems }) => problems.length === 0).length,
      'outer calls completed': sum('completed'),
      'calls read back': sum('calls'),
      'events counted as lost': sum('lostEvents'),
      note: mine.flatMap(({ problems }) => problems).join(' · '),
    };
  });
  const sound = all.filter(({ problems }) => problems.length === 0).length;
  recordRows('killCapture', `seed ${seed}: ${sound} of ${all.length} rounds sound`, rows);
  return all.length - sound;
}

console.log(`seed ${seed}, ${rounds} rounds`);
try {
  for (let number = 0; number < rounds; number++) {
    const kind = kinds[number % kinds.length];
    const result = await round(kind, random).catch((error) => ({
      afterMs: 0,
      completed: 0,
      calls: 0,
      lostEvents: 0,
      problems: [String(error)],
    }));
    all.push({ kind, ...result });
    told();
    const { problems, afterMs, completed, calls, lostEvents } = result;
    console.log(
      `${String(number).padStart(3)} ${problems.length === 0 ? 'sound' : 'BROKEN'} ${kind} after ${afterMs} ms: ${completed} outer calls completed, ${calls} calls read back, ${lostEvents} events lost`,
    );
    for (const problem of problems) console.log(`           ${problem}`);
  }
  storm.stop();
} finally {
  for (const { pid } of storm.processes()) kill(pid);
  storm.close();
}
if (told() > 0) process.exitCode = 1;
