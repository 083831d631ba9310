/*
 * Rounds of a busy traced session in which one process is killed, or one thread of the daemon hangs,
 * at a random moment. After each round: nothing is left behind, the program ended or runs on as its
 * launch says and with its true status, the next launch works, and a new daemon still has all
 * that was committed. STORM_ROUNDS and STORM_SEED choose how many and which, STORM_LAUNCHING the
 * share that is struck while launching (0.15); arguments choose kinds.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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

const kinds = ['client', 'proxy', 'daemon', 'host', 'supervisor', 'index', 'query', 'target'];
const named = process.argv.slice(2).filter((word) => kinds.includes(word));
const chosen = named.length > 0 ? named : kinds;
const rounds = Number(process.env.STORM_ROUNDS ?? 200);
const seed = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000);
const launchingShare = Number(process.env.STORM_LAUNCHING ?? 0.15);

const busy = buildProgram('busy', ['proof/targets/busy.cpp']);
const holder = buildProgram('holdThread', ['tests/targets/e2e/holdThread.c']);
const storm = openStorm();

/** What one round is: all chances are taken here. */
function planned(number, random) {
  return {
    number,
    kind: chosen[number % chosen.length],
    onClientExit: ['stop', 'keep', 'detach'][Math.floor(random() * 3)],
    whileLaunching: random() < launchingShare,
    afterMs: Math.floor(random() * 1500),
    hangMs: 300 + Math.floor(random() * 2500),
    patterns: random() < 0.9 ? ['busy::**'] : [],
  };
}

class Round {
  problems = [];
  committed = { events: 0, lines: 0 };
  sessionId = null;
  pid = null;
  #asking = true;

  constructor(plan, client) {
    this.plan = plan;
    this.client = client;
    this.told = join(storm.project, `told-${plan.number}`);
  }

  #wrong(what) {
    this.problems.push(what);
  }

  /** Asks all the time, as a busy client does, and remembers what was answered as stored. */
  async #ask() {
    while (this.#asking) {
      if (this.sessionId !== null) {
        const { isError, answer } = await this.client.call('debug_session', {
          action: 'status',
          sessionId: this.sessionId,
        });
        if (!isError) {
          this.committed.events = Math.max(this.committed.events, answer.counters.stored);
          const shown = answer.output?.at(-1)?.text ?? '';
          const line = /^line (\d+) of/.exec(shown)?.[1];
          this.committed.lines = Math.max(this.committed.lines, Number(line ?? 0));
        }
      }
      await pause(30);
    }
  }

  async run() {
    const { onClientExit, patterns, whileLaunching, afterMs } = this.plan;
    const launching = this.client
      .call('debug_launch', {
        command: busy,
        args: [this.told],
        projectRoot: storm.project,
        patterns,
        onClientExit,
      })
      .then((launched) => {
        if (launched.isError) return launched;
        this.sessionId = launched.answer.sessionId;
        this.pid = launched.answer.pid;
        return launched;
      });
    if (!whileLaunching) {
      const launched = await launching;
      if (launched.isError) {
        this.#wrong(`the launch failed: ${launched.text.slice(0, 300)}`);
        return;
      }
    }
    const asking = this.#ask();
    await pause(afterMs);
    const struck = await this.#strike();
    if (!struck) this.#wrong(`there was no ${this.plan.kind} to strike`);
    this.#asking = false;
    await asking;
    await launching;
    await this.#look();
  }

  /** Kills, or holds still for a while; false when there was nothing of the kind. */
  async #strike() {
    const { kind, hangMs } = this.plan;
    const found = () => this.#victims(kind);
    if (!(await until(() => found().length > 0, 15_000))) return false;
    if (kind === 'index' || kind === 'query') {
      await Promise.all(found().map((tid) => holdThread(holder, tid, hangMs)));
      return true;
    }
    for (const pid of found()) kill(pid);
    return true;
  }

  #victims(kind) {
    switch (kind) {
      case 'client':
        return [this.client.pid];
      case 'proxy':
        return [this.client.proxy];
      case 'daemon':
        return storm.pidsOf(/dist\/daemon\.js/);
      case 'host':
        return storm.pidsOf(/sidecar/);
      case 'supervisor':
        return storm.pidsOf(/dist\/supervisor/);
      case 'target':
        return storm
          .processes()
          .filter(({ command }) => command.startsWith(busy))
          .map(({ pid }) => pid);
      default:
        return storm.threads(`strobe-${kind}`);
    }
  }

  /** Whoever looks at what became of it: the client itself, or another when it is gone. */
  async #observer() {
    const { kind } = this.plan;
    if (kind !== 'client' && kind !== 'proxy') return this.client;
    await this.client.close();
    this.client = await StormClient.start(storm);
    return this.client;
  }

  async #look() {
    const observer = await this.#observer();
    await this.#findSession(observer);
    if (this.sessionId === null) {
      const ended = await until(() => this.#victims('target').length === 0, 15_000);
      if (!ended) this.#wrong('a program runs that belongs to no session');
      return;
    }
    await this.#checkState(observer);
    await this.#end(observer);
  }

  /** A launch that was cut short may have left a session or nothing. */
  async #findSession(observer) {
    const list = { action: 'list', scope: 'all' };
    const first = await observer.call('debug_session', list);
    // A request that met the death of the daemon is answered with an error once.
    const { answer } = first.isError ? await observer.call('debug_session', list) : first;
    const mine = answer?.sessions.find(({ command }) => command.includes(this.told));
    this.sessionId ??= mine?.sessionId ?? null;
    this.pid ??= mine?.pid ?? null;
    if (this.sessionId !== null && !mine) this.#wrong('the session is not listed any more');
  }

  async #stateOf(observer) {
    const { isError, text, answer } = await observer.call('debug_session', {
      action: 'status',
      sessionId: this.sessionId,
    });
    if (isError) return { state: `error ${text.slice(0, 200)}`, exit: null, text };
    return { state: answer.session.state, exit: answer.session.exit, text };
  }

  async #checkState(observer) {
    const expected = this.#expectedStates();
    let last = null;
    const reached = await until(async () => {
      last = await this.#stateOf(observer);
      return expected.includes(last.state);
    }, 20_000);
    if (!reached) this.#wrong(`state ${last.state}, not ${expected.join(' or ')}`);
    if (this.plan.kind === 'target' && last.state === 'ended' && last.exit?.signal !== 'SIGKILL')
      this.#wrong(`the killed program's exit is told as ${JSON.stringify(last.exit)}`);
  }

  #expectedStates() {
    const { kind, onClientExit } = this.plan;
    if (kind === 'target') return this.plan.whileLaunching ? ['ended', 'failed'] : ['ended'];
    if (kind !== 'client' && kind !== 'proxy') return ['running'];
    return { stop: ['ended'], keep: ['running'], detach: ['released'] }[onClientExit];
  }

  /** Ends what still runs by TERM: it must tell its own end, and we the same. */
  async #end(observer) {
    const { kind } = this.plan;
    const before = await this.#stateOf(observer);
    const ranOn = this.pid !== null && isAlive(this.pid);
    if (kind === 'target') return;
    if (before.state === 'running' || before.state === 'released') {
      if (!ranOn) this.#wrong(`told as ${before.state}, but the program has ended`);
      const stopped = await observer.call('debug_session', {
        action: 'stop',
        sessionId: this.sessionId,
        takeOver: true,
        graceMs: 10_000,
      });
      if (stopped.isError) this.#wrong(`stop: ${stopped.text.slice(0, 300)}`);
    }
    if (!(await until(() => this.pid === null || !isAlive(this.pid), 10_000)))
      this.#wrong('the program did not end');
    const after = await this.#stateOf(observer);
    const says = existsSync(this.told) ? readFileSync(this.told, 'utf8').trim() : null;
    const { whileLaunching } = this.plan;
    if (whileLaunching && says === null && after.exit?.signal === 'SIGTERM') return; // it had no handler yet
    if (says !== `ended with 7 as ${this.pid}`) this.#wrong(`the program tells its end as ${says}`);
    if (before.state !== 'released' && !(after.exit?.kind === 'exited' && after.exit.code === 7))
      this.#wrong(`its exit is told as ${JSON.stringify(after.exit)} (${after.state})`);
  }

  /** Through another daemon: all that was answered as stored is there. */
  async checkCommitted(observer) {
    if (this.sessionId === null) return;
    const { sessionId } = this;
    const stats = await observer.call('debug_query', { view: 'stats', sessionId });
    if (stats.isError) {
      this.#wrong(`query: ${stats.text.slice(0, 300)}`);
      return;
    }
    const { seen, stored, lost, sampled } = stats.answer.counters;
    if (stored < this.committed.events)
      this.#wrong(`${this.committed.events} events were stored, ${stored} are`);
    if (seen !== stored + lost + sampled)
      this.#wrong(`seen ${seen} is not stored ${stored} + lost ${lost} + sampled ${sampled}`);
    await this.#checkOutput(observer);
  }

  /** Lines are numbered: what is there must begin with 1 and have no hole. */
  async #checkOutput(observer) {
    const { sessionId } = this;
    const page = await observer.call('debug_query', { view: 'output', sessionId, tail: 5 });
    const lines = page.answer?.lines ?? [];
    const last = Number(/^line (\d+) of/.exec(lines.at(-1)?.text ?? '')?.[1] ?? 0);
    const total = Number(page.answer?.totalCount ?? 0);
    if (last < this.committed.lines)
      this.#wrong(`line ${this.committed.lines} was stored, the last is ${last}`);
    if (total !== last) this.#wrong(`${total} lines, but the last is number ${last}`);
  }
}

/** What is known so far: a storm that is stopped by hand keeps its results. */
function told() {
  const broken = all.filter(({ problems }) => problems.length > 0);
  const rows = chosen.map((kind) => {
    const mine = all.filter(({ plan }) => plan.kind === kind);
    const bad = mine.filter(({ problems }) => problems.length > 0);
    return {
      struck: kind,
      rounds: mine.length,
      sound: mine.length - bad.length,
      'while launching': mine.filter(({ plan }) => plan.whileLaunching).length,
      'events committed before': mine.reduce((sum, { committed }) => sum + committed.events, 0),
      note: bad
        .map(({ plan, problems }) => `round ${plan.number}: ${problems.join('; ')}`)
        .join(' · '),
    };
  });
  const verdict = `seed ${seed}: ${all.length - broken.length} of ${all.length} rounds sound`;
  if (named.length === 0) recordRows('killStorm', verdict, rows);
  return broken.length;
}

const random = randomOf(seed);
const all = [];
const sessions = new Set();
console.log(`seed ${seed}, ${rounds} rounds of ${chosen.join(', ')}`);
try {
  for (let number = 0; number < rounds; number++) {
    const plan = planned(number, random);
    const began = performance.now();
    const round = new Round(plan, await StormClient.start(storm));
    await round.run();
    if (round.sessionId !== null) sessions.add(round.sessionId);
    await round.client.close();
    storm.stop();
    const left = await storm.leftovers(sessions);
    round.problems.push(...left.map((what) => `left: ${what}`));
    const observer = await StormClient.start(storm);
    await round.checkCommitted(observer);
    await observer.close();
    rmSync(round.told, { force: true });
    all.push(round);
    told();
    const { kind, onClientExit, afterMs, whileLaunching } = plan;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const when = `${afterMs} ms ${whileLaunching ? 'into the launch' : 'after the launch'}`;
    const outcome = round.problems.length === 0 ? 'sound' : 'BROKEN';
    console.log(
      `${String(number).padStart(3)} ${outcome.padEnd(6)} ${kind} (${onClientExit}), ${when}: ${round.committed.events} events committed, ${seconds} s`,
    );
    for (const problem of round.problems) console.log(`           ${problem}`);
  }
  storm.stop();
} finally {
  for (const { pid } of storm.processes()) kill(pid);
  storm.close();
}
const broken = told();
console.log(`${all.length} rounds, ${broken} not sound (seed ${seed})`);
if (broken > 0) process.exitCode = 1;
