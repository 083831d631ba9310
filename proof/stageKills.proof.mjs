/*
 * Rounds in which one part of a session with a stage is killed (kill -9) while its window is read and used: the stage, its
 * display, its bus, its accessibility bus, the supervisor, the standby, the daemon, the program. Then the program is
 * ended, and nothing of the session may be left: no process, socket or file. KILL_ROUNDS and KILL_SEED choose how many
 * and which.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { buildPanel } from '../bench/support/gtk.mjs';
import { root } from '../bench/support/record.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { kill, openStorm, pause, StormClient, until } from './support/storm.mjs';

const parts = {
  stage: /dist\/stage/,
  display: /^\S*Xvfb /,
  'window manager': /^\S*openbox /,
  'session bus': /^\S*dbus-daemon (?!.*accessibility)/,
  'accessibility bus': /at-spi-bus-launcher|at-spi2-registryd|accessibility\.conf/,
  supervisor: /dist\/supervisor/,
  standby: /^strobe-standby/,
  daemon: /dist\/daemon\.js/,
  program: /\/panel$/,
};
const rounds = Number(process.env.KILL_ROUNDS ?? 108);
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
const panel = buildPanel();
const storm = openStorm();
storm.env.PATH = `${join(root, '.cache', 'stage')}${delimiter}${process.env.PATH}`;

/** What is neither the daemon nor what it keeps ready for the next session. */
function ofSession() {
  return storm
    .processes()
    .filter(({ environment, command }) => isOfStage(environment, command) || isHolder(command));
}

function isOfStage(environment, command) {
  return (
    environment.some((one) => one.startsWith('XAUTHORITY=') && one.includes(storm.path)) ||
    /Xvfb|openbox|dbus-daemon|at-spi|dist\/stage/.test(command)
  );
}

function isHolder(command) {
  return parts.supervisor.test(command) || /^strobe-(standby|supervisor)/.test(command);
}

/** Files outside the session's folder that tell of its display. */
function marksOf(sessionId) {
  const file = join(storm.path, 'sessions', sessionId, 'stage.json');
  const number = JSON.parse(readFileSync(file, 'utf8')).display.slice(1);
  return [`/tmp/.X11-unix/X${number}`, `/tmp/.X${number}-lock`];
}

async function round(name, result) {
  const client = await StormClient.start(storm);
  const launched = await client.call('debug_launch', {
    command: panel,
    projectRoot: storm.project,
    ui: true,
  });
  const sessionId = launched.answer?.sessionId;
  if (sessionId === undefined) return `not launched: ${launched.text}`;
  const marks = marksOf(sessionId);
  const first = await client.call('debug_ui', { action: 'tree', sessionId });
  if (first.isError) return `not read: ${first.text}`;
  const pids = storm.pidsOf(parts[name]);
  const [pid] = pids;
  if (pid === undefined)
    return `no ${name} among ${storm
      .processes()
      .map(({ command }) => command)
      .join(' | ')}`;
  const using = client.call('debug_ui', { action: 'click', sessionId, id: 'btn_play' });
  await pause(random() * 150);
  kill(pids[Math.floor(random() * pids.length)]);
  result.kills++;
  await Promise.race([using, pause(5000)]);
  for (const program of storm.pidsOf(parts.program)) kill(program);
  const isClean = () => ofSession().length === 0 && !marks.some((one) => existsSync(one));
  if (await until(isClean, 15_000)) {
    await client.close();
    return null;
  }
  const left = [
    ...ofSession().map((one) => `${one.pid} ${one.command}`),
    ...marks.filter((one) => existsSync(one)),
  ];
  for (const one of ofSession()) kill(one.pid);
  await client.close();
  return `left after ${name}: ${left.join(' | ')}`;
}

const results = Object.keys(parts).map((part) => ({ part, kills: 0, problems: [] }));
try {
  for (let number = 0; number < rounds; number++) {
    const result = results[number % results.length];
    const problem = await round(result.part, result);
    if (problem !== null) {
      result.problems.push(problem);
      console.log(problem);
    }
  }
} finally {
  storm.stop();
}
const left = await storm.leftovers(new Set());
const problems = [...results.flatMap((one) => one.problems), ...left];
const kills = results.reduce((sum, one) => sum + one.kills, 0);
const verdict = `${kills} kills of ${results.length} parts (seed ${seed}): ${problems.length} times something was left.`;
recordRows(
  'stageKills',
  verdict,
  results.map((one) => ({ ...one, problems: one.problems.join('; ') || 'none' })),
);
console.log(verdict, left.join('; '));
storm.close();
process.exitCode = problems.length > 0 ? 1 : 0;
