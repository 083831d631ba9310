/*
 * What Strobe knows of the functions of programs, own and foreign: addresses, sizes and linkage names against
 * readelf's, lines against addr2line's and LLVM's, names against gdb's (with debug information) or c++filt's. Arguments
 * select programs by part of a name.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { loadTypeScript } from '../scripts/loadTypeScript.mjs';
import { recordRows } from './support/record.mjs';
import {
  SymbolWorker,
  demangled,
  demanglerPath,
  gdbNames,
  linesOf,
  symbolsOf,
} from './support/symbols.mjs';

// Lines of single addresses are asked for by reports of crashes, not by the worker's questions.
const { symbols: reader, names: demangling } = await loadTypeScript(root, {
  symbols: 'src/symbols/native/index/library.ts',
  names: 'src/symbols/native/names/demangler.ts',
});
const demangler = new demangling.Demangler(readFileSync(demanglerPath));

const scratch = mkdtempSync(join(tmpdir(), 'sproof-symbols-'));
const mostFunctions = 20_000;
const mostLines = 4000;
const mostNames = 250;

function own(name, command, source, flags) {
  const output = join(scratch, name);
  execFileSync(command, [...flags, '-o', output, join(root, source)], {
    stdio: 'ignore',
    cwd: scratch,
    env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
  });
  return output;
}

function firstIn(folder, wanted) {
  if (!existsSync(folder)) return null;
  const found = readdirSync(folder).find((name) => wanted.test(name));
  return found === undefined ? null : join(folder, found);
}

const names = 'tests/targets/symbols/names.cpp';
const rustup = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup');
const rustLibraries = join(rustup, 'toolchains/1.95.0-x86_64-unknown-linux-gnu/lib');
const programs = [
  ['own, g++ -O2', () => own('gcc', 'g++', names, ['-std=c++17', '-g', '-O2'])],
  ['own, clang++ -O2', () => own('clang', 'clang++', names, ['-std=c++17', '-g', '-O2'])],
  ['own, clang++ -O0, DWARF 4', () => own('clang4', 'clang++', names, ['-std=c++17', '-gdwarf-4'])],
  ['own, rustc -O', () => own('rust', 'rustc', 'tests/targets/symbols/places.rs', ['-g', '-O'])],
  ['own, go', () => own('go', 'go', 'tests/targets/e2e/starts.go', ['build'])],
  ['docker (Go, DWARF)', '/usr/local/bin/docker'],
  ['go (Go, symbols)', '/usr/local/go/bin/go'],
  ['node (C++, partly DWARF)', '/usr/bin/node'],
  ['naga (Rust, symbols)', '/usr/local/bin/naga'],
  ['rustup (Rust, symbols)', join(homedir(), '.cargo/bin/rustup')],
  ['librustc_driver (Rust, symbols)', () => firstIn(rustLibraries, /^librustc_driver/)],
  ['rust-lld (C++, symbols)', join(rustLibraries, 'rustlib/x86_64-unknown-linux-gnu/bin/rust-lld')],
  ['libLLVM-14 (C++, stripped)', '/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1'],
  ['libstdc++ (C++, stripped)', '/usr/lib/x86_64-linux-gnu/libstdc++.so.6'],
  ['python3.11 (C, stripped)', '/usr/bin/python3.11'],
  ['gdb (C++, stripped)', '/usr/bin/gdb'],
  [
    'better_sqlite3.node (C, symbols)',
    join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'),
  ],
];

/** Copies that only the optimiser knows, and thunks: no functions of the source. */
const leftOut = /\.(?:cold|part)\b|^_ZT[hvc]/;
/** Without blanks and arguments, which the readers spell each in a way of their own. */
function bare(text) {
  let plain = text
    .replaceAll(/\[[0-9a-f]{8,16}\]|\s/g, '')
    .replaceAll('{{closure}}', '{closure}')
    .replaceAll('::<', '<')
    .replaceAll(/(?<=operator)(?:->|<=>|<<=?|>>=?|[<>]=?)/g, '');
  for (let before = ''; before !== plain;) {
    before = plain;
    plain = plain
      .replaceAll(/(?<=\w|\])<[^<>]*>/g, '')
      .replaceAll(/(?<=\w)\((?!anonymous)[^()]*\)/g, '');
  }
  return plain;
}

/** Of a list at most `most`, from everywhere in it. */
function spread(list, most) {
  const step = Math.max(1, list.length / most);
  return Array.from(
    { length: Math.min(most, list.length) },
    (_unused, i) => list[Math.floor(i * step)],
  );
}

/** Functions and symbols that disagree about what begins where. */
function compareSymbols(functions, symbols, isWhole) {
  const byAddress = new Map(functions.map((fn) => [fn.address, fn]));
  const last = isWhole ? Infinity : (functions.at(-1)?.address ?? 0);
  const differences = [];
  let compared = 0;
  for (const [address, at] of symbols) {
    if (address > last || at.every(({ name }) => leftOut.test(name))) continue;
    compared++;
    const fn = byAddress.get(address);
    if (fn === undefined) differences.push(`${at[0].name} is missing`);
    else if (!at.some(({ name, size }) => size === fn.size && name === fn.linkageName))
      differences.push(`${fn.linkageName} ${fn.size}: ${at[0].name} ${at[0].size}`);
  }
  const alone = functions.filter(({ address }) => !symbols.has(address));
  return { compared, differences, alone };
}

function compareLines(code, path, functions) {
  const wanted = spread(
    functions.filter(({ file }) => file !== null),
    mostLines / 4,
  );
  const addresses = wanted.flatMap(({ address, size }) =>
    [0, 0.3, 0.6, 0.9].map((part) => address + Math.floor(size * part)),
  );
  const places = addresses.map((address) => code.placeOf(address));
  const theirs = linesOf(path, addresses);
  const ours = places.map(({ file, line }) =>
    file === null || line === null ? '?' : `${file.split('/').at(-1)}:${line}`,
  );
  // binutils 2.40 misreads the file tables of Go and of clang with DWARF 5.
  const open = ours.flatMap((line, i) => (line === theirs[i] ? [] : [i]));
  const others = linesOf(
    path,
    open.map((i) => addresses[i]),
    'llvm-addr2line',
  );
  const differences = open.flatMap((i, at) =>
    ours[i] === others[at] ? [] : [`0x${addresses[i].toString(16)} ${ours[i]}: ${others[at]}`],
  );
  return { compared: ours.length, differences };
}

/** Rust's impl blocks are `{impl#N}` for gdb, and the name is the demangler's. */
function compareNames(path, functions) {
  const described = functions.filter(({ file }) => file !== null);
  const chosen = spread(described.length > 0 ? described : functions, mostNames);
  const theirs =
    described.length > 0
      ? gdbNames(
          path,
          chosen.map(({ address }) => address),
        )
      : demangled(chosen.map(({ linkageName }) => linkageName));
  const differences = [];
  let compared = 0;
  chosen.forEach((fn, i) => {
    const wanted = theirs[i] ?? '';
    if (
      wanted === '' ||
      wanted.includes('{impl#') ||
      wanted.includes('<impl ') ||
      /^std::(?:string|[io]*stream)/.test(fn.name)
    )
      return;
    compared++;
    // Of a template the result's type stands first.
    if (!bare(wanted).includes(bare(fn.name))) differences.push(`${fn.name}: ${wanted}`);
  });
  return { compared, differences };
}

async function prove(name, given) {
  let path = null;
  try {
    path = typeof given === 'string' ? given : given();
  } catch {
    // Its compiler is not here.
  }
  if (path === null || !existsSync(path)) return { name, outcome: 'skipped', because: 'not here' };
  path = realpathSync(path);
  const worker = new SymbolWorker(join(scratch, 'index'));
  const library = new reader.Library(join(scratch, 'lines'), demangler);
  try {
    const summary = await worker.ask('open', { path, patterns: [] });
    const options = { projectRoot: '/', limit: mostFunctions, isForReading: true };
    const found = await worker.ask('find', { modules: [path], pattern: '**', options });
    const { functions } = found.value;
    const isWhole = functions.length < mostFunctions;
    const symbols = compareSymbols(functions, symbolsOf(path), isWhole);
    const lines = compareLines(library.code(path), path, functions);
    const readable = compareNames(path, functions);
    return { name, path, summary, symbols, lines, readable, functions: functions.length };
  } finally {
    library[Symbol.dispose]();
    await worker.close();
  }
}

const wanted = process.argv.slice(2);
try {
  const rows = [];
  let bad = 0;
  for (const [name, given] of programs) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const told = await prove(name, given);
    if (told.outcome === 'skipped') {
      console.log('skipped ', name, told.because);
      rows.push({ program: name, functions: 'not here' });
      continue;
    }
    const shown = ({ compared, differences }) => `${compared - differences.length} of ${compared}`;
    const all = [told.symbols, told.lines, told.readable];
    const differences = all.flatMap((one) => one.differences.slice(0, 3));
    bad += all.reduce((sum, one) => sum + one.differences.length, 0);
    const row = {
      program: name,
      functions: told.summary.functions,
      'as readelf': shown(told.symbols),
      'lines as addr2line or LLVM': shown(told.lines),
      'names as gdb or c++filt': shown(told.readable),
      'only in DWARF': told.symbols.alone.length,
      'the first differences': differences.join('; ').slice(0, 300),
    };
    rows.push(row);
    console.log(Object.values(row).join(' | '));
  }
  if (wanted.length === 0) {
    const verdict = `${rows.length} programs, ${bad} differences`;
    recordRows('symbols', verdict, rows);
    console.log(verdict);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
