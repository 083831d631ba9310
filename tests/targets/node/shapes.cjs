'use strict';
/* Values of every kind, and such that end the program when code of theirs runs. */
function take(value) {
  return value === undefined;
}

function takeHostile(value) {
  return 1;
}

class Point {
  #hidden = 1;
  constructor(x) {
    this.x = x;
  }
}

class Vault extends Point {
  #early = take(this);
  #password = 'xyzzy';
  #left = [2];
  static #shared = 3;
  static has(object) {
    return #left in object && Vault.#shared;
  }
}

const end = (what) => () => {
  process.stdout.write(`${what} ran\n`);
  process.exit(9);
};

const ring = { name: 'ring' };
ring.self = ring;
const refused = Promise.reject(new Error('refused'));
refused.catch(() => undefined);
const cause = new RangeError('low');
const values = [
  undefined,
  null,
  true,
  -5,
  -0,
  1.5,
  2 ** 40,
  10n ** 30n,
  'naïve',
  '日本',
  Symbol('tag'),
  [1, [2, [3]]],
  new Float64Array([1.5, 2]),
  Buffer.from('abc'),
  new Map([['k', { v: 1 }]]),
  new Set([1, 'a']),
  new Date(0),
  /a+b/gi,
  new TypeError('bad', { cause }),
  new Point(3),
  ring,
  Promise.resolve(1),
  function named() {},
  Point,
  new URL('http://host/path'),
  Object.create(null),
  [, 1],
  Number.NaN,
  new Promise(() => undefined),
  refused,
];
for (const value of values) take(value);
take(new Vault(4));
console.log(Vault.has(new Vault(5)), Vault.toString(), Object.getOwnPropertyNames(Vault));

const hostile = {
  get getter() {
    return end('a getter')();
  },
  toJSON: end('toJSON'),
  toString: end('toString'),
  [Symbol.toPrimitive]: end('a primitive'),
  [Symbol.iterator]: end('an iterator'),
  kept: 7,
  proxy: new Proxy(
    {},
    {
      get: end('get'),
      ownKeys: end('keys'),
      getOwnPropertyDescriptor: end('a descriptor'),
      getPrototypeOf: end('a prototype'),
    },
  ),
};
Object.defineProperty(hostile, Symbol.toStringTag, { get: end('a tag') });
takeHostile(hostile);
takeHostile(new Proxy(take, { get: end('get'), apply: end('apply') }));
const trap = end('a trap of a prototype');
takeHostile(Object.create(new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })));
Map.prototype.entries = end('entries');
Object.getOwnPropertyDescriptor = end('a descriptor');
Object.keys = end('keys');
takeHostile(new Map([[1, 2]]));
