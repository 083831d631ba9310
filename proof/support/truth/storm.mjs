/*
 * Random verbs on one session, and after each a comparison of what the answers said with what the kernel and
 * the program itself say. The same seed chooses the same verbs; which threads meet them is up to the machine.
 */
import { join } from 'node:path';
import { isAlive, kill, pause, until } from '../storm.mjs';
import { numberIn, registerDifferences, stackDifferences, stopDifferences } from './checks.mjs';
import { stateOf, threadsOf, tracerOf, trapsIn, writeMemory } from './kernel.mjs';
import { isSame, Page } from './page.mjs';
import { randomVerb } from './verbs.mjs';

/** How long what an answer says may be on its way. */
const limitMs = 20_000;
/** Verbs that are shown before a difference. */
const shownVerbs = 12;
const isTraced = process.env.TRUTH_TRACE === '1';

export class TruthStorm {
  differences = [];
  counts = { verbs: 0, refused: 0, stops: 0, compared: 0, programs: 0 };
  #random;
  #language;
  #clients;
  #storm;
  #page;
  #pid;
  #sessionId;
  #program;
  #log = [];
  #labels = 0;
  /** By id what was asked for, also of those that were removed. */
  #breakpoints = new Map();
  #present = new Set();
  #stops = [];
  /** What was set and has to be said by all threads, by the word in which they do. */
  #set = new Map();
  /** Threads that the last answer said to stand still, and what they said then. */
  #standing = new Map();

  /** `clients`: the first of them launches. */
  constructor({ storm, language, clients, random }) {
    this.#storm = storm;
    this.#language = language;
    this.#clients = clients;
    this.#random = random;
  }

  async run(verbs) {
    await this.#launch();
    while (this.counts.verbs < verbs && this.differences.length === 0) {
      await this.#step();
      await this.#agree();
    }
    if (this.differences.length === 0) await this.#renew('end', false);
    // To be looked at.
    if (this.differences.length > 0 && process.env.TRUTH_KEEP === '1')
      console.log(`kept: process ${this.#pid}`);
    else kill(this.#pid);
    this.#page.close();
  }

  async #launch() {
    this.#page?.close();
    this.#page = new Page(join(this.#storm.project, `page-${this.counts.programs++}`));
    this.#program = this.#language.command();
    const { answer, text } = await this.#clients[0].call('debug_launch', {
      command: this.#program,
      args: [...this.#language.args, this.#page.path],
      projectRoot: this.#storm.project,
      onClientExit: 'keep',
    });
    if (!answer?.pid) throw new Error(text);
    this.#begin(answer);
    if (!(await until(() => this.#page.isWhole, limitMs)))
      throw new Error('the program does not begin');
  }

  #begin({ pid, sessionId }) {
    this.#pid = pid;
    this.#sessionId = sessionId;
    this.#breakpoints.clear();
    this.#present.clear();
    this.#stops = [];
    this.#standing.clear();
    this.#set.clear();
  }

  /** One verb, or several at once. */
  async #step() {
    const width = this.#clients.length > 1 && this.#random() < 0.3 ? this.#clients.length : 1;
    const verbs = [];
    for (let i = 0; i < width; i++) {
      const number = Math.floor(this.#random() * this.#clients.length);
      const known = {
        breakpoints: [...this.#present],
        stops: this.#stops.slice(-4),
        threads: [...this.#page.slots().keys()],
      };
      verbs.push({ number, verb: this.#labelled(randomVerb(this.#random, this.#language, known)) });
    }
    this.counts.verbs += width;
    this.#stillStanding();
    const isQuiet = width === 1;
    const single = verbs.find(({ verb }) => verb.tool === undefined);
    if (single) return this.#special(single.verb);
    await Promise.all(verbs.map(async ({ number, verb }) => this.#do(number, verb, isQuiet)));
    if (!isQuiet) await this.#listed();
  }

  /** By its label a client knows its own breakpoint among those of others. */
  #labelled(verb) {
    for (const added of verb.args?.add ?? [])
      if (verb.tool === 'debug_breakpoint') added.label = `label ${this.#labels++}`;
    return verb;
  }

  /** Which of several at once came last, only the list says. */
  async #listed() {
    const asked = { sessionId: this.#sessionId };
    const { isError, answer, text } = await this.#clients[0].call('debug_breakpoint', asked);
    if (isError) return this.#differ(`list of breakpoints: ${text}`);
    this.#present = new Set(answer.breakpoints.map(({ id }) => id));
  }

  async #special({ outside, value, renew }) {
    if (renew) {
      this.#note(`0 renew ${renew}`);
      return this.#renew(renew, true);
    }
    const bytes = Buffer.alloc(outside.bytes);
    if (outside.bytes === 8) bytes.writeBigInt64LE(BigInt(value));
    else bytes.writeInt32LE(value);
    writeMemory(this.#pid, this.#page.knobs + BigInt(outside.at), bytes);
    this.#note(`outside ${outside.name} = ${value}`);
  }

  async #do(number, { tool, args }, isQuiet) {
    const asked = { sessionId: this.#sessionId, ...args };
    if (number > 0 && tool !== 'debug_inspect' && tool !== 'debug_query') asked.takeOver = true;
    const call = `${number} ${tool} ${JSON.stringify(args)}`;
    this.#note(call);
    const { isError, answer, text } = await this.#clients[number].call(tool, asked);
    // The command line answers in JSON, of many lines.
    const shown = text.replaceAll(/\s*\n\s*/g, ' | ').slice(0, 300);
    this.#note(`  ${isError ? 'refused: ' : ''}${shown}`);
    if (isError) {
      this.counts.refused++;
      if (/INTERNAL|TIMED_OUT|gone$/.test(text)) this.#differ(`${call}: ${text}`);
      return;
    }
    this.#learn(tool, args, answer, isQuiet);
    for (const { id } of answer.stops ?? []) this.#learnStop(id);
    this.counts.stops += answer.stops?.length ?? 0;
    if (answer.frames) this.#differ(...stackDifferences(answer.frames, answer.stop.id));
    // While others ask for something else, what an answer says may be over.
    if (isQuiet) this.#compare(tool, args, answer);
    else if (tool === 'debug_memory') this.#set.clear();
  }

  #compare(tool, args, answer) {
    const stops = [...(answer.stops ?? []), ...(answer.stop?.id ? [answer.stop] : [])];
    for (const stop of stops) this.#differ(...stopDifferences(stop, this.#scene));
    if (answer.registers)
      this.#differ(...registerDifferences(answer.registers, answer.stop, this.#pid));
    if (tool === 'debug_memory') this.#memory(args, answer);
  }

  get #scene() {
    return {
      pid: this.#pid,
      language: this.#language,
      slots: this.#page.slots(),
      breakpoints: this.#breakpoints,
    };
  }

  #learn(tool, args, answer, isQuiet) {
    if (tool !== 'debug_breakpoint') return;
    for (const id of args.remove ?? [])
      if (id === 'all') this.#present.clear();
      else this.#present.delete(id);
    const [added] = args.add ?? [];
    if (!added) return;
    const own = answer.breakpoints.find(({ label }) => label === added.label);
    // Others that ask at once may have removed it.
    if (!own && !isQuiet) return;
    if (!own) return this.#differ(`${added.label} is not in the answer that adds it`);
    this.#breakpoints.set(own.id, added);
    this.#present.add(own.id);
  }

  #learnStop(id) {
    if (!this.#stops.includes(id)) this.#stops.push(id);
  }

  /** Values as the memory of the program has them. */
  #memory(args, answer) {
    for (const [i, asked] of args.do.entries()) {
      const told = answer.results[i];
      const knob = this.#language.knobs.find(({ name }) => name === (asked.read ?? asked.write));
      if (told.why !== undefined || !knob) continue;
      if (asked.write && String(told.is) !== String(asked.value))
        this.#differ(`${knob.name} was to be ${asked.value}, said ${told.is}`);
      if (asked.write && knob.word) this.#set.set(knob.word, BigInt(asked.value));
      if (knob.at === undefined) continue;
      const truth = numberIn(this.#pid, this.#page.knobs, knob);
      this.counts.compared++;
      if (String(told.value ?? told.is) !== String(truth))
        this.#differ(`${knob.name} is ${truth}, said ${told.value ?? told.is}`);
    }
  }

  /** What stood still at the last comparison did so until now: no verb was asked meanwhile. */
  #stillStanding() {
    const slots = this.#page.slots();
    for (const [tid, slot] of this.#standing)
      if (!isSame(slot, slots.get(tid)))
        this.#differ(`thread ${tid} was said to stand still, and has run since`);
    this.#standing.clear();
  }

  /** Asks who stands still until the kernel and the program agree; a thread that is said to stand does so at once. */
  async #agree() {
    const end = performance.now() + limitMs;
    let before = this.#page.slots();
    for (;;) {
      const said = await this.#said();
      const slots = this.#page.slots();
      for (const tid of said.standing) {
        const isThere = !this.#language.isNative || stateOf(this.#pid, tid) === 't';
        if (!isThere)
          this.#differ(
            `thread ${tid} is said to stand still, its state is ${stateOf(this.#pid, tid)}`,
          );
      }
      if (said.state === 'running' && said.standing.length > 0)
        this.#differ(`state is "running", and ${said.standing.join()} stand still`);
      if (said.state === 'stopped' && said.standing.length === 0)
        this.#differ('state is "stopped", and no thread stands still');
      if (said.state === 'ended' && isAlive(this.#pid))
        this.#differ('the session is said to have ended');
      if (!isAlive(this.#pid)) this.#differ(`the program has ended: ${await this.#story()}`);
      this.#standing = new Map(
        said.standing.flatMap((tid) => (slots.has(tid) ? [[tid, slots.get(tid)]] : [])),
      );
      if (this.differences.length > 0) return;
      const others = [...slots.keys()].filter(
        (tid) => !said.standing.includes(tid) && !said.led.includes(tid),
      );
      const still = others.filter((tid) => isSame(before.get(tid), slots.get(tid)));
      if (still.length === 0) break;
      if (performance.now() > end)
        return this.#differ(
          `threads ${still.join()} are said to run, and do nothing (state ${still.map((tid) => stateOf(this.#pid, tid)).join()})`,
        );
      await pause(5);
      // Who stands still is asked again, as a breakpoint may be met at any time.
      if (said.standing.length === 0)
        before = new Map([...before].filter(([tid]) => still.includes(tid)));
    }
    this.counts.compared++;
    if (this.#standing.size === 0) await this.#wordsAgree();
    await this.#placesAgree();
  }

  /** Where all run, each thread says what was set. */
  async #wordsAgree() {
    const isSaid = () =>
      [...this.#page.slots().values()].every((slot) =>
        [...this.#set].every(([word, value]) => slot[word] === value),
      );
    const isStopped = async () => (await this.#said()).standing.length > 0;
    const isOver = async () => isSaid() || (await isStopped());
    if (!(await until(isOver, limitMs)))
      this.#differ(`threads do not say what was set: ${[...this.#set].join(' ')}`);
    this.#set = new Map();
  }

  /** Without breakpoints, stops and steps nothing of the debugger is left in the program. */
  async #placesAgree() {
    if (!this.#language.isNative || this.#present.size > 0) return;
    const isFree = async () => {
      const { standing, led } = await this.#said();
      const isBusy = standing.length > 0 || led.length > 0;
      return isBusy || this.#left() === null;
    };
    if (!(await until(isFree, limitMs)))
      this.#differ(this.#left() ?? 'something of the debugger is left');
  }

  #left() {
    const traps = trapsIn(this.#pid, this.#program);
    if (traps.length > 0)
      return `breakpoint instructions are left at ${traps.map((at) => `0x${at.toString(16)}`).join()}`;
    const traced = threadsOf(this.#pid).filter((tid) => tracerOf(this.#pid, tid) > 0);
    return traced.length > 0 ? `threads ${traced.join()} are still traced` : null;
  }

  /** How the program ended, and what it wrote last. */
  async #story() {
    const [client] = this.#clients;
    const asked = { sessionId: this.#sessionId };
    const views = await Promise.all(
      ['crash', 'output'].map(async (view) => client.call('debug_query', { ...asked, view })),
    );
    const status = await client.call('debug_session', { ...asked, action: 'status' });
    return [status, ...views].map(({ text }) => text).join('\n');
  }

  /** Who is said to stand still, and who to step. */
  async #said() {
    const asked = { sessionId: this.#sessionId };
    const [client] = this.#clients;
    const waited = await client.call('debug_continue', { ...asked, action: 'wait', timeoutMs: 0 });
    if (waited.isError)
      return { state: isAlive(this.#pid) ? waited.text : 'ended', standing: [], led: [] };
    for (const stop of waited.answer.stops) {
      this.#learnStop(stop.id);
      this.counts.stops++;
      this.#differ(...stopDifferences(stop, this.#scene));
    }
    const looked = await client.call('debug_inspect', { ...asked, view: 'threads' });
    const standing = looked.isError ? [] : looked.answer.threads.map(({ thread }) => thread);
    const again = await client.call('debug_continue', { ...asked, action: 'wait', timeoutMs: 0 });
    if (looked.isError && !/is stopped|NOT_STOPPED/.test(looked.text)) this.#differ(looked.text);
    for (const stop of again.answer?.stops ?? []) this.#learnStop(stop.id);
    // A thread may have stopped between the two.
    const state = waited.answer.state === again.answer?.state ? waited.answer.state : 'changing';
    return {
      state,
      standing,
      led: [...waited.answer.goals, ...(again.answer?.goals ?? [])].map(({ tid }) => tid),
    };
  }

  /** Another session: of a new program, or of this one. */
  async #renew(how, next) {
    const [client] = this.#clients;
    const asked = { sessionId: this.#sessionId };
    if (how === 'stop') {
      const { isError, text } = await client.call('debug_session', {
        ...asked,
        action: 'stop',
        takeOver: true,
      });
      if (isError || isAlive(this.#pid))
        this.#differ(`stop: the program is ${isAlive(this.#pid) ? 'alive' : 'gone'}: ${text}`);
      return next ? this.#launch() : undefined;
    }
    const { isError, text } = await client.call('debug_session', {
      ...asked,
      action: 'detach',
      takeOver: true,
    });
    if (isError) return this.#differ(`detach: ${text}`);
    const before = this.#page.slots();
    const runs = () =>
      [...this.#page.slots()].every(([tid, slot]) => !isSame(slot, before.get(tid)));
    if (!(await until(runs, limitMs)))
      this.#differ(
        `after detach ${isAlive(this.#pid) ? 'threads do not run on' : 'the program is gone'}`,
      );
    if (this.#language.isNative && !(await until(() => this.#left() === null, limitMs)))
      this.#differ(`after detach ${this.#left()}`);
    if (this.differences.length > 0) return;
    if (how === 'attach') {
      let attached;
      // What was inside leaves when its last thread has left its code.
      const isIn = async () => {
        attached = await client.call('debug_launch', {
          pid: this.#pid,
          projectRoot: this.#storm.project,
          onClientExit: 'keep',
        });
        return !attached.isError;
      };
      if (!(await until(isIn, limitMs))) return this.#differ(`attach: ${attached.text}`);
      const { answer } = attached;
      return this.#begin({ pid: this.#pid, sessionId: answer.sessionId });
    }
    this.#page.end();
    if (!(await until(() => !isAlive(this.#pid), limitMs)))
      this.#differ('the program does not end');
    if (next) await this.#launch();
  }

  #note(text) {
    this.#log.push(text);
    if (isTraced) console.log(text);
  }

  #differ(...texts) {
    for (const text of texts)
      this.differences.push(`${text}\n    ${this.#log.slice(-2 * shownVerbs).join('\n    ')}`);
  }
}
