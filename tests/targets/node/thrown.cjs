'use strict';
const { EventEmitter } = require('node:events');

// prettier-ignore
function inner(o) { return o.x.y; }
function made(text) {
  return new RangeError(text);
}
const ways = {
  engine: () => inner({}),
  // prettier-ignore
  tabs: () => {	const naïve = 'é';	return naïve.at(	0).x.y;	},
  factory() {
    throw made('made elsewhere');
  },
  again() {
    try {
      inner({});
    } catch (error) {
      error.isKnown = true;
      throw error;
    }
  },
  text() {
    // oxlint-disable-next-line typescript/only-throw-error -- what is printed of it
    throw 'no error';
  },
  heard() {
    new EventEmitter().emit('error', new Error('nobody hears'));
  },
  parse() {
    return JSON.parse('{');
  },
  async later() {
    await null;
    throw new Error('later');
  },
};
process.on('exit', () => console.error('ends'));
// Stacks deeper than Error.stackTraceLimit lose a frame to the function that modules are compiled through.
const way = ways[process.argv[2]];
setImmediate(() => way());
