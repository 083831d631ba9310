'use strict';
/* JavaScript, an addon and JavaScript by turns; then children in C++ and Python. */
const { spawnSync } = require('node:child_process');
const { readSync } = require('node:fs');

const [addon, child, ...python] = process.argv.slice(2);
const { each } = require(addon);

function leaf(number) {
  return number + 1;
}
function back(number) {
  return number > 2 ? each(leaf, 2) : number;
}
function outer(times) {
  return each(back, times);
}
function refuse(number) {
  throw new Error(`not ${number}`);
}
function caught() {
  try {
    each(refuse, 2);
  } catch (error) {
    return error.message;
  }
}
async function later(times) {
  await null;
  return each(leaf, times);
}
function children() {
  spawnSync(child, { stdio: 'inherit' });
  if (python.length > 0) spawnSync(python[0], python.slice(1), { stdio: 'inherit' });
}

readSync(0, Buffer.alloc(8));
console.log(outer(4), caught());
later(1).then((sum) => {
  console.log(sum);
  children();
});
