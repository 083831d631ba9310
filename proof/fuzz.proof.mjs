/*
 * What the reader of symbols makes of damaged files: `npm run proof fuzz -- --files=5000 --seed=1`. Sound files of
 * tests/integration/symbols/corpus are changed and cut, and read as a program is when it is traced, in the worker. A file may cost problems
 * or an error of ours; a worker that ends, takes too long or too much memory fails the proof. With `--keep` those that lead to other
 * outcomes than the ones before are written to the corpus, which tests read (fuzzCorpus.test.ts).
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from '../bench/support/record.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { SymbolWorker } from './support/symbols.mjs';

const corpus = join(root, 'tests/integration/symbols/corpus');
const longestMs = 5_000;
/** Files that one worker reads. */
const perWorker = 200;
const mostKept = 160;
/** By which the process may grow before rubbish is collected. */
const youngGenerationMb = 48;
const extremes = [0, 0xff, 0x7f, 0x80, 1];

const option = (name) => process.argv.find((one) => one.startsWith(`--${name}=`))?.split('=')[1];
const rounds = Number(option('files') ?? 5_000);
const seed = Number(option('seed') ?? Date.now() % 1_000_000);
const isKept = process.argv.includes('--keep');

const partNames = { split: 'app.dwp', oldSplit: 'app.dwp', dwz: 'shared.debug' };
const bases = readdirSync(corpus)
  .filter((name) => /^\w+\.gz$/.test(name))
  .map((name) => name.slice(0, -3))
  .map((base) => ({
    base,
    program: gunzipSync(readFileSync(join(corpus, `${base}.gz`))),
    part: partNames[base] ? gunzipSync(readFileSync(join(corpus, `${base}.part.gz`))) : null,
  }));

/** Offsets and sizes of what is not loaded, of the headers, and of notes. */
function placesIn(bytes) {
  const at = Number(bytes.readBigUInt64LE(0x28));
  const count = bytes.readUInt16LE(0x3c);
  const places = [
    [0, 64],
    [at, 64 * count],
  ];
  for (let i = 1; i < count; i++) {
    const section = at + 64 * i;
    const [type, flags] = [bytes.readUInt32LE(section + 4), bytes.readUInt32LE(section + 8)];
    const [offset, size] = [0x18, 0x20].map((field) =>
      Number(bytes.readBigUInt64LE(section + field)),
    );
    if (size > 0 && type !== 8 && ((flags & 2) === 0 || type === 7)) places.push([offset, size]);
  }
  return places;
}

/** Changes as the corpus keeps them: [offset, bytes as hexadecimal], and where the file ends. */
function damage(bytes, random) {
  const below = (most) => Math.floor(random() * most);
  if (random() < 0.06) return { edits: [], cut: below(bytes.length) };
  const places = placesIn(bytes);
  const [start, size] = places[below(places.length)];
  const edits = [];
  for (let left = 1 + below(random() < 0.5 ? 2 : 12); left > 0; left--) {
    const length = Math.min(size, [1, 1, 1, 2, 4, 8][below(6)]);
    const extreme = random() < 0.5 ? extremes[below(5)] : null;
    const hex = Buffer.from(Array.from({ length }, () => extreme ?? below(256))).toString('hex');
    edits.push([start + below(size - length + 1), hex]);
  }
  return { edits };
}

function damaged(bytes, { edits, cut }) {
  const copy = Buffer.from(bytes.subarray(0, cut ?? bytes.length));
  for (const [at, hex] of edits) copy.set(Buffer.from(hex, 'hex'), at);
  return copy;
}

/** What a problem or an error says, without the words of V8, names and numbers: fuzzCorpus.test.ts has the same. */
function headOf(problem) {
  const text = typeof problem === 'string' ? problem : problem.detail;
  return text
    .replaceAll(/\/\S*\//g, '')
    .replaceAll(
      /Offset is outside.*?(?=\.|$)|Invalid (?:typed )?array.*?(?=\.|$)/g,
      'it ends too early',
    )
    .replaceAll(/ \([^)]*\)/g, '')
    .replaceAll(/0x[\da-f]+|\d+/g, 'N');
}

async function read(worker, path) {
  const told = new Set();
  const questions = [
    ['open', { path, patterns: [] }],
    [
      'find',
      {
        modules: [path],
        pattern: '**',
        options: { projectRoot: '/', depth: { levels: 3, whole: 3 } },
      },
    ],
    ['variables', { modules: [path], name: 'shop::total', depth: 2 }],
  ];
  for (const [kind, asked] of questions) {
    try {
      const answer = await worker.ask(kind, asked);
      const problems = answer.problems ?? [];
      for (const problem of problems) told.add(headOf(problem));
    } catch (error) {
      told.add(`refused: ${headOf(error.message)}`);
    }
  }
  return [...told].toSorted((a, b) => (a < b ? -1 : 1));
}

function peakMb() {
  const rows = readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\s*(\d+)/.exec(rows)[1]) / 1024;
}

const folder = mkdtempSync(join(tmpdir(), 'sproof-fuzz-'));
const random = randomOf(seed);
const outcomes = new Map();
const lines = new Set();
const kept = [];
let worker = null;
let longest = 0;
let failure = null;
let soundMb = 0;
console.log(`${rounds} files, seed ${seed}`);
for (let round = 0; round < rounds && failure === null; round++) {
  if (round % perWorker === 0) {
    await worker?.close();
    worker = new SymbolWorker(join(folder, `index${round}`));
    for (const { base, program, part } of bases) {
      const path = write(join(folder, `sound${round}${base}`), base, program, part);
      const told = await read(worker, path);
      if (told.length > 0) throw new Error(`${base} is sound, but: ${told.join('; ')}`);
    }
    if (round === 0) soundMb = peakMb();
  }
  const { base, program, part } = bases[Math.floor(random() * bases.length)];
  const isPart = part !== null && random() < 0.6;
  const change = damage(isPart ? part : program, random);
  const own = join(folder, String(round));
  const path = write(
    own,
    base,
    isPart ? program : damaged(program, change),
    isPart ? damaged(part, change) : part,
  );
  const start = performance.now();
  const timer = setTimeout(
    () => (failure = `round ${round} takes more than ${longestMs} ms`),
    longestMs,
  );
  let told = [];
  try {
    told = await Promise.race([
      read(worker, path),
      new Promise((_resolve, reject) => {
        setTimeout(() => reject(new Error('it hangs')), longestMs + 1_000).unref();
      }),
    ]);
  } catch (error) {
    failure = `round ${round}: ${error.message}`;
  }
  clearTimeout(timer);
  longest = Math.max(longest, performance.now() - start);
  if (failure !== null) console.log(JSON.stringify({ base, isPart, ...change }));
  const key = told.join('; ');
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  // One of each problem, and of each file that it occurs in.
  const fresh = told.filter((line) => !lines.has(`${base} ${line}`));
  for (const line of told) lines.add(`${base} ${line}`);
  if (fresh.length > 0) kept.push({ base, isPart, ...change, outcome: told });
  rmSync(own, { recursive: true, force: true });
  rmSync(join(folder, `index${round - (round % perWorker)}`), { recursive: true, force: true });
  mkdirSync(join(folder, `index${round - (round % perWorker)}`), { recursive: true });
}
await worker?.close();
rmSync(folder, { recursive: true, force: true });

function write(place, base, program, part) {
  mkdirSync(place, { recursive: true });
  const path = join(place, 'app');
  writeFileSync(path, program);
  if (part) writeFileSync(join(place, partNames[base]), part);
  return path;
}

const peak = peakMb();
console.log(
  `${outcomes.size} outcomes, longest ${longest.toFixed(0)} ms, ${soundMb.toFixed(0)} → ${peak.toFixed(0)} MB`,
);
for (const [key, count] of [...outcomes].toSorted((a, b) => b[1] - a[1]).slice(0, 40))
  console.log(count, key);
if (failure !== null) throw new Error(failure);
if (isKept)
  writeFileSync(
    join(corpus, 'cases.json'),
    `${JSON.stringify(kept.slice(0, mostKept), null, 1)}\n`,
  );
if (peak > 2 * soundMb + youngGenerationMb)
  throw new Error('it took more than twice the memory of sound files');
recordRows('fuzz', `${rounds} damaged files, seed ${seed}: none hung or ended the worker`, [
  {
    files: rounds,
    outcomes: outcomes.size,
    'longest ms': longest.toFixed(0),
    'MB, sound': soundMb.toFixed(0),
    'MB, peak': peak.toFixed(0),
  },
]);
