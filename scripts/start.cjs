/*
 * Starts the client, after a set-up when something built is missing or older than its sources.
 * CommonJS and old syntax, so that an old Node can still say what is wrong with it. Every
 * `strobe mcp` passes here: no packages, and the check is a walk over file times.
 */
'use strict';
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');
var url = require('url');

var root = path.dirname(__dirname);
var stamp = path.join(root, 'dist', 'setup.json');
// What `npm ci` takes away when it is run on its own.
var sqlite = path.join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node');
var sources = ['src', 'agent', 'native', 'scripts', 'package-lock.json'];

function nodeIsTooOld() {
  var version = process.versions.node.split('.').map(Number);
  return version[0] < 20 || (version[0] === 20 && version[1] < 19);
}

/** Whether the path, or anything below it, was changed after `time`; folders tell of deletions. */
function isNewer(file, time) {
  var stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  if (stat.mtimeMs > time) return true;
  if (!stat.isDirectory()) return false;
  return fs.readdirSync(file).some(function (name) {
    return isNewer(path.join(file, name), time);
  });
}

function isSetUp() {
  if (!fs.existsSync(path.join(root, 'dist', 'client.js'))) return false;
  if (!fs.existsSync(path.join(root, 'src'))) return true;
  var done = fs.statSync(stamp, { throwIfNoEntry: false });
  if (!done || !fs.existsSync(sqlite)) return false;
  if (JSON.parse(fs.readFileSync(stamp, 'utf8')).abi !== process.versions.modules) return false;
  return !sources.some(function (name) {
    return isNewer(path.join(root, name), done.mtimeMs);
  });
}

function main() {
  if (nodeIsTooOld()) {
    process.stderr.write(
      'strobe: Node.js 20.19 or newer is needed; this is ' +
        process.versions.node +
        ' (' +
        process.execPath +
        ').\n' +
        'Next: install a newer one from https://nodejs.org, or switch with your version manager.\n',
    );
    process.exit(1);
  }
  if (!isSetUp()) {
    // Standard output belongs to the command: `strobe mcp` speaks a protocol there.
    var setup = childProcess.spawnSync(process.execPath, [path.join(__dirname, 'setup.mjs')], {
      stdio: ['ignore', 2, 2],
    });
    if (setup.status !== 0) process.exit(1);
  }
  import(url.pathToFileURL(path.join(root, 'dist', 'client.js')).href).catch(function (error) {
    process.stderr.write(String((error && error.stack) || error) + '\n');
    process.exit(1);
  });
}

main();
