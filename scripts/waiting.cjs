/*
 * The beginning of `strobe mcp`: what the manifest answers is answered before the client is loaded, and before it is
 * known whether a clone must be set up first. A client gives a server some seconds for its first answer, and a set-up takes
 * minutes: a tool call waits for it, but not for long; then its answer says what is being done. Afterwards the client
 * takes over the connection.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { claimedRevision, failedAnswer, manifestAnswer } = require('./manifestAnswers.cjs');

/** How long a tool call waits: below the usual limit of clients, 60 s. */
const patienceMs = 45_000;
const longestLine = 16 << 20;

/**
 * Serves standard input and output until the client can take over: at once where `root` is set up, else when that is done.
 * Ends the process when whoever asks goes first. `structured`: answers have that form beside the text.
 */
exports.serveFirst = async function serveFirst({ root, structured, isSetUp }) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'src/client/manifest.json'), 'utf8'));
  const log = path.join(root, '.cache', 'setup.log');
  /** Lines for the client that takes over, and what waits for it, by id. */
  const lines = [];
  const waiting = new Map();
  let rest = Buffer.alloc(0);
  let setup = null;
  let isAsked = false;
  let done;
  const isReady = new Promise((resolve) => (done = resolve));

  function start() {
    fs.mkdirSync(path.dirname(log), { recursive: true });
    const words = fs.openSync(log, 'w');
    const started = Date.now();
    const script = path.join(__dirname, 'setup.mjs');
    // It runs on when the client goes: the next start finds what it did.
    const child = require('node:child_process').spawn(
      process.execPath,
      [script, '--without-frida'],
      {
        detached: true,
        stdio: ['ignore', words, words],
      },
    );
    fs.closeSync(words);
    child.unref();
    setup = { seconds: () => Math.round((Date.now() - started) / 1000) };
    child.on('error', (error) => fs.appendFileSync(log, String(error)));
    child.on('close', (status) => {
      setup = null;
      if (status === 0) return done();
      for (const id of waiting.keys()) refuse(id, failure(read(log)));
    });
  }

  function refuse(id, error) {
    const { message, timer, line } = waiting.get(id);
    clearTimeout(timer);
    waiting.delete(id);
    lines.splice(lines.indexOf(line), 1);
    write(failedAnswer(message, error, structured));
  }

  /** What set-up says last is `CODE: message`, then the next step. */
  function failure(words) {
    const said = words.slice(words.lastIndexOf('strobe set-up failed: ')).trim();
    const [what, hint = manifest.errors.SETUP_FAILED.hint] = said.split('\nNext: ');
    const [, code, message] = /^strobe set-up failed: ([A-Z]+_[A-Z_]+): ([^]*)$/.exec(what) || [];
    return { code: code || 'SETUP_FAILED', message: message || what, hint };
  }

  function tooLong(id) {
    const last =
      read(log)
        .trim()
        .split('\n')
        .filter((line) => !/ … \d+ s$/.test(line))
        .pop() || '';
    const doing = last.replace(/^strobe set-up: /, '') || 'it begins';
    refuse(id, {
      code: 'SETTING_UP',
      message: `Strobe is being set up on this machine: ${doing} (${setup ? setup.seconds() : 0} s so far).`,
      hint: manifest.errors.SETTING_UP.hint,
    });
  }

  function receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      message = null;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      lines.push(line); // The client says what is wrong with it.
      return;
    }
    const result = message.id === undefined ? null : manifestAnswer(manifest, message, structured);
    if (result !== null) {
      write({ jsonrpc: '2.0', id: message.id, result });
      if (message.method === 'initialize' || claimedRevision(message) !== null)
        lines.push(
          JSON.stringify({ jsonrpc: '2.0', method: 'strobe/answered', params: message.params }),
        );
      return;
    }
    if (message.method === 'notifications/cancelled') {
      const cancelled = waiting.get(message.params && message.params.requestId);
      if (!cancelled) return;
      clearTimeout(cancelled.timer);
      waiting.delete(message.params.requestId);
      lines.splice(lines.indexOf(cancelled.line), 1);
      return;
    }
    lines.push(line);
    if (message.id === undefined || message.method === undefined) return;
    const timer = setTimeout(() => tooLong(message.id), patienceMs);
    waiting.set(message.id, { message, timer, line });
    if (setup === null && isAsked) start();
  }

  function read(file) {
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  }

  function write(message) {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }

  function take(chunk) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
      if (line.trim() !== '') receive(line);
    }
    if (rest.length > longestLine) process.exit(1);
    if (isAsked) return;
    isAsked = true;
    if (isSetUp()) done();
    else if (setup === null) start();
  }

  const leave = () => process.exit(0);
  process.stdin.on('data', take).on('end', leave).on('error', leave);
  process.stdout.on('error', leave);
  await isReady;
  process.stdin.off('data', take).off('end', leave).off('error', leave);
  process.stdout.off('error', leave);
  process.stdin.pause(); // The client reads on.
  for (const { timer } of waiting.values()) clearTimeout(timer);
  process.stdin.unshift(Buffer.concat([...lines.map((line) => Buffer.from(`${line}\n`)), rest]));
};
