/*
 * `npm run check`: all that can be said about a change without running the product, two steps at
 * a time. Only a failed step shows its output. Names given as arguments select steps, `no-NAME` leaves
 * one out.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Longest first, so that the two lanes end together. */
const steps = {
  // Its failures alone: where a log is cut, they are what is left of it.
  unit: [bin('vitest'), 'run', '--project', 'unit', '--reporter', 'dot'],
  types: [bin('tsc'), '-p', '.', '--noEmit'],
  agentTypes: [bin('tsc'), '-p', 'agent', '--noEmit'],
  lint: [bin('oxlint'), '--type-aware'],
  format: [
    bin('prettier'),
    '--check',
    '--log-level',
    'warn',
    '--cache',
    '--cache-location',
    '.cache/prettier',
    '.',
  ],
  clangFormat: [process.execPath, join(root, 'scripts/clangFormat.mjs'), '--check'],
  deadCode: [bin('knip')],
  generated: [process.execPath, join(root, 'scripts/generate.mjs'), '--check'],
};

function run(name) {
  const [command, ...args] = steps[name];
  const started = performance.now();
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
      killSignal: 'SIGKILL',
    });
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += String(error)));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(11)} ${seconds} s`);
      resolve({ name, ok: code === 0, output });
    });
  });
}

const given = process.argv.slice(2);
const asked = given.filter((name) => !name.startsWith('no-'));
const leftOut = given.filter((name) => name.startsWith('no-')).map((name) => name.slice(3));
const unknown = [...asked, ...leftOut].filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}. Steps: ${Object.keys(steps).join(', ')}.`);
  process.exit(2);
}
const waiting = (asked.length > 0 ? asked : Object.keys(steps)).filter(
  (name) => !leftOut.includes(name),
);
const started = performance.now();
const results = [];
async function lane() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    results.push(await run(name));
  }
}
await Promise.all([lane(), lane()]);
const failed = results.filter((result) => !result.ok);
for (const { name, output } of failed) console.log(`\n── ${name} ──\n${output.trim()}`);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `\n${results.length - failed.length} of ${results.length} steps passed in ${seconds} s`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
