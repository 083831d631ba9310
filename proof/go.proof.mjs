/*
 * Rounds in which a program of Go is traced from outside at random: entered at a random moment, many functions hooked
 * and unhooked a few times, and then left, or the tracer is killed (kill -9). The program does all that moves goroutines
 * about, built by Go 1.22 to 1.26 (scripts/go.mjs); it must print what it prints untraced and end as well.
 * GO_ROUNDS and GO_SEED choose how many rounds of each version, and which.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { toolchains } from '../scripts/go.mjs';
import { randomOf } from './support/random.mjs';

const rounds = Number(process.env.GO_ROUNDS ?? 100);
const seed = Number(process.env.GO_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
/** See goroutineLayoutIn of src/collector/program/goBuild.ts. */
const layouts = {
  1.22: [152, 272],
  1.23: [160, 280],
  1.24: [160, 280],
  1.25: [152, 272],
  1.26: [152, 280],
};
const traced =
  /^(?:main|fmt|strconv|encoding|compress|sort|strings|bytes|reflect|sync|errors|io|os)[./(]/;
const rowBytes = 160;
const work = mkdtempSync(join(tmpdir(), 'strobe-go-'));
let failed = 0;

function functionsOf(go, program) {
  return execFileSync(go, ['tool', 'nm', '-size', '-n', program], { maxBuffer: 1 << 28 })
    .toString()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , kind, name]) => /^t$/i.test(kind ?? '') && traced.test(name))
    .map(([address, size]) => ({ address: BigInt(`0x${address}`), size: Number(size) }));
}

/** armEntry rows: two words at the entry, one at the return. */
function tableOf(functions) {
  const table = Buffer.alloc(rowBytes * functions.length);
  for (const [i, { address, size, number }] of functions.entries()) {
    const at = rowBytes * i;
    table.writeBigUInt64LE(address, at);
    table.writeUInt32LE(size, at + 8);
    table.writeUInt32LE(number, at + 12);
    table.set([1, 2, 2], at + 20);
    table.writeBigUInt64LE(1n, at + 32);
    table.writeBigUInt64LE(257n, at + 40);
  }
  return table;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const below = (count) => Math.floor(random() * count);

async function round(program, functions, version) {
  const target = spawn(program, ['10'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  target.stdout.on('data', (data) => (printed += data));
  const ended = once(target, 'close');
  await pause(below(80));
  const ring = join('/dev/shm', `strobe-go-proof.${target.pid}`);
  const args = [target.pid, 'dist/outside.target', ring, 64, 1 << 20, 'go', ...layouts[version]];
  const tracer = spawn('dist/outside', args.map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
  tracer.stdin.on('error', () => undefined);
  const gone = once(tracer, 'exit');
  const lines = createInterface({ input: tracer.stdout })[Symbol.asyncIterator]();
  const answer = async () => (await lines.next()).value ?? 'failed';
  let said = await answer();
  for (let turns = 1 + below(4); turns > 0 && !said.startsWith('failed'); turns--) {
    const some = functions.flatMap((fn, number) => (random() < 0.7 ? [{ ...fn, number }] : []));
    tracer.stdin.write(`arm ${some.length}\n`);
    tracer.stdin.write(tableOf(some));
    said = await answer();
    await pause(below(30));
    if (random() < 0.3) continue;
    tracer.stdin.write(`disarm ${some.length}\n`);
    tracer.stdin.write(Buffer.from(Uint32Array.from(some, ({ number }) => number).buffer));
    said = await answer();
  }
  if (random() < 0.3) tracer.kill('SIGKILL');
  else tracer.stdin.end();
  await gone;
  const [code, signal] = await ended;
  rmSync(ring, { force: true });
  return { printed, code, signal };
}

for (const [version, go] of toolchains()) {
  const program = join(work, `busy${version}`);
  const env = { ...process.env, GOTOOLCHAIN: 'local' };
  execFileSync(go, ['build', '-o', program, 'proof/targets/busy.go'], { env });
  const expected = execFileSync(program, ['10']).toString();
  const functions = functionsOf(go, program);
  let bad = 0;
  for (let i = 0; i < rounds; i++) {
    const { printed, code, signal } = await round(program, functions, version);
    if (code === 0 && printed === expected) continue;
    bad++;
    console.log(`Go ${version}, round ${i}: ended with ${code ?? signal}`);
  }
  failed += bad;
  console.log(`Go ${version}: ${rounds - bad} of ${rounds} rounds equal (seed ${seed})`);
}
rmSync(work, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
