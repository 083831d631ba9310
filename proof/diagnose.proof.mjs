/*
 * Faults seeded one at a time into three projects (GoogleTest, Catch2, cargo), each explained by one
 * call of debug_test with diagnose. Counted is whether the diagnosis, without the framework's own
 * message, holds the value or the function's line at fault, within its budget. Arguments choose
 * faults: `node proof/diagnose.proof.mjs shop3 calendar1`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { diagnosed } from './support/diagnosis.mjs';
import { recordRows } from './support/record.mjs';

const mostTokens = 2500;
const hasCatch = existsSync('/usr/include/catch2/catch.hpp');
const chosen = process.argv.slice(2);

/** What is wrong, and what of it the diagnosis has to show: a value, or the place of the function. */
const faults = [
  ['shop', 1, 'a limit off by one', /tierOf\(quantity=10\) = 5\b/],
  ['shop', 2, 'an integer division', /withPercentOff\(cents=(\d+), percent=[1-9]\d*\) = \1\b/],
  ['shop', 3, 'a cache that is not reset', /total\(.*lines_=\[1 element\].*total_=1140\}\) = 1140/],
  [
    'shop',
    4,
    'an exception: a key in another spelling',
    /reserve\(.*item="Red Pen", pieces=2\) ✗ unwound/,
  ],
  ['shop', 5, 'arguments exchanged', /shippingCents\(grams=2, zone=1500\)/],
  ['words', 1, 'a search that begins one too early', /endOfQuoted\(.*from=4\) = 4\b/],
  ['words', 2, 'a use that is not noted', /Recent::find\(.*key="a"\) = (?:0x|")/],
  ['words', 3, 'a crash: null is not expected', /floorOf\(.*key=3\) = nullptr/],
  ['words', 4, 'an order turned round', /isBefore\(.*priority=.*\) = .*words\.cpp:\d+/],
  ['words', 5, 'a shift by the wrong amount', /rotated\(value=.*bits=5\).*words\.cpp:\d+/],
  ['calendar', 1, 'a rule that is incomplete', /is_leap\(year=1900\) = true/],
  ['calendar', 2, 'a panic: what a callee refuses', /date::number\(text="03"\)/],
  ['calendar', 3, 'a wrong sign', /deposit\(.*cents=4950\)/],
  ['calendar', 4, 'a panic: a range beyond the end', /sum_of\(.*start=2, length=4\)/],
  ['calendar', 5, 'a missing absolute value', /step\(.*at=2\) = -9/],
];

/** Which function is at fault, written down from the sources: it should be among the suspects, with its values. */
const culprits = {
  shop: ['tierOf', 'withPercentOff', 'remove', 'reserve', 'quote'],
  words: ['endOfQuoted', 'find', 'floorOf', 'isBefore', 'rotated'],
  calendar: ['is_leap', 'number', 'refund', 'window_at', 'step'],
};

/** Whether a suspect, or an own frame of the crash, is the function at fault. */
function isSuspected(diagnoses, name, number) {
  const culprit = culprits[name][number - 1];
  return diagnoses
    .flatMap((one) => one.text.split('\n'))
    .some(
      (line) => /^ {2}(?:[1-3]\. |at )/.test(line) && new RegExp(`\\b${culprit}\\b`).test(line),
    );
}

const projects = {
  shop: {
    framework: 'GoogleTest',
    tests: ['shopTest.cpp'],
    sources: ['price.cpp', 'cart.cpp', 'stock.cpp'],
    libraries: ['-lgtest', '-lgtest_main', '-lpthread'],
  },
  words: {
    framework: 'Catch2',
    tests: ['wordsTest.cpp', 'catchMain.cpp'],
    sources: ['words.cpp'],
    libraries: [],
  },
  calendar: { framework: 'cargo' },
};
const gcc = ['-g', '-O0', '-std=c++17'];

/** A project's copy; the tests of a native one are compiled once. */
function prepared(home, name) {
  const folder = join(home.project, name);
  cpSync(join(root, 'proof', 'targets', 'diagnose', name), folder, { recursive: true });
  const { tests } = projects[name];
  if (!tests) return folder;
  mkdirSync(join(folder, 'build'));
  for (const source of tests)
    execFileSync('g++', [...gcc, '-c', source, '-o', `build/${source}.o`], { cwd: folder });
  return folder;
}

/** What debug_test is called with for a fault, after it was built. */
function seeded(home, folder, name, number) {
  const { tests, sources, libraries } = projects[name];
  if (!tests) {
    const env = {
      CARGO_TARGET_DIR: join(home.path, 'target'),
      CARGO_NET_OFFLINE: 'true',
      RUSTFLAGS: `--cfg fault="${number}"`,
    };
    execFileSync('cargo', ['test', '--no-run', '-q'], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    return { projectRoot: folder, env };
  }
  const command = `build/${name}${number}`;
  const objects = tests.map((source) => `build/${source}.o`);
  execFileSync(
    'g++',
    [...gcc, `-DFAULT=${number}`, ...sources, ...objects, ...libraries, '-o', command],
    { cwd: folder },
  );
  return { projectRoot: folder, command };
}

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  const folders = new Map();
  for (const [name, number, kind, wanted] of faults) {
    if (chosen.length > 0 && !chosen.includes(`${name}${number}`)) continue;
    if (name === 'words' && !hasCatch) continue;
    if (!folders.has(name)) folders.set(name, prepared(home, name));
    const args = seeded(home, folders.get(name), name, number);
    const started = performance.now();
    const { text, ms: _ms, ...twin } = await diagnosed(product, args);
    const seconds = (performance.now() - started) / 1000;
    const tokens = Math.max(countTokens(text), countTokens(JSON.stringify(twin)));
    const diagnoses = twin.diagnoses ?? [];
    const found = diagnoses
      .flatMap((one) => one.text.split('\n'))
      .find((line) => wanted.test(line));
    const row = {
      fault: `${name} ${number}: ${kind}`,
      framework: projects[name].framework,
      explained: found !== undefined && tokens <= mostTokens ? 'yes' : 'NO',
      'among suspects': isSuspected(diagnoses, name, number) ? 'yes' : 'NO',
      tokens,
      seconds: seconds.toFixed(1),
      'shown at': (found ?? '').trim().slice(0, 160),
    };
    rows.push(row);
    console.log(`${row.explained.padEnd(4)} ${row.fault} (${tokens} tokens, ${row.seconds} s)`);
    if (row.explained === 'NO' || chosen.length > 0) console.log(`\n${text}\n`);
  }
  await product.close();
} finally {
  home.close();
}
const explained = rows.filter((row) => row.explained === 'yes').length;
const suspected = rows.filter((row) => row['among suspects'] === 'yes').length;
const median = rows.map((row) => row.tokens).toSorted((a, b) => a - b)[rows.length >> 1] ?? 0;
const left = hasCatch ? '' : '; no Catch2 here, its five were left out';
const verdict = `${explained} of ${rows.length} seeded faults are explained within ${mostTokens} tokens (median ${median}), ${suspected} name the function at fault among three suspects${left}`;
console.log(verdict);
if (chosen.length === 0) recordRows('diagnose', verdict, rows);
if (explained < rows.length * 0.8) process.exitCode = 1;
