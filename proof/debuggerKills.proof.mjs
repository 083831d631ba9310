/*
 * Rounds in which the stopper, the daemon, Frida's host, an adapter or two of them are killed (kill -9) at a random
 * moment while threads of a program that checks its own results stop, are stepped and run past breakpoints. After
 * each round all threads of the program run on; at the end it says that all was right. Where the answer that set the
 * breakpoints said that the program may end with its debugger, that is counted apart.
 * KILL_ROUNDS and KILL_SEED choose how many and which, KILL_KIND what is killed; arguments choose programs of
 * support/killed.mjs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterEnv, cases, victims } from './support/killed.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { isAlive, kill, openStorm, pause, StormClient, until } from './support/storm.mjs';

const named = process.argv.slice(2);
const plans = Object.entries(cases)
  .filter(([name]) => named.length === 0 || named.includes(name))
  .flatMap(([name, one]) => one.kinds.map((kind) => ({ name, kind, ...one })))
  .filter(({ kind }) => [undefined, kind].includes(process.env.KILL_KIND));
const rounds = Number(process.env.KILL_ROUNDS ?? 6 * plans.length);
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
/** How often each program is struck before it is asked whether all was right. */
const perPlan = Math.ceil(rounds / plans.length);
const actions = ['continue', 'continue', 'over', 'into', 'out', 'wait', 'pause'];
const saysThatItEnds =
  /if (?:its|Strobe's "stopper") process is killed[^.]*the program (?:may end|ends)/i;
const saysThatDaemonEndsIt = /if the daemon is, it may end/;

const storm = openStorm();
Object.assign(storm.env, adapterEnv);
const file = join(storm.project, 'counts');

async function allRunOn(pid, { counted }) {
  const before = counted(file);
  const runs = () => counted(file).every((count, i) => count > before[i] + 2n);
  await until(() => !isAlive(pid) || runs(), 15_000);
  return isAlive(pid) && runs();
}

/** Stops, steps and goes on until `state` is over. */
async function busy(client, sessionId, state) {
  while (!state.isOver) {
    const action = actions[Math.floor(random() * actions.length)];
    const { isError } = await client.call('debug_continue', { sessionId, action, timeoutMs: 50 });
    state.done += isError ? 0 : 1;
  }
}

/** Adds and takes away hooks until `state` is over. */
async function tracing(client, sessionId, traced, state) {
  for (let i = 0; !state.isOver; i++) {
    const change = i % 2 === 0 ? { add: [traced] } : { remove: [traced] };
    await client.call('debug_trace', { sessionId, takeOver: true, ...change });
  }
}

/** Kills at a random moment of a busy client. Answers how many processes, how much that client did, and what was said before. */
async function strike(client, sessionId, plan) {
  const { kind, places, adapter, traced } = plan;
  const chosen = places.filter(() => random() < 0.6);
  const asked = { sessionId, takeOver: true, ...(adapter ? { adapter } : {}) };
  await client.call('debug_breakpoint', asked);
  const add = chosen.length > 0 ? chosen : places.slice(0, 1);
  const placed = await client.call('debug_breakpoint', { sessionId, takeOver: true, add });
  const state = { isOver: false, done: 0 };
  const work = [busy(client, sessionId, state)];
  if (kind === 'host') work.push(tracing(client, sessionId, traced, state));
  await pause(random() * 300);
  const killed = kind.split('+').flatMap((one) => storm.pidsOf(victims[one]));
  if (random() < 0.5) killed.reverse();
  for (const pid of killed) kill(pid);
  state.isOver = true;
  await Promise.all(work);
  return {
    kills: killed.length,
    verbs: state.done,
    placed: placed.isError ? placed.text : null,
    isForewarned: forewarns(kind, placed.text),
  };
}

function forewarns(kind, text) {
  if (kind === 'daemon') return saysThatDaemonEndsIt.test(text);
  return kind !== 'host' && saysThatItEnds.test(text);
}

/** No breakpoint is left, and all that stands still runs, also a thread that was on its way to where a step ends. */
async function letGo(client, sessionId) {
  await client.call('debug_breakpoint', { sessionId, takeOver: true, remove: ['all'] });
  for (let [turn, refused] = [0, 0]; turn < 20 && refused < 2; turn++) {
    const asked = { sessionId, takeOver: true, timeoutMs: 0 };
    await client.call('debug_continue', { ...asked, action: 'wait' });
    const went = await client.call('debug_continue', { ...asked, action: 'continue' });
    refused = went.isError ? refused + 1 : 0;
    if (refused === 1) await pause(1000);
  }
}

/** Null: it ended as if nothing had happened. */
async function whyNotWell(client, sessionId, { end }) {
  end(file);
  const ended = { sessionId, takeOver: true, action: 'input', text: '', eof: true };
  const input = await client.call('debug_session', ended);
  if (input.isError && !/ended|exited/i.test(input.text)) return input.text;
  const waited = { sessionId, action: 'wait', for: ['exit'], timeoutMs: 10_000 };
  const { answer } = await client.call('debug_session', waited);
  if (answer?.exit?.code === 0) return null;
  const crash = await client.call('debug_query', { sessionId, view: 'crash' });
  return `ended by ${JSON.stringify(answer?.exit)}\n${crash.text}`;
}

async function launch(client, { command, args, counted }) {
  writeFileSync(file, '');
  const { answer, text } = await client.call('debug_launch', {
    command: command(),
    args: [...args, file],
    stdin: 'open',
    onClientExit: 'keep',
    projectRoot: storm.project,
  });
  if (!answer?.pid) throw new Error(text);
  const begun = () => counted(file).length > 0 && counted(file).every((count) => count > 0n);
  await until(begun, 20_000);
  return answer;
}

/** Null: it lives and runs on, or ended as it was said that it would. */
async function whyNotOn(client, sessionId, pid, plan) {
  if (await allRunOn(pid, plan)) return null;
  if (!isAlive(pid)) return 'is dead';
  const looked = await client.call('debug_inspect', { sessionId, view: 'threads' });
  return `stands still: ${looked.text}`;
}

async function run(plan, result) {
  let client = await StormClient.start(storm);
  let { sessionId, pid } = await launch(client, plan);
  for (let i = 0; i < perPlan && result.problems.length === 0; i++) {
    const { kills, verbs, isForewarned, placed } = await strike(client, sessionId, plan);
    result.kills += kills;
    result.verbs += verbs;
    if (placed !== null) result.unplaced.push(placed);
    if (plan.kind.includes('daemon')) {
      await client.close();
      client = await StormClient.start(storm);
    }
    await letGo(client, sessionId);
    const why = await whyNotOn(client, sessionId, pid, plan);
    if (why === null) continue;
    if (why !== 'is dead' || !isForewarned) result.problems.push(why);
    else if (i + 1 < perPlan) {
      result.endedAsSaid += 1;
      ({ sessionId, pid } = await launch(client, plan));
    } else {
      result.endedAsSaid += 1;
      pid = null;
    }
  }
  if (pid !== null) {
    const why = await whyNotWell(client, sessionId, plan);
    if (why !== null) result.problems.push(why);
    kill(pid);
  }
  await client.close();
}

const results = [];
try {
  for (const plan of plans) {
    const { name, kind } = plan;
    const result = {
      program: name,
      killed: kind,
      kills: 0,
      verbs: 0,
      endedAsSaid: 0,
      unplaced: [],
      problems: [],
    };
    await run(plan, result);
    results.push(result);
    console.log(JSON.stringify(result));
  }
} finally {
  storm.stop();
}
const sum = (key) => results.reduce((total, one) => total + one[key], 0);
const problems = results.flatMap((one) => one.problems);
const verdict = `${sum('kills')} kills (seed ${seed}): ${sum('endedAsSaid')} programs ended with their debugger, as their breakpoints had said; ${problems.length} programs harmed`;
if (named.length === 0)
  recordRows(
    'debuggerKills',
    verdict,
    results.map((one) => ({
      ...one,
      unplaced: one.unplaced.length,
      problems: one.problems.join('; ') || 'none',
    })),
  );
console.log(verdict);
storm.close();
process.exitCode = problems.length > 0 ? 1 : 0;
