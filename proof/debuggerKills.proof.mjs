/*
 * Rounds in which the stopper, the daemon or both are killed (kill -9) at a random moment while
 * threads of a program that checks its own results stop, are stepped and run past breakpoints. After
 * each round all threads of the program run on; at the end it says that all was right.
 * KILL_ROUNDS and KILL_SEED choose how many and which; arguments choose kinds.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../bench/support/build.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { isAlive, kill, openStorm, pause, StormClient, until } from './support/storm.mjs';

const all = ['stopper', 'stopper', 'daemon', 'both'];
const named = process.argv.slice(2).filter((word) => all.includes(word));
const kinds = named.length > 0 ? named : all;
const rounds = Number(process.env.KILL_ROUNDS ?? 120);
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
const threads = 4;
const perProgram = 10;

const levels = ['-O0', '-O2'];
const storm = openStorm();
const counts = join(storm.project, 'counts');

const places = [
  { function: 'checked::leaf', condition: 'x == -1' },
  { function: 'checked::part', condition: 'x == -1' },
  { function: 'checked::leaf', every: 3000 },
  { file: 'checked.cpp', line: lineOf('*kept = sum'), every: 500 },
  { file: 'checked.cpp', line: lineOf('sum += chosen'), every: 700, stop: 'process' },
];

function lineOf(text) {
  const lines = readFileSync(new URL('targets/checked.cpp', import.meta.url), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}

function counted() {
  if (!existsSync(counts)) return [];
  const bytes = readFileSync(counts);
  return Array.from({ length: threads }, (_, i) => bytes.readBigUInt64LE(8 * i));
}

async function allRunOn(pid) {
  const before = counted();
  const runs = () => counted().every((count, i) => count > before[i] + 2n);
  return isAlive(pid) && (await until(() => !isAlive(pid) || runs(), 10_000)) && isAlive(pid);
}

/** Stops, steps and goes on until told to end. */
async function busy(client, sessionId, state) {
  const actions = ['continue', 'continue', 'over', 'into', 'out', 'wait', 'pause'];
  while (!state.isOver) {
    const action = actions[Math.floor(random() * actions.length)];
    const { isError } = await client.call('debug_continue', { sessionId, action, timeoutMs: 50 });
    state.done += isError ? 0 : 1;
  }
}

/** Kills at a random moment of a busy client. Answers how many processes, and how much that client did. */
async function strike(client, sessionId, kind) {
  const chosen = places.filter(() => random() < 0.6);
  await client.call('debug_breakpoint', { sessionId, takeOver: true, add: chosen });
  const state = { isOver: false, done: 0 };
  const work = busy(client, sessionId, state);
  await pause(random() * 300);
  const victims = kind === 'daemon' ? [] : storm.pidsOf(/dist\/stopper/);
  if (kind !== 'stopper') victims.push(storm.daemon());
  if (random() < 0.5) victims.reverse();
  const killed = victims.filter((pid) => pid !== null);
  for (const pid of killed) kill(pid);
  state.isOver = true;
  await work;
  return { kills: killed.length, verbs: state.done };
}

/** No breakpoint is left, and all that stands still goes on. */
async function letGo(client, sessionId) {
  await client.call('debug_breakpoint', { sessionId, takeOver: true, remove: ['all'] });
  for (let i = 0; i < 20; i++) {
    const asked = { sessionId, takeOver: true, timeoutMs: 0 };
    await client.call('debug_continue', { ...asked, action: 'wait' });
    const went = await client.call('debug_continue', { ...asked, action: 'continue' });
    if (went.isError) return;
  }
}

/** Null: it ended as if nothing had happened. */
async function whyNotWell(client, sessionId) {
  const ended = { sessionId, takeOver: true, action: 'input', text: '', eof: true };
  const input = await client.call('debug_session', ended);
  if (input.isError) return input.text;
  const waited = { sessionId, action: 'wait', for: ['exit'], timeoutMs: 10_000 };
  const { answer } = await client.call('debug_session', waited);
  if (answer?.exit?.code === 0) return null;
  const crash = await client.call('debug_query', { sessionId, view: 'crash' });
  return `ended by ${JSON.stringify(answer?.exit)}\n${crash.text}`;
}

async function round(program, kind, result) {
  let client = await StormClient.start(storm);
  const { answer, text } = await client.call('debug_launch', {
    command: program,
    args: [counts],
    stdin: 'open',
    onClientExit: 'keep',
    projectRoot: storm.project,
  });
  if (!answer?.pid) throw new Error(text);
  const { sessionId, pid } = answer;
  await until(() => counted().every((count) => count > 0n), 10_000);
  for (let i = 0; i < perProgram && result.problems.length === 0; i++) {
    const { kills, verbs } = await strike(client, sessionId, kind);
    result.kills += kills;
    result.verbs += verbs;
    if (kind !== 'stopper') {
      await client.close();
      client = await StormClient.start(storm);
    }
    await letGo(client, sessionId);
    if (await allRunOn(pid)) continue;
    const looked = await client.call('debug_inspect', { sessionId, view: 'threads' });
    result.problems.push(isAlive(pid) ? `stands still: ${looked.text}` : 'is dead');
  }
  const why = await whyNotWell(client, sessionId);
  if (why !== null) result.problems.push(why);
  kill(pid);
  await client.close();
}

const results = [];
try {
  for (let number = 0; number * perProgram < rounds; number++) {
    const level = levels[number % levels.length];
    const kind = kinds[number % kinds.length];
    const program = buildProgram(
      `checked${level}`,
      ['proof/targets/checked.cpp'],
      [level, '-pthread'],
    );
    const result = { kind, level, kills: 0, verbs: 0, problems: [] };
    await round(program, kind, result);
    results.push(result);
    console.log(JSON.stringify(result));
  }
} finally {
  storm.stop();
}
const problems = results.flatMap((one) => one.problems);
const kills = results.reduce((sum, one) => sum + one.kills, 0);
recordRows(
  'debuggerKills',
  `${kills} kills (seed ${seed}), ${problems.length} programs harmed.`,
  results.map((one) => ({ ...one, problems: one.problems.join('; ') || 'none' })),
);
console.log(`seed ${seed}: ${kills} kills, ${problems.length} problems`);
storm.close();
process.exitCode = problems.length > 0 ? 1 : 0;
