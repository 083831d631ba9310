// A line "steps bursts": that many bursts of steps, apart; the last line of the output is nanoseconds a step.
const { createInterface } = require('node:readline');
const { setTimeout } = require('node:timers/promises');

const apartMs = 100;
let sink = 0;

function step(i) {
  const sum = sink + (i & 7);
  sink = sum & 0xffff; // here
  return sum;
}

async function serve(line) {
  const [steps, bursts] = line.split(' ').map(Number);
  let spent = 0n;
  for (let burst = 0; burst < bursts; burst++) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < steps; i++) step(i);
    spent += process.hrtime.bigint() - began;
    await setTimeout(apartMs);
  }
  console.log(Number(spent) / steps / bursts);
}

console.log('ready');
createInterface({ input: process.stdin }).once('line', (line) => void serve(line));
