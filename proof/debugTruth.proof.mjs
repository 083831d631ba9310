/*
 * Stops at random places beside other debuggers: of C++ and Rust programs beside gdb, of Python beside
 * sys.settrace, of Node beside its inspector, of Go beside Delve by its own protocol. The same program runs under both, and each stop of ours (a place
 * in code and which arrival at it) is one of the other's. Frames, functions, lines and the
 * values of variables must be equal; a value that one of both says it cannot know is counted.
 * TRUTH_STOPS (default 200 per language), TRUTH_SEED; arguments choose languages.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildProgram } from '../bench/support/build.mjs';
import { openHome, Product } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { randomOf } from './support/random.mjs';
import { recordLanguages } from './support/record.mjs';
import { delvePath } from './support/truth/languages.mjs';
import { arrivals, ourStops } from './support/truth/ourStops.mjs';
import { compareScript, scripts } from './support/truth/scriptStops.mjs';

const wanted = Number(process.env.TRUTH_STOPS ?? 200);
const seed = Number(process.env.TRUTH_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
const stopsARun = 25;
/** Of one program; in some no new place is found. */
const mostRounds = 80;

const languages = {
  'C++': [
    ['proof/targets/everyday.cpp', ['-O0']],
    ['proof/targets/everyday.cpp', ['-O2']],
  ],
  Rust: [
    ['proof/targets/everyday.rs', ['-C', 'opt-level=0']],
    ['proof/targets/everyday.rs', ['-C', 'opt-level=2']],
  ],
};

function baseOf(pid, module) {
  const rows = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  return BigInt(`0x${rows.find((row) => row.endsWith(module)).split('-')[0]}`);
}

function placeOf(pid, [{ module, pc }]) {
  return { module, offset: Number(BigInt(pc) - baseOf(pid, module)) };
}

/** By place and arrival what gdb says; null for a place that other threads reach. */
function gdbStops(program, places, folder, cwd, randomization) {
  const [plan, out] = ['plan.json', 'stops.jsonl'].map((name) => join(folder, name));
  writeFileSync(plan, JSON.stringify({ places, out }));
  const script = join(root, 'proof/support/gdbStops.py');
  const args = ['-q', '-batch', '-nx', '-iex', 'set debuginfod enabled off', '-x', script, program];
  execFileSync('gdb', args, {
    cwd,
    env: { ...process.env, STROBE_PLAN: plan, STROBE_RANDOMIZATION: randomization },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
  });
  const stops = new Map();
  const shared = new Set();
  for (const line of readFileSync(out, 'utf8').split('\n').filter(Boolean)) {
    const { place, arrival, isMain, frames } = JSON.parse(line);
    if (isMain) stops.set(`${place} ${arrival}`, frames);
    else shared.add(place);
  }
  return { stops, shared };
}

/** `Type::name` without arguments of calls and templates. */
function plainName(name) {
  let text = '';
  let depth = 0;
  for (const letter of (name ?? '')
    .replaceAll(/\{(impl|closure)[^}]*\}/g, '{$1}')
    .replace(/ \[clone.*| const$/, '')) {
    if ('<('.includes(letter)) depth++;
    if (depth === 0) text += letter;
    if ('>)'.includes(letter)) depth--;
  }
  return text.replaceAll('::::', '::').replace(/^.* (?=\S+$)/, '');
}

const absentKinds = new Set(['notCaptured', 'unreadable', 'circular']);

/** Why two values differ; null: they are equal. `kind`: what was compared. */
function compareValues(ours, theirs) {
  if (absentKinds.has(ours.kind) || theirs.kind === 'absent') return { kind: 'absent' };
  if (theirs.kind === 'made') return { kind: 'made' };
  const told = plainValue(ours);
  if (told === null) return { kind: 'made' };
  const same =
    theirs.kind === 'enum'
      ? told === theirs.value || told === theirs.number
      : String(told) === String(theirs.value);
  return { kind: 'value', isSame: same, told };
}

function plainValue(value) {
  switch (value.kind) {
    case 'int':
      return value.text;
    case 'float':
      return String(value.value);
    case 'bool':
      return value.value ? '1' : '0';
    case 'char':
      return String(value.code);
    case 'enum':
      return value.name?.split('::').at(-1) ?? value.text;
    case 'pointer':
      return value.address;
    case 'null':
      return '0x0';
    default:
      return null;
  }
}

/** Variables that another run has otherwise are as if they were not there. */
function leaveOut(frames, again) {
  for (const [i, { variables }] of frames.entries())
    for (const [name, value] of Object.entries(variables ?? {}))
      if (value.value !== again[i]?.variables?.[name]?.value && value.kind !== 'pointer')
        variables[name] = { kind: 'absent' };
}

/** Compares one stop; adds to `result`. */
function compareStop({ frames, omitted }, theirs, slide, label, result) {
  // gdb hides calls that were inlined where a breakpoint stands at their very beginning.
  const inner = frames.findIndex(({ isInlined }) => !isInlined);
  const hidden = frames
    .slice(0, inner + 1)
    .findIndex(
      (own) =>
        own.line === theirs[0].line && lastName(own.function) === lastName(theirs[0].function),
    );
  const ours = hidden > 0 ? frames.slice(hidden) : frames;
  if (hidden > 0) result.hidden++;
  const wrong = (text) => result.wrong.push(`${label}: ${text}`);
  // Below main are the C library's own, of which gdb may have debug information elsewhere.
  const main = theirs.findIndex(({ function: name }) => name === 'main');
  const depth = main < 0 ? 1 : main + 1;
  for (let i = 0; i < depth; i++) {
    const [own, their] = [ours[i], theirs[i]];
    if (!own && omitted > 0) return;
    if (!own) return wrong(`frame ${i} is missing: ${their.function}`);
    result.frames++;
    if (
      BigInt(own.pc) - slide.ours !== BigInt(their.pc) - slide.theirs &&
      own.module === slide.module
    )
      return wrong(`frame ${i} is at ${own.function} ${own.pc}, not ${their.function} ${their.pc}`);
    if (their.hasDebugInformation && own.file !== null)
      compareFrame(own, their, `${label} #${i}`, result);
  }
}

function compareFrame(own, their, label, result) {
  const wrong = (text) => result.wrong.push(`${label} ${own.function} ${text}`);
  const [mine, theirs] = [own, their].map(({ file, line }) => `${basename(file)}:${line}`);
  // gdb names a statement of an inlined function that has no instruction and no frame; ours is the function's own line.
  const isElsewhere = !their.isInlined && their.file !== their.functionFile;
  if (mine !== theirs && isElsewhere && basename(own.file) === basename(their.functionFile))
    result.elsewhere++;
  else if (mine !== theirs) wrong(`is at ${mine}, not ${theirs}`);
  if (lastName(own.function) !== lastName(their.function)) wrong(`is not ${their.function}`);
  if (own.isInlined !== their.isInlined) wrong(`is ${own.isInlined ? '' : 'not '}inlined`);
  if (their.variables && (own.variables?.length ?? 0) > 0)
    compareVariables(own, their, `${label} ${own.function}`, result);
}

function lastName(name) {
  return plainName(name).split('::').at(-1);
}

function compareVariables(own, their, label, result) {
  const mine = new Map(own.variables.map((one) => [one.name, one.value]));
  for (const [name, theirs] of Object.entries(their.variables)) {
    const value = mine.get(name);
    if (value === undefined) {
      if (theirs.kind === 'absent') result.absent++;
      else result.missing.push(`${label}: ${name} is not shown (${theirs.value ?? theirs.kind})`);
      continue;
    }
    const { kind, isSame, told } = compareValues(value, theirs);
    if (kind === 'absent') result.absent++;
    else if (kind === 'made') result.made++;
    else if (theirs.kind === 'pointer') result.pointers++;
    else if (isSame) result.values++;
    else result.wrong.push(`${label}: ${name} is ${told}, not ${theirs.value}`);
  }
}

process.env.STROBE_ADAPTERS_DELVE ??= delvePath;
const home = openHome();
const folder = mkdtempSync(join(tmpdir(), 'truth-'));
const product = await Product.start(home);
const rows = [];
let failures = 0;
try {
  const named = process.argv.slice(2);
  for (const [language, programs] of Object.entries(languages)) {
    if (named.length > 0 && !named.includes(language)) continue;
    const result = {
      stops: 0,
      ours: 0,
      frames: 0,
      values: 0,
      pointers: 0,
      made: 0,
      absent: 0,
      hidden: 0,
      elsewhere: 0,
      missing: /** @type {string[]} */ ([]),
      wrong: /** @type {string[]} */ ([]),
    };
    for (const [source, flags] of programs) {
      if (result.stops >= wanted) break;
      const program = buildProgram(`truth-${basename(source).replace('.', '-')}`, [source], flags);
      for (
        let round = 0;
        round < mostRounds &&
        result.stops <
          (wanted * (programs.findIndex(([one, f]) => one === source && f === flags) + 1)) /
            programs.length;
        round++
      ) {
        const run = { command: program, args: [], source, random, most: stopsARun };
        const ours = await ourStops(product, run, placeOf);
        const places = [
          ...new Map(
            ours.map((one) => [`${one.module} ${one.offset}`, [one.module, one.offset, arrivals]]),
          ).values(),
        ];
        if (places.length === 0) continue;
        const asked = [program, places, folder, home.project];
        const { stops, shared } = gdbStops(...asked, 'off');
        // What differs between two runs of gdb was never set.
        const again = gdbStops(...asked, 'on').stops;
        for (const one of ours) {
          const place = places.findIndex(
            ([module, offset]) => module === one.module && offset === one.offset,
          );
          if (!one.isMain || shared.has(place)) continue;
          result.ours++;
          const theirs = stops.get(`${place} ${one.arrival}`);
          const label = `${basename(source)} ${flags.join('')} ${one.frames[0].function} ${one.frames[0].line} (${one.arrival})`;
          if (!theirs) {
            result.wrong.push(`${label}: gdb does not come there`);
            continue;
          }
          result.stops++;
          leaveOut(theirs, again.get(`${place} ${one.arrival}`) ?? []);
          const slide = {
            module: one.module,
            ours: BigInt(one.frames[0].pc),
            theirs: BigInt(theirs[0].pc),
          };
          compareStop(one, theirs, slide, label, result);
        }
      }
    }
    failures += result.wrong.length;
    for (const text of [...new Set(result.wrong)].slice(0, 40)) console.log(`! ${text}`);
    for (const text of [...new Set(result.missing)].slice(0, 20)) console.log(`? ${text}`);
    const { missing, wrong, ours: _, ...counted } = result;
    const row = { language, seed, ...counted, notShown: missing.length, different: wrong.length };
    console.log(JSON.stringify(row));
    rows.push(row);
  }
  for (const [language, script] of Object.entries(scripts)) {
    if (named.length > 0 && !named.includes(language)) continue;
    const row = await compareScript(product, script, { random, wanted, most: stopsARun, folder });
    for (const text of row.differences.slice(0, 40)) console.log('!', language, text);
    failures += row.differences.length;
    const { differences, ...counted } = row;
    rows.push({ language, seed, ...counted, different: differences.length });
    console.log(JSON.stringify(rows.at(-1)));
  }
} finally {
  await product.close();
  home.close();
  rmSync(folder, { recursive: true, force: true });
}
const verdictOf = (all) => {
  const sum = (key) => all.reduce((total, row) => total + row[key], 0);
  return `${sum('stops')} stops at random places: ${sum('frames')} frames and ${sum('values')} values as other debuggers have them, ${sum('absent')} known to one of both at most, ${sum('different')} different`;
};
console.log(`seed ${seed}: ${verdictOf(rows)}`);
recordLanguages('debugTruth', verdictOf, rows);
if (failures > 0) process.exitCode = 1;
