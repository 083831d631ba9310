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

let rounds = 0;
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, number] = line.split(' ');
  rounds++;
  if (command === 'work') console.log('done', work(Number(number)));
  else if (command === 'later') console.log('done', await later(Number(number)));
}
