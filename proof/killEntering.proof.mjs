/*
 * Rounds in which one process is killed (kill -9) at a random moment while a program is entered: at its launch, at the
 * exec of a child, or while it runs and is attached to. Who is killed: the program itself, the hosts of Frida, the
 * supervisor, or the daemon. After each round the program has done what it does untraced, with the same exit
 * status, and none of its processes is left, stopped or as a zombie. ENTER_ROUNDS and ENTER_SEED choose how many and
 * which; arguments choose kinds, like child/host.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../bench/support/build.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { kill, openStorm, pause, StormClient, until } from './support/storm.mjs';

const kinds = [
  'child/target',
  'child/host',
  'child/supervisor',
  'child/daemon',
  'launch/target',
  'launch/host',
  'launch/supervisor',
  'launch/daemon',
  'attach/target',
  'attach/host',
  'attach/daemon',
];
const named = process.argv.slice(2).filter((word) => kinds.includes(word));
const chosen = named.length > 0 ? named : kinds;
const rounds = Number(process.env.ENTER_ROUNDS ?? 500);
const seed = Number(process.env.ENTER_SEED ?? Date.now() % 1_000_000);
/** An entering takes some 100 ms here; on a busy machine several times as much. */
const windowMs = Number(process.env.ENTER_WINDOW ?? 400);
const END_MS = 90_000;
const STATE_MS = 5000;

const entered = buildProgram('entered', ['proof/targets/entered.c']);
const storm = openStorm();
const told = join(storm.project, 'told');
const launch = { command: entered, args: [told], projectRoot: storm.project, patterns: ['worked'] };

/** Fields of /proc/PID/stat from the state on; null: it is gone. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function strike(victim, target) {
  if (victim === 'target') kill(target);
  const daemon = storm.daemon();
  if (victim === 'daemon' && daemon !== null) kill(daemon);
  // Of a target that has ended there is no parent, and 0 would be this group.
  const [, parent] = statOf(target) ?? [];
  if (victim === 'supervisor' && Number(parent) > 1) kill(Number(parent));
  // Not what they forked to put programs back.
  const hosts = victim === 'host' ? storm.pidsOf(/sidecar\.py/) : [];
  for (const pid of hosts) if (Number(statOf(pid)?.[1]) === daemon) kill(pid);
}

/** What the program wrote; null: nothing yet. */
function lines() {
  return existsSync(told) ? readFileSync(told, 'utf8').trimEnd().split('\n') : [];
}

async function endOf(pids, problems) {
  const isOver = () => [...pids].every((pid) => statOf(pid) === null);
  if (await until(isOver, END_MS)) return;
  for (const pid of pids) {
    const [state, parent] = statOf(pid) ?? [];
    if (state !== undefined) problems.push(`${pid} is left, ${state}, child of ${parent}`);
    kill(pid);
  }
}

function compare(expected, problems) {
  const got = lines().join(', ');
  if (got !== expected.join(', ')) problems.push(`it told "${got}", not "${expected.join(', ')}"`);
}

const alone = ['exited 3', 'exited 3', 'end 0'];

/** At the exec of its first child. */
async function atChild(client, victim, afterMs, problems) {
  const { isError, text, answer } = await client.call('debug_launch', {
    ...launch,
    onClientExit: 'keep',
  });
  if (isError) throw new Error(text.slice(0, 200));
  const { pid } = answer;
  const pids = new Set([pid]);
  writeFileSync(`${told}.go`, '');
  while (childrenOf(pid).length === 0 && statOf(pid) !== null) await pause(1);
  const [child] = childrenOf(pid);
  if (child !== undefined) pids.add(child);
  await pause(afterMs);
  strike(victim, victim === 'target' ? child : pid);
  await endOf(pids, problems);
  const hit = victim === 'target' && lines()[0] === 'signal 9';
  compare(hit ? ['signal 9', ...alone.slice(1)] : alone, problems);
  return answer.sessionId;
}

/** While it is launched. */
async function atLaunch(client, victim, afterMs, problems) {
  writeFileSync(`${told}.go`, '');
  const launched = client.call('debug_launch', { ...launch, onClientExit: 'keep' });
  let pid = null;
  const found = () => {
    const processes = storm.processes();
    pid = processes.find(({ command }) => command === `${entered} ${told}`)?.pid ?? null;
    return pid !== null;
  };
  while (!found()) await pause(2);
  await pause(afterMs);
  strike(victim, pid);
  const { answer } = await launched;
  await endOf(new Set([pid]), problems);
  if (victim !== 'target') compare(alone, problems);
  return answer?.sessionId ?? null;
}

/** While it runs. */
async function atAttach(client, victim, afterMs, problems) {
  const program = spawn(entered, ['-'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(program, 'exit');
  const request = { pid: program.pid, projectRoot: storm.project, patterns: ['worked'] };
  const attached = client.call('debug_launch', request);
  await pause(afterMs);
  strike(victim, program.pid);
  const { answer } = await attached;
  if (victim === 'target') {
    await ended;
    return answer?.sessionId ?? null;
  }
  // What was held at the kill is let go as soon as its holder has ended.
  const state = () => statOf(program.pid)?.[0] ?? 'gone';
  if (!(await until(() => /[RS]/.test(state()), STATE_MS)))
    problems.push(`its state is ${state()}`);
  program.stdin.on('error', () => undefined);
  program.stdin.end('\n');
  const late = pause(END_MS).then(() => ['late']);
  const [code, signal] = await Promise.race([ended, late]);
  if (code !== 3) problems.push(`it ended with ${code} ${signal ?? ''}`);
  kill(program.pid);
  return answer?.sessionId ?? null;
}

const ways = { child: atChild, launch: atLaunch, attach: atAttach };

async function round(client, kind, afterMs) {
  const [way, victim] = kind.split('/');
  const problems = [];
  rmSync(told, { force: true });
  rmSync(`${told}.go`, { force: true });
  const sessionId = await ways[way](client, victim, afterMs, problems);
  if (sessionId !== null) await client.call('debug_session', { action: 'stop', sessionId });
  return problems;
}

const random = randomOf(seed);
const all = [];

function recorded() {
  const rows = chosen.map((kind) => {
    const mine = all.filter((one) => one.kind === kind);
    return {
      'entered/killed': kind,
      rounds: mine.length,
      sound: mine.filter(({ problems }) => problems.length === 0).length,
      note: mine.flatMap(({ problems }) => problems).join(' · '),
    };
  });
  const broken = all.filter(({ problems }) => problems.length > 0).length;
  const verdict = `seed ${seed}: ${all.length - broken} of ${all.length} rounds sound`;
  if (named.length === 0) recordRows('killEntering', verdict, rows);
  return broken;
}

console.log(`seed ${seed}, ${rounds} rounds`);
const client = await StormClient.start(storm);
try {
  for (let number = 0; number < rounds; number++) {
    const kind = chosen[number % chosen.length];
    const afterMs = Math.floor(random() * windowMs);
    const problems = await round(client, kind, afterMs).catch((error) => [String(error)]);
    all.push({ kind, problems });
    recorded();
    const verdict = problems.length === 0 ? 'sound' : 'BROKEN';
    console.log(`${String(number).padStart(3)} ${verdict} ${kind} after ${afterMs} ms`);
    for (const problem of problems) console.log(`           ${problem}`);
  }
  await client.close();
  storm.stop();
} finally {
  for (const { pid } of storm.processes()) kill(pid);
  storm.close();
}
if (recorded() > 0) process.exitCode = 1;
