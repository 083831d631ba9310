/* What every tracer is tried on (tests/integration/tracers/conformance.ts), in JavaScript: carries out one command a
 * line, from standard input or from its arguments, and says on standard output what came of it. */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

let total = 0;

class Gauge {
  reading = 0;
}

const gauge = new Gauge();

function add(a, b) {
  return a + b;
}

function inner(n) {
  return n * 2;
}

function outer(n) {
  return inner(n) + inner(n + 1);
}

function depth(n) {
  return n === 0 ? 0 : 1 + depth(n - 1);
}

function work(n) {
  return n + 100;
}

function tick(n) {
  return n & 1;
}

function fails(why) {
  throw new RangeError(why);
}

function text(shown) {
  return shown === null ? 0 : shown.length;
}

function blind(wild) {
  return 8;
}

function nap(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return ms;
}

function bump(n) {
  total += n;
  gauge.reading += 2 * n;
  return total;
}

/** Whatever looks at it is ended. */
function wild() {
  const end = (what) => {
    process.stdout.write(`${String(what)} was looked at\n`);
    process.exit(9);
  };
  class Wild {
    get shown() {
      return end('a getter');
    }
    toJSON() {
      return end('toJSON');
    }
    toString() {
      return end('toString');
    }
    get [Symbol.toStringTag]() {
      return end('a tag');
    }
    [Symbol.toPrimitive]() {
      return end('a primitive');
    }
  }
  const made = new Wild();
  Object.defineProperty(made, 'own', { enumerable: true, get: () => end('an own getter') });
  made.proxy = new Proxy(
    {},
    {
      get: () => end('get'),
      ownKeys: () => end('keys'),
      getPrototypeOf: () => end('prototype'),
      getOwnPropertyDescriptor: () => end('property'),
    },
  );
  return made;
}

function child() {
  const file = fileURLToPath(import.meta.url);
  const { status, stdout } = spawnSync(process.execPath, [file, 'add 20 22'], { encoding: 'utf8' });
  process.stdout.write(stdout);
  console.log('child', status);
}

function hostile() {
  console.log(text('\u001B[31m"]}\n\uDCFF\uDCFE') + text('x'.repeat(100_000)) + text(null));
  console.log(blind(wild()));
}

async function threads(count) {
  const ends = Array.from({ length: count }, (_, n) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: n });
    return new Promise((resolve) => worker.on('exit', resolve));
  });
  await Promise.all(ends);
  console.log(count, 'threads');
}

async function carryOut(line) {
  const [word, first, second] = line.split(' ');
  switch (word) {
    case 'add':
      return console.log(add(Number(first), Number(second)));
    case 'outer':
      return console.log(outer(Number(first)));
    case 'depth':
      return console.log(depth(Number(first)));
    case 'nap':
      return console.log(nap(Number(first)));
    case 'bump':
      return console.log(bump(Number(first)));
    case 'threads':
      return await threads(Number(first));
    case 'many': {
      let odd = 0;
      for (let n = 0; n < Number(first); n++) odd += tick(n);
      return console.log(odd);
    }
    case 'fail':
      try {
        return fails(first);
      } catch (error) {
        return console.log('caught', error.message);
      }
    case 'hostile':
      return hostile();
    case 'child':
      return child();
    case 'exit':
      return process.exit(Number(first));
    default:
      return console.log('what?', line);
  }
}

if (isMainThread) {
  const lines = process.argv.length > 2 ? process.argv.slice(2) : createInterface(process.stdin);
  for await (const line of lines) await carryOut(line);
} else {
  work(workerData);
  parentPort.close();
}
