/* Everyday code that computes the same at each run, for stops at random lines. */

class Order {
  #lines = [];

  constructor(number, customer) {
    this.number = number;
    this.customer = customer;
  }

  get total() {
    let total = 0;
    for (const { price, count } of this.#lines) {
      total += price * count;
    }
    return total;
  }

  add(price, count = 1) {
    this.#lines.push({ price, count });
    return this;
  }
}

class Shelf {
  static kinds = ['book', 'game'];

  constructor(room) {
    this.room = room;
    this.items = new Map();
  }

  put(name, size) {
    let used = 0;
    for (const taken of this.items.values()) used += taken;
    const left = this.room - used;
    if (size > left) {
      throw new RangeError(`${name} needs ${size - left} more`);
    }
    this.items.set(name, size);
    return left - size;
  }

  static of(...sizes) {
    const room = sizes.reduce((sum, size) => sum + size, 0);
    const shelf = new Shelf(room);
    for (const [number, size] of sizes.entries()) {
      const kind = Shelf.kinds[number % 2];
      shelf.put(`${kind} ${number}`, size);
    }
    return shelf;
  }
}

function fibonacci(n) {
  if (n < 2) return n;
  const before = fibonacci(n - 1);
  const last = fibonacci(n - 2);
  return before + last;
}

function* primes(most) {
  const found = [];
  outer: for (let number = 2; number < most; number += 1) {
    for (const prime of found) {
      if (number % prime === 0) continue outer;
    }
    found.push(number);
    yield number;
  }
}

function counter(start) {
  let total = start;
  return function add(step, { times = 1 } = {}) {
    for (let i = 0; i < times; i += 1) {
      total += step;
    }
    return total;
  };
}

function words(text) {
  const counts = {};
  for (const word of text.split(' ')) {
    const key = word.replaceAll(/[,.]/g, '').toLowerCase();
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const longest = Object.keys(counts).reduce((a, b) => (b.length > a.length ? b : a));
  const ordered = Object.entries(counts).toSorted((a, b) => {
    const less = b[1] - a[1];
    return less === 0 ? a[0].localeCompare(b[0]) : less;
  });
  return { longest, ordered };
}

function risky(step) {
  let state = 'begun';
  try {
    if (step % 3 === 0) {
      throw new TypeError(`step ${step}`);
    }
    state = 'done';
  } catch (error) {
    state = `failed ${error.message}`;
  } finally {
    step += 1;
  }
  return { state, step };
}

function averages(rows) {
  const means = rows.map((row) => {
    const sum = row.reduce((a, b) => a + b, 0);
    return sum / row.length;
  });
  let largest = null;
  let place;
  for (let i = 0; i < means.length; i += 1) {
    const square = means[i] * means[i];
    if (largest === null || square > largest) {
      largest = square;
      place = i;
    }
  }
  return { place, largest };
}

async function fetchOne(name, delay) {
  let got = name.length;
  await Promise.resolve();
  got += delay;
  return got;
}

async function gather(names) {
  let total = 0;
  for (const [delay, name] of names.entries()) {
    const got = await fetchOne(name, delay);
    total += got;
  }
  return total;
}

function shape(value) {
  switch (typeof value) {
    case 'number': {
      const half = value / 2;
      return `number ${half}`;
    }
    case 'string':
      return `text ${value.length}`;
    default: {
      const { x = 0, ...rest } = value ?? {};
      return `object ${x} ${Object.keys(rest).length}`;
    }
  }
}

async function main() {
  const results = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const order = new Order(turn, `customer ${turn}`).add(3, turn).add(5);
    results.push(order.total);
    const shelf = Shelf.of(1, 2, turn);
    try {
      shelf.put('lamp', turn);
    } catch (error) {
      results.push(error.message);
    }
    results.push(fibonacci(turn));
    results.push([...primes(10 + turn)]);
    const add = counter(turn);
    results.push(add(2, { times: turn }));
    results.push(words('One word, another word. The longest is something.'));
    results.push(risky(turn));
    results.push(averages([[1, 2, turn], [turn, 0.5], [7]]));
    results.push(await gather(['a', 'bb', 'ccc']));
    results.push([turn, 'text', { x: turn, y: 1 }, null].map(shape));
  }
  console.log(JSON.stringify(results).length);
}

await main();
