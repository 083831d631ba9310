// Commands, a line each: a number of rounds. Each is done here and in a worker thread, and answered by "done".
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { createInterface } from 'node:readline';

let sold = 0;
const gConfig = { rate: 2 };

class Cart {
  owner = 'me';
  items = [];
  get first() {
    throw new Error('a getter ran');
  }
  total(scale) {
    let sum = 0;
    for (let i = 0; i < this.items.length; i++) {
      const item = this.items[i];
      const each = item.price * item.count;
      sum += each;
    }
    const scaled = this.items.map((one) => one.price * scale);
    if (sum > 25) {
      sold -= 100;
    }
    sold += sum;
    return sum + scaled.length;
  }
}

async function buy(round) {
  const cart = new Cart();
  for (let k = 0; k <= round % 3; k++) cart.items.push({ name: `n${k}`, price: 10 * k, count: k });
  await null;
  const password = 'secret';
  const got = cart.total(gConfig.rate);
  return got + password.length;
}

async function serve(rounds) {
  const said = [];
  for (let round = 0; round < rounds; round++) said.push(await buy(round));
  return said.join();
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  await new Promise((resolve) => worker.once('message', resolve));
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await serve(Number(line)));
    worker.postMessage(Number(line));
    console.log(await new Promise((resolve) => worker.once('message', resolve)));
    console.log('done');
  }
  await worker.terminate();
} else {
  parentPort.on('message', async (rounds) => parentPort.postMessage(await serve(rounds))); // oxlint-disable-line typescript/no-misused-promises -- nobody waits for it
  parentPort.postMessage('ready');
}
