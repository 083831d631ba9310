/*
 * Breakpoints that record in Node, beside Node's debugger stopped at the same places: the same lines in the same order,
 * and the same values of the same locals. `node proof/nodeInside.proof.mjs 24 5` tries one version with another seed.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { compared, proveBeside, recorded, someOf, unset } from './support/besideDebugger.mjs';

const folder = join(root, 'proof', 'targets', 'node');
const script = join(folder, 'inside.mjs');
const rounds = '7';
const places = 32;

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
  if (value === '<unset>' || value === '<getter>') return unset;
  if (value === 'undefined' || value === undefined || value === 'NaN') return null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

async function tried(major, seed) {
  const command = join(root, '.cache/nodes/node_modules', `node${major}`, 'bin/node');
  const lines = someOf(statementLines(), places, seed);
  const home = openHome();
  const product = await Product.start(home);
  try {
    const { hits: ours } = await recorded(
      product,
      { command, args: [script], projectRoot: folder, rounds },
      lines.map((line) => ({ file: script, line, capture: { locals: true } })),
    );
    const names = new Map(ours.map(({ line, values }) => [Number(line), Object.keys(values)]));
    const theirs = await stopped(command, lines, (line) => names.get(line) ?? []);
    return { lines: lines.length, ...compared(ours, theirs, plain) };
  } finally {
    await product.close();
    home.close();
  }
}

const [only, seed = '1'] = process.argv.slice(2);
const majors = only ? [only] : ['20', '24'];
await proveBeside(
  'nodeInside',
  'Node',
  majors.map((major) => ({ name: `Node ${major}`, tried: () => tried(major, Number(seed)) })),
);
