/*
 * Breakpoints that record in Node, beside Node's debugger stopped at the same places: the same lines in the same order,
 * and the same values of the same locals. `node proof/nodeInside.proof.mjs 24 5` tries one version with another seed.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { randomOf } from './support/random.mjs';

const folder = join(root, 'proof', 'targets', 'node');
const script = join(folder, 'inside.mjs');
const rounds = '3';
const places = 24;
const unset = Symbol('not there');

/** Lines that begin a statement inside a function. */
function statementLines() {
  return readFileSync(script, 'utf8')
    .split('\n')
    .flatMap((text, i) =>
      /^ +(?:const|let|return|if|for|while|yield|await|continue|throw|[\w.[\] +]+(?:=|\+=|\+\+|--|\()).*[;{]$/.test(
        text,
      ) && !/^ {2}(?:balance|history|deposit)/.test(text)
        ? [i + 1]
        : [],
    );
}

/** Each hit as the product tells it. */
async function recorded(product, command, lines) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    args: [script],
    projectRoot: folder,
    stdin: 'open',
    waitFor: 'output',
  });
  const { breakpoints } = await product.call('debug_breakpoint', {
    sessionId,
    add: lines.map((line) => ({ file: script, line, capture: { locals: true } })),
  });
  const moved = breakpoints.filter((one) => one.state !== 'bound' || one.moved !== null);
  if (moved.length > 0) throw new Error(JSON.stringify(moved));
  await product.call('debug_session', {
    action: 'input',
    sessionId,
    text: `${rounds}\n`,
    eof: true,
  });
  await product.waitForExit(sessionId);
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
      hits.push({ line: Number(functionName.split(':').at(-1)), values });
    cursor = answer.nextCursor ?? answer.cursor;
    if (!answer.hasMore || !cursor) return hits;
  }
}

/** Each stop of Node's debugger, with the values of these names. */
async function stopped(command, lines, namesAt) {
  const child = spawn(command, ['--inspect-brk=127.0.0.1:0', script], { stdio: 'pipe' });
  const url = await new Promise((resolve) => {
    let text = '';
    child.stderr.on('data', (bytes) => {
      text += String(bytes);
      const [found] = /ws:\S+/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.once('open', resolve));
  const waiting = new Map();
  let id = 0;
  const post = async (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  const hits = [];
  const atStop = async ({ callFrames: [frame], hitBreakpoints = [] }) => {
    const line = frame.location.lineNumber + 1;
    if (hitBreakpoints.length > 0) {
      const values = {};
      for (const name of namesAt(line)) {
        const { result } = await post('Debugger.evaluateOnCallFrame', {
          callFrameId: frame.callFrameId,
          expression: `JSON.stringify([typeof ${name} === 'function' ? \`<function \${${name}.name}>\` : ${name}])`,
        });
        values[name] = result.exceptionDetails ? unset : JSON.parse(result.result.value)[0];
      }
      hits.push({ line, values });
    }
    await post('Debugger.resume');
  };
  const ended = new Promise((resolve) => child.once('exit', resolve));
  socket.on('message', (bytes) => {
    const message = JSON.parse(new TextDecoder().decode(bytes));
    if (message.method === 'Debugger.paused') void atStop(message.params);
    else if (message.method === 'Runtime.executionContextDestroyed') socket.close();
    else waiting.get(message.id)?.(message);
  });
  await post('Runtime.enable');
  await post('Debugger.enable');
  for (const line of lines)
    await post('Debugger.setBreakpointByUrl', {
      url: `file://${script}`,
      lineNumber: line - 1,
      columnNumber: 0,
    });
  child.stdin.end(`${rounds}\n`);
  await post('Runtime.runIfWaitingForDebugger');
  await ended;
  return hits;
}

/** As JSON has it: what the product marks is no part of it. */
function plain(value) {
  if (value === '<unset>') return unset;
  if (value === 'undefined' || value === undefined || value === 'NaN') return null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

async function tried(major, seed) {
  const command = join(root, '.cache/nodes/node_modules', `node${major}`, 'bin/node');
  const random = randomOf(seed);
  const lines = statementLines()
    .map((line) => ({ line, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, places)
    .map(({ line }) => line);
  const home = openHome();
  const product = await Product.start(home);
  try {
    const ours = await recorded(product, command, lines);
    const names = new Map(ours.map(({ line, values }) => [line, Object.keys(values)]));
    const theirs = await stopped(command, lines, (line) => names.get(line) ?? []);
    let values = 0;
    let absent = 0;
    const wrong = [];
    for (const [i, one] of theirs.entries()) {
      const own = ours[i];
      if (own?.line !== one.line) {
        wrong.push(`hit ${i}: line ${own?.line} for ${one.line}`);
        break;
      }
      for (const [name, theirValue] of Object.entries(one.values)) {
        const ownValue = plain(own.values[name]);
        if (ownValue === unset || theirValue === unset) absent++;
        else if (isDeepStrictEqual(ownValue, plain(theirValue))) values++;
        else
          wrong.push(
            `line ${one.line} ${name}: ${JSON.stringify(own.values[name])} for ${JSON.stringify(theirValue)}`,
          );
      }
    }
    if (ours.length !== theirs.length) wrong.push(`${ours.length} hits for ${theirs.length}`);
    return { hits: theirs.length, lines: lines.length, values, absent, wrong };
  } finally {
    await product.close();
    home.close();
  }
}

const [only, seed = '1'] = process.argv.slice(2);
const rows = [];
let failures = 0;
for (const major of only ? [only] : ['20', '24']) {
  const { hits, lines, values, absent, wrong } = await tried(major, Number(seed));
  failures += wrong.length;
  for (const one of wrong.slice(0, 10)) console.log(one);
  console.log(
    `Node ${major}: ${hits} hits at ${lines} random lines; ${values} values equal to the debugger's, ${absent} not there in one of them, ${wrong.length} different`,
  );
  rows.push({ name: `Node ${major}`, hits, lines, values, absent, different: wrong.length });
}
const verdict = `${rows.reduce((sum, { hits }) => sum + hits, 0)} hits at random lines are those of Node's debugger stopped there, ${rows.reduce((sum, { values }) => sum + values, 0)} values equal, ${failures} different`;
console.log(verdict);
recordRows('nodeInside', verdict, rows);
if (failures > 0) process.exitCode = 1;
