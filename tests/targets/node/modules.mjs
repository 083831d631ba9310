/* ES modules: live bindings, a circle, top-level await, worker threads with environments and options of their own. */
import { setTimeout as nap } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { area, Shape } from './shape.mjs';
import './imported.cjs';

async function* count(most) {
  for (let i = 0; i < most; i++) {
    await nap(1);
    yield i;
  }
}

let sum = 0;
for await (const i of count(3)) sum += i;
console.log(area(3, 4), new Shape('square').describe(), sum);
for (const options of [{ env: { SHOWN: '1' } }, { execArgv: [] }, {}]) {
  const worker = new Worker(new URL('./worked.mjs', import.meta.url), options);
  await new Promise((resolve) => worker.on('exit', resolve));
}
console.log(process.env.NODE_OPTIONS);
