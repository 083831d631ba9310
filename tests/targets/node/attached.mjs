// Carries out commands from standard input, a line each; a test attaches to it.
import { createInterface } from 'node:readline';
import { Stock } from './attachedStock.cjs';

const stock = new Stock();
const half = (count) => count / 2;

function order(name, count) {
  const left = stock.take(name, count);
  return { name, left };
}

function orderSafely(name, count) {
  try {
    order(name, count);
  } catch (error) {
    return error.message;
  }
  return 'ordered';
}

async function deliver(name) {
  await null;
  return stock.count(name);
}

async function later(count) {
  const { twice } = await import('./attachedLater.mjs');
  return twice(count);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, count = '0'] = line.split(' ');
  const number = Number(count);
  if (word === 'order') console.log(JSON.stringify(order('bolt', number)));
  if (word === 'fail') console.log(orderSafely('nut', number));
  if (word === 'half') console.log(half(number));
  if (word === 'later') console.log(await later(number));
  if (word === 'deliver') console.log(await deliver('bolt'));
  if (word === 'often') {
    let sum = 0;
    for (let i = 0; i < number; i++) sum += half(i);
    console.log(sum);
  }
  if (word === 'facts')
    console.log(JSON.stringify([process.execArgv, Object.keys(globalThis), String(half)]));
  if (word === 'end') break;
}
process.stdin.destroy();
process.exitCode = 3;
