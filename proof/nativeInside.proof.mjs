/*
 * Breakpoints that record in machine code, beside gdb stopped at the same addresses: the same places in the same order, and
 * the same values of the same locals, or optimised out in one of them. `node proof/nativeInside.proof.mjs 5` takes another seed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { compared, proveBeside, recorded, someOf, unset } from './support/besideDebugger.mjs';
import { vendoredFolder } from './support/vendored.mjs';

const targets = join(root, 'proof', 'targets');
const rounds = '2';
const places = 32;

const builds = [
  ['gcc -O0', 'gcc', ['-O0', '-g', '-no-pie'], 'inside.c'],
  ['gcc -O2', 'gcc', ['-O2', '-g', '-no-pie'], 'inside.c'],
  ['clang -O0', 'clang', ['-O0', '-g', '-no-pie'], 'inside.c'],
  ['clang -O2', 'clang', ['-O2', '-g', '-no-pie'], 'inside.c'],
  ['rustc -O0', 'rustc', ['-g', '-C', 'opt-level=0', '-C', 'relocation-model=static'], 'inside.rs'],
  ['rustc -O2', 'rustc', ['-g', '-C', 'opt-level=2', '-C', 'relocation-model=static'], 'inside.rs'],
];

function build(name, compiler, flags, source) {
  const folder = vendoredFolder('nativeInside');
  mkdirSync(folder, { recursive: true });
  const program = join(folder, name.replaceAll(' ', ''));
  execFileSync(compiler, [...flags, join(targets, source), '-o', program]);
  return program;
}

/** Where statements of a source's functions begin, by binutils; not of main, which runs before any is placed. */
function statementAddresses(program, source) {
  const text = execFileSync('objdump', ['--dwarf=decodedline', program], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const main = readFileSync(join(targets, source), 'utf8')
    .split('\n')
    .findIndex((line) => /^(?:int|fn) main/.test(line));
  const pattern = new RegExp(`^${source.replace('.', '\\.')}\\s+(\\d+)\\s+(0x[0-9a-f]+).*\\sx$`);
  const rows = text.split('\n').flatMap((row) => {
    const [, line, address] = pattern.exec(row) ?? [];
    return address !== undefined && Number(line) <= main ? [address] : [];
  });
  return [...new Set(rows)];
}

/** Each stop of gdb, by address. */
function stopped(program, addresses) {
  const folder = mkdtempSync(join(tmpdir(), 'stopped-'));
  const [input, said] = [join(folder, 'input'), join(folder, 'said.json')];
  writeFileSync(input, `${rounds}\n`);
  const script = join(targets, 'stopped.gdb.py');
  spawnSync('gdb', ['-nx', '-batch', '-x', script, program], {
    stdio: 'ignore',
    env: { ...process.env, PLACES: JSON.stringify(addresses), SAID: said, INPUT: input },
  });
  const hits = JSON.parse(readFileSync(said, 'utf8'));
  rmSync(folder, { recursive: true });
  return hits;
}

/** Text and structures are left to the proof of values. */
const other = Symbol('other');

function ofGdb(value) {
  if (value.absent) return unset;
  if (value.number !== undefined) return BigInt(value.number);
  if (value.decimal !== undefined) return value.decimal;
  return value.address === undefined ? other : pointer(BigInt(value.address));
}

/** Where things are changes from run to run. */
const pointer = (address) => (address === 0n ? address : 'elsewhere');

const isAddress = (value) => /^0x|^nullptr$/.test(value);
const pointerOf = (value) => pointer(BigInt(value === 'nullptr' ? 0 : value));

/** What ours means, read as what gdb's is. */
function ofOurs(value, like) {
  if (value === null) return 0n;
  if (value === undefined || value === '?' || value.notCaptured !== undefined) return unset;
  // A pointer to text is told as the text.
  if (like === 'elsewhere') return isAddress(value) ? pointerOf(value) : like;
  if (typeof like === 'bigint' && isAddress(value)) return pointerOf(value);
  if (typeof like === 'bigint' && typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof like === 'bigint' && typeof value === 'string') {
    if (/^-?\d+$/.test(value) && value.length > 1) return BigInt(value);
    return value.length === 1 ? BigInt(value.codePointAt(0)) : value;
  }
  if (typeof like === 'bigint' && typeof value === 'number') return BigInt(value);
  return value;
}

async function tried([name, compiler, flags, source], seed) {
  const program = build(name, compiler, flags, source);
  const home = openHome();
  const product = await Product.start(home);
  try {
    const asked = someOf(statementAddresses(program, source), places, seed);
    const ours = await recorded(
      product,
      { command: program, args: [], projectRoot: targets, rounds },
      asked.map((address) => ({ address, capture: { locals: true } })),
      { mayFail: true },
    );
    const theirs = stopped(program, ours.places);
    return { lines: ours.places.length, ...compared(ours.hits, theirs, ofOurs, ofGdb, other) };
  } finally {
    await product.close();
    home.close();
  }
}

const seed = Number(process.argv[2] ?? '1');
await proveBeside(
  'nativeInside',
  'gdb',
  builds.map((one) => ({ name: one[0], tried: () => tried(one, seed) })),
);
