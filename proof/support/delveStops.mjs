/* Runs a program of Go under Delve by its own JSON-RPC (API 2): at chosen arrivals at chosen lines its stack with the variables of each frame. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const limitMs = 120_000;
/** Go's reflect.Kind. */
const kinds = {
  bool: 1,
  firstInt: 2,
  lastInt: 12,
  floats: [13, 14],
  array: 17,
  map: 21,
  slice: 23,
  string: 24,
};
/** Of a variable: another of the same name hides it. */
const shadowed = 1 << 1;
const load = {
  FollowPointers: true,
  MaxVariableRecurse: 1,
  MaxStringLen: 400,
  MaxArrayValues: 64,
  MaxStructFields: -1,
};

export async function delveStops(delve, program, { source, lines, arrivals }) {
  const args = ['exec', program, '--headless', '--api-version=2', '--listen=127.0.0.1:0'];
  const child = spawn(delve, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    return await stopsOf(await connected(child), source, { lines, arrivals });
  } finally {
    clearTimeout(timer);
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

async function connected(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /listening at: 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stdout.resume();
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }
  throw new Error('dlv says no address');
}

async function stopsOf(socket, source, { lines, arrivals }) {
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  let number = 0;
  const call = async (method, params) => {
    socket.write(
      `${JSON.stringify({ method: `RPCServer.${method}`, params: [params], id: ++number })}\n`,
    );
    const { value } = await answers.next();
    const { result, error } = JSON.parse(value);
    if (error) throw new Error(`${method}: ${error}`);
    return result;
  };
  for (const line of lines) await call('CreateBreakpoint', { Breakpoint: { file: source, line } });
  const stops = [];
  const reached = new Map();
  for (;;) {
    const { State: state } = await call('Command', { name: 'continue' });
    if (state.exited) break;
    for (const { breakPoint, goroutineID, line } of state.Threads) {
      if (!breakPoint) continue;
      const arrival = (reached.get(line) ?? 0) + 1;
      reached.set(line, arrival);
      if (!arrivals.includes(arrival)) continue;
      const { Locations: places } = await call('Stacktrace', {
        Id: goroutineID,
        Depth: 60,
        Full: true,
        Cfg: load,
      });
      stops.push({ line, arrival, frames: places.map(frameOf) });
    }
  }
  socket.destroy();
  return stops;
}

function frameOf({ file, line, function: { name } = {}, Locals: locals, Arguments: parameters }) {
  // A result without a name holds nothing before its function returns.
  const all = [...(parameters ?? []), ...(locals ?? [])].filter((one) => !/^~r\d/.test(one.name));
  const variables = Object.fromEntries(
    all.map((one) => [one.flags & shadowed ? `(${one.name})` : one.name, wordOf(one)]),
  );
  return { function: name, file, line, variables };
}

/** What a value is, in a word that both sides have; "made" where they show it in ways of their own. */
function wordOf({ kind, value, len, base, unreadable }) {
  if (unreadable) return 'absent';
  if (kind === kinds.bool) return `bool:${value}`;
  if (kinds.floats.includes(kind)) return `number:${value}`;
  if (kind >= kinds.firstInt && kind <= kinds.lastInt) return `number:${value}`;
  if (kind === kinds.string) return `string:${value}`;
  if (kind === kinds.array || (kind === kinds.slice && base > 0)) return `list:${len}`;
  if (kind === kinds.map && base > 0) return `map:${len}`;
  return 'made';
}
