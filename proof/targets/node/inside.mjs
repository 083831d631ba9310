// What breakpoints are compared at: one statement a line, locals of many kinds, closures, generators, async functions.
import { createInterface } from 'node:readline';

let seed = 7;
const settings = { scale: 3, names: ['ab', 'cd', 'ef'] };

function next(limit) {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  const value = seed % limit;
  return value;
}

function words(text) {
  const found = [];
  let word = '';
  for (const letter of text) {
    const isSpace = letter === ' ';
    if (isSpace) {
      found.push(word);
      word = '';
      continue;
    }
    word += letter;
  }
  const count = found.push(word);
  return { found, count };
}

class Account {
  balance = 0;
  history = [];
  deposit(amount) {
    const before = this.balance;
    this.balance += amount;
    this.history.push(amount);
    const after = this.balance;
    return after - before;
  }
}

function counter(start) {
  let count = start;
  return function step(by) {
    const before = count;
    count += by;
    return before;
  };
}

function* pairs(list) {
  let last = null;
  for (const one of list) {
    const pair = [last, one];
    last = one;
    yield pair;
  }
}

async function settle(round) {
  const account = new Account();
  let total = 0;
  for (let i = 0; i <= round; i++) {
    const amount = next(50);
    const got = account.deposit(amount);
    total += got;
    await Promise.resolve();
  }
  const ratio = total / (round + 1);
  const isLarge = ratio > 20;
  return { ratio, isLarge };
}

function sorted(list) {
  const copy = [...list];
  for (let i = 1; i < copy.length; i++) {
    const one = copy[i];
    let at = i - 1;
    while (at >= 0 && copy[at] > one) {
      copy[at + 1] = copy[at];
      at--;
    }
    copy[at + 1] = one;
  }
  return copy;
}

function thrown(value) {
  try {
    const half = value / 2;
    if (value % 2 === 1) throw new RangeError(`odd ${value}`);
    return half;
  } catch (error) {
    const { message } = error;
    return message.length;
  } finally {
    const done = true;
    seed += Number(done);
  }
}

async function all(rounds) {
  const step = counter(10);
  const said = [];
  for (let round = 0; round < rounds; round++) {
    const { found, count } = words(`${settings.names.join(' ')} ${round}`);
    const list = sorted(Array.from({ length: 4 }, () => next(90)));
    for (const [last, one] of pairs(list)) {
      const distance = last === null ? 0 : one - last;
      said.push(distance);
    }
    const result = await settle(round);
    const before = step(count);
    said.push(found.length, before, result.ratio, thrown(next(9)));
  }
  return said.join();
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin }))
  console.log(await all(Number(line)));
