/*
 * Starts the client. In a clone a set-up comes first when something built is missing or older than its sources;
 * `strobe mcp` answers before (waiting.cjs). CommonJS and old syntax, so that an old Node can still say what is
 * wrong with it. Every start passes here: no packages, and the check is a walk over file times.
 */
'use strict';
var fs = require('fs');
var path = require('path');
var url = require('url');

var root = path.dirname(__dirname);
var setup = path.join(__dirname, 'setup.mjs');
var stamp = path.join(root, 'dist', 'setup.json');
var sources = ['src', 'agent', 'native', 'scripts', 'demo', 'package-lock.json'];

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
  if (!fs.existsSync(setup)) return true; // It was installed.
  if (!fs.existsSync(path.join(root, 'dist', 'client.js'))) return false;
  var done = fs.statSync(stamp, { throwIfNoEntry: false });
  if (!done) return false;
  return !sources.some(function (name) {
    return isNewer(path.join(root, name), done.mtimeMs);
  });
}

function startClient() {
  var client = path.join(root, 'dist', 'client.js');
  if (!fs.existsSync(client)) {
    process.stderr.write(
      'strobe: This package holds no built parts: it was packed from a clone that was not built.\n' +
        'Next: run `./strobe version` in the clone, then `npm pack`, and install that package.\n',
    );
    process.exit(1);
  }
  import(url.pathToFileURL(client).href).catch(function (error) {
    process.stderr.write(String((error && error.stack) || error) + '\n');
    process.exit(1);
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
  var words = process.argv.slice(2).join(' ');
  if (words === 'mcp' || words === 'mcp --structured') {
    var serving = { root: root, structured: words !== 'mcp', isSetUp: isSetUp };
    void require('./waiting.cjs').serveFirst(serving).then(startClient);
    return;
  }
  if (isSetUp()) return startClient();
  // Standard output belongs to the command.
  var ended = require('child_process').spawnSync(process.execPath, [setup], {
    stdio: ['ignore', 2, 2],
  });
  if (ended.status !== 0) process.exit(1);
  startClient();
}

main();
