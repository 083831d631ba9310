'use strict';
const { spawnSync } = require('node:child_process');
const { closeSync, mkdirSync, openSync, readFileSync, rmdirSync } = require('node:fs');

/** What a program can see of being entered. In Node 20 the hooks of modules are a thread, which has files. */
function seen() {
  const file = process.version.startsWith('v20.') ? 0 : openSync('/dev/null');
  if (file > 0) closeSync(file);
  const names = Object.keys(process.env).filter((name) => /^(?:NODE_|STROBE_ENTER)/.test(name));
  const isIn = readFileSync('/proc/self/maps', 'utf8').includes('frida-agent');
  return [file, isIn, names.join(), process.env.NODE_OPTIONS, process.execArgv.join()].join(' ');
}

function child() {
  return spawnSync(process.execPath, [__filename, 'child'], { encoding: 'utf8' }).stdout.trim();
}

function make(path) {
  mkdirSync(path);
  rmdirSync(path);
}

console.log(seen());
if (process.argv[2] !== 'child') {
  console.log(child());
  console.log(
    spawnSync('env', { encoding: 'utf8' }).stdout.match(/^(?:NODE_OPTIONS|STROBE_E).*/gm),
  );
  process.stdin.on('data', (text) => {
    make(String(text).trim());
    console.log('made');
    if (process.argv[3] === 'abort') process.abort();
  });
}
