/* Steps of other debuggers, as their own clients ask for them: the step, then stack and variables of the newest frame. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { median } from './numbers.mjs';

/** Of an adapter that speaks the Debug Adapter Protocol. `launch`: arguments of that request. Answers ms. */
export async function dapStep({ command, listens = false, launch }, { path, line }, steps) {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const socket = listens ? await listening(child) : null;
    const dap = new Dap(socket ?? child.stdout, socket ?? child.stdin);
    await dap.ask('initialize', { adapterID: 'bench', linesStartAt1: true, pathFormat: 'path' });
    const isReady = dap.event('initialized');
    const launched = dap.ask('launch', launch);
    await isReady;
    await dap.ask('setBreakpoints', { source: { path }, breakpoints: [{ line }] });
    let stopped = dap.event('stopped');
    await dap.ask('configurationDone', {});
    await launched;
    const took = [];
    for (let i = 0; i < steps; i++) {
      const { threadId } = await stopped;
      const began = performance.now();
      stopped = dap.event('stopped');
      // The next stop is that of the step.
      await dap.ask(i % 4 === 0 && i > 0 ? 'continue' : 'next', { threadId });
      await stopped;
      const { stackFrames } = await dap.ask('stackTrace', { threadId, levels: 20 });
      const { scopes } = await dap.ask('scopes', { frameId: stackFrames[0].id });
      for (const { name, variablesReference } of scopes)
        if (/^(?:locals|arguments)/i.test(name)) await dap.ask('variables', { variablesReference });
      if (i % 4 !== 0) took.push(performance.now() - began);
    }
    return median(took);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Of Node by its inspector. */
export async function inspectorStep(script, line, steps) {
  const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const socket = await inspectorOf(child);
    const waiting = new Map();
    let number = 0;
    let onPaused = () => undefined;
    const call = async (method, params = {}) =>
      new Promise((resolve) => {
        waiting.set(++number, resolve);
        socket.send(JSON.stringify({ id: number, method, params }));
      });
    const paused = async () => new Promise((resolve) => (onPaused = resolve));
    socket.on('message', (text) => {
      const { id, result, method, params } = JSON.parse(text);
      if (method === 'Debugger.paused') onPaused(params);
      else waiting.get(id)?.(result);
    });
    await call('Debugger.enable');
    const asked = { urlRegex: '.*/rounds\\.cjs$', lineNumber: line - 1 };
    await call('Debugger.setBreakpointByUrl', asked);
    const begins = paused();
    await call('Runtime.runIfWaitingForDebugger');
    await begins;
    const took = [];
    for (let i = 0; i < steps; i++) {
      const began = performance.now();
      const stop = paused();
      await call(i % 4 === 0 ? 'Debugger.resume' : 'Debugger.stepOver');
      const { callFrames } = await stop;
      for (const { type, object } of callFrames[0].scopeChain)
        if (type === 'local') await call('Runtime.getProperties', { objectId: object.objectId });
      if (i % 4 !== 0) took.push(performance.now() - began);
    }
    return median(took);
  } finally {
    child.kill('SIGKILL');
  }
}

async function inspectorOf(child) {
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /ws:\/\/\S+/.exec(line)?.[0];
    if (!url) continue;
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return socket;
  }
  throw new Error('node says no address of its inspector');
}

async function listening(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening at: \S+:(\d+)/.exec(line)?.[1];
    if (!port) continue;
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }
  throw new Error('the adapter does not listen');
}

class Dap {
  #output;
  #seq = 0;
  #answers = new Map();
  #events = new Map();
  #rest = Buffer.alloc(0);

  constructor(input, output) {
    this.#output = output;
    input.on('data', (chunk) => this.#take(chunk));
  }

  async ask(command, args) {
    const seq = ++this.#seq;
    const text = JSON.stringify({ seq, type: 'request', command, arguments: args });
    this.#output.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const { success, message, body } = await new Promise((done) => this.#answers.set(seq, done));
    if (!success) throw new Error(`${command}: ${message}`);
    return body;
  }

  /** The next of this name that was not waited for yet: it may come in one chunk with an answer. */
  async event(name) {
    const { come, waiting } = this.#kept(name);
    return come.length > 0 ? come.shift() : new Promise((done) => waiting.push(done));
  }

  #told(name, body) {
    const { come, waiting } = this.#kept(name);
    if (waiting.length > 0) waiting.shift()(body);
    else come.push(body);
  }

  #kept(name) {
    const kept = this.#events.get(name) ?? { come: [], waiting: [] };
    this.#events.set(name, kept);
    return kept;
  }

  #take(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(
        /Content-Length: (\d+)/.exec(this.#rest.toString('latin1', 0, head))[1],
      );
      const end = head + 4 + length;
      if (this.#rest.length < end) return;
      const message = JSON.parse(this.#rest.toString('utf8', head + 4, end));
      this.#rest = this.#rest.subarray(end);
      if (message.type === 'response') this.#answers.get(message.request_seq)?.(message);
      else if (message.type === 'event') this.#told(message.event, message.body);
    }
  }
}
