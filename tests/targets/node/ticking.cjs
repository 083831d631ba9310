'use strict';
/* A round every 20 ms until SIGTERM; from SIGUSR2 on a module is part of it that was not loaded before. */
const { setTimeout: pause } = require('node:timers/promises');

class Beat {
  constructor(round) {
    this.round = round;
  }

  double() {
    return this.round * 2;
  }
}

let later = null;

function tick(beat) {
  return beat.double();
}

function also(round) {
  return round;
}

async function turn() {
  for (let round = 1; ; round++) {
    tick(new Beat(round));
    also(round);
    if (later) later.extra({ round });
    console.log(`round ${round}`);
    await pause(20);
  }
}

process.on('SIGUSR2', () => {
  later = require('./later.cjs');
});
process.on('SIGTERM', () => process.exit(0));
turn();
