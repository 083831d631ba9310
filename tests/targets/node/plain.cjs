'use strict';
/* CommonJS: classes, closures, generators, async functions, exceptions, a child. */
const { twice } = require('./helper.cjs');

class Account {
  constructor(owner) {
    this.owner = owner;
    this.total = 0;
  }
  deposit(amount) {
    if (amount < 0) throw new RangeError(`negative ${amount}`);
    this.total += amount;
    return this.total;
  }
}

function* steps(count) {
  for (let i = 0; i < count; i++) yield i;
}

async function later(ms) {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return twice(ms);
}

async function fetches() {
  return (await later(3)) + (await later(5));
}

function whole(...rest) {
  return rest.length;
}

async function main() {
  const account = new Account('ann');
  account.deposit(5);
  try {
    account.deposit(-1);
  } catch (error) {
    console.log('caught', error.message);
  }
  console.log([...steps(3)].join(), await fetches(), whole(1, 2, 3));
  console.log(process.env.NODE_OPTIONS, process.execArgv.length, Object.keys(require.cache).length);
  console.log(twice.toString(), Account.name, whole.length, String(steps).length);
  console.log(new Error('here').stack.split('\n')[1].trim().replace(__dirname, ''));
  console.log(Object.keys(globalThis).length, typeof globalThis.$other);
}

main().then(() => {
  if (process.argv[2] === 'fail') throw new TypeError('at the end');
  if (process.argv[2] === 'reject') return Promise.reject({ reason: 'none' });
});
