/* Runs a script under Node's own inspector: at chosen arrivals at chosen lines its stack with the variables of each frame. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';

const limitMs = 120_000;
/** Scopes whose variables are a frame's own. */
const own = new Set(['local', 'block', 'catch']);

export async function inspectorStops(script, { lines, arrivals }) {
  const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    return await stopsOf(await connected(child), script, { lines, arrivals });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

async function connected(child) {
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /ws:\/\/\S+/.exec(line)?.[0];
    if (url) {
      const socket = new WebSocket(url);
      await once(socket, 'open');
      return socket;
    }
  }
  throw new Error('node says no address of its inspector');
}

async function stopsOf(socket, script, { lines, arrivals }) {
  const waiting = new Map();
  let number = 0;
  const call = async (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(++number, resolve);
      socket.send(JSON.stringify({ id: number, method, params }));
    });
  const stops = [];
  const reached = new Map();
  /** Addresses of scripts, by id. */
  const urls = new Map();
  const onPaused = async ({ callFrames, hitBreakpoints = [] }) => {
    const line = callFrames[0].location.lineNumber + 1;
    const arrival = (reached.get(line) ?? 0) + 1;
    if (hitBreakpoints.length > 0) {
      reached.set(line, arrival);
      if (arrivals.includes(arrival))
        stops.push({ line, arrival, frames: await framesOf(call, urls, callFrames) });
    }
    await call('Debugger.resume');
  };
  const over = new Promise((resolve) => {
    socket.on('close', resolve);
    socket.on('message', (data) => {
      const message = JSON.parse(data);
      if (message.id) {
        waiting.get(message.id)(message.result ?? message);
        waiting.delete(message.id);
      } else if (message.method === 'Debugger.scriptParsed')
        urls.set(message.params.scriptId, message.params.url);
      else if (message.method === 'Debugger.paused') void onPaused(message.params);
      else if (message.method === 'Runtime.executionContextDestroyed') resolve();
    });
  });
  await call('Debugger.enable');
  await call('Runtime.enable');
  const url = pathToFileURL(script).href;
  for (const line of lines)
    await call('Debugger.setBreakpointByUrl', { url, lineNumber: line - 1 });
  await call('Runtime.runIfWaitingForDebugger');
  await over;
  socket.terminate();
  return stops;
}

async function framesOf(call, urls, callFrames) {
  const frames = [];
  for (const { functionName, location, scopeChain } of callFrames) {
    const url = urls.get(location.scriptId);
    const variables = {};
    for (const { type, object } of url.startsWith('file:') ? scopeChain : []) {
      if (!own.has(type)) continue;
      const asked = { objectId: object.objectId, ownProperties: true };
      const { result } = await call('Runtime.getProperties', asked);
      for (const { name, value } of result) variables[name] ??= wordOf(value);
    }
    const [name, line] = [functionName || '(anonymous)', location.lineNumber + 1];
    frames.push({ function: name, file: url, line, variables });
  }
  return frames;
}

/** What a value is, in a word that both sides have; "made" where they show it in ways of their own. */
function wordOf(value) {
  if (value === undefined) return 'absent';
  const { type, subtype, description } = value;
  if (type === 'undefined' || subtype === 'null') return `word:${subtype ?? type}`;
  if (type === 'boolean') return `bool:${value.value}`;
  if (type === 'number') return `number:${value.value ?? description}`;
  if (type === 'string') return `string:${value.value}`;
  if (description?.startsWith('class ')) return 'class';
  if (subtype === 'array') return `list:${/\d+/.exec(description)?.[0]}`;
  if (subtype === 'map') return `map:${/\d+/.exec(description)?.[0]}`;
  return 'made';
}
