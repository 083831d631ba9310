// Commands, a line each: a number, for which work() is called; `later` does so behind an await.
import { createInterface } from 'node:readline';

class Order {
  constructor(number, total) {
    this.number = number;
    this.total = total;
  }

  get tax() {
    console.log('a property ran');
    return this.total / 10;
  }
}

function twice(x) {
  const y = x + x;
  return y;
}

function work(i) {
  const order = new Order(7 + i, 12.5);
  const a = twice(i);
  const b = a + order.number;
  const names = [0, 1, 2].map((k) => `n${k}`);
  return a + b + names.length;
}

async function later(i) {
  const first = await Promise.resolve(i);
  const second = work(first);
  return second;
}

function failing(x) {
  let limit = 1;
  const held = { x };
  try {
    if (x > limit) throw new TypeError(`${x} is too much`);
  } catch (error) {
    console.log('caught', error.message, 'at most', limit, held.x);
  }
}

function spin(seconds) {
  const until = performance.now() + 1000 * seconds * 5;
  let turns = 0;
  console.log('spinning');
  while (performance.now() < until) {
    turns += 1;
    turns %= 7;
  }
  console.log('done spinning', turns >= 0);
}

let rounds = 0;
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, number] = line.split(' ');
  rounds++;
  if (command === 'work') console.log('done', work(Number(number)));
  else if (command === 'spin') spin(Number(number));
  else if (command === 'fail') failing(Number(number));
  else if (command === 'later') console.log('done', await later(Number(number)));
}
