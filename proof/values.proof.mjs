/*
 * Values of random programs beside what these print: `npm run proof values -- --programs=6 --seed=1`. Each program has functions of
 * random parameters and results, called from one place with values the compiler knows or does not; each call prints what it was given
 * and gave back. What an answer shows must be that, or be told as not known. Compilers and flags are those that change how functions
 * are called. Of a function whose calls are not as many as were printed (merged, or inlined after all) nothing is compared.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { cppProgram } from './support/generatedCpp.mjs';
import { rustProgram } from './support/generatedRust.mjs';
import { randomOf } from './support/random.mjs';
import { recordRows } from './support/record.mjs';
import { Comparison, bare } from './support/shownValues.mjs';

const functions = 40;
const rounds = 2;
const mostShown = 20;

const languages = [
  {
    extension: 'cpp',
    program: cppProgram,
    prelude: 'values.hpp',
    builds: [
      'g++ -O0',
      'g++ -O1',
      'g++ -O2',
      'g++ -O2 -gdwarf-4',
      'g++ -O3 -gdwarf-4',
      'g++ -O2 -flto',
      'g++ -Os',
      'clang++ -O0',
      'clang++ -O1 -gdwarf-4',
      'clang++ -O2',
      'clang++ -O2 -stdlib=libc++',
      'clang++ -O3',
      'clang++ -O2 -flto -fuse-ld=lld',
    ].map((build) => `${build} -std=c++20 -g -w`),
  },
  {
    extension: 'rs',
    program: rustProgram,
    prelude: 'values.rs',
    builds: [
      ...['0', '1', '2', '3', 'z'].map((level) => `-C opt-level=${level}`),
      '-C opt-level=3 -C lto=fat -C codegen-units=1',
    ].map((flags) => `rustc -g --crate-name generated ${flags}`),
  },
];

const option = (name) => process.argv.find((one) => one.startsWith(`--${name}=`))?.split('=')[1];
const programs = Number(option('programs') ?? 4);
const seed = Number(option('seed') ?? Date.now() % 1_000_000);

/** All calls of a session as `events` shows them. */
async function callsOf(product, sessionId) {
  const all = [];
  let cursor = null;
  do {
    const page = await product.call('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['call'],
      verbose: true,
      budget: 20_000,
      limit: 500,
      ...(cursor === null ? {} : { cursor }),
    });
    all.push(...page.events);
    cursor = page.hasMore ? page.cursor : null;
  } while (cursor !== null);
  return all;
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

async function compared(product, program, comparison) {
  const pattern = { pattern: '**gen::f*', depth: 6 };
  const { sessionId } = await product.launch(program, [String(rounds)], [pattern]);
  const { exit } = await product.waitForExit(sessionId);
  if (exit.code !== 0) comparison.wrong.push(`the program ended by ${JSON.stringify(exit)}`);
  const byName = grouped(await callsOf(product, sessionId), ({ functionName }) =>
    functionName.split('::').at(-1),
  );
  const output = execFileSync(program, [String(rounds)], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const lines = output.split('\n').filter((line) => line !== '');
  const printed = grouped(lines, (line) => line.slice(0, line.indexOf(' ')));
  let calls = 0;
  for (const [name, told] of printed) {
    const seen = byName.get(name) ?? [];
    if (seen.length !== told.length) continue;
    for (const [i, line] of told.entries()) {
      const { return: result, ...given } = JSON.parse(line.slice(name.length));
      calls++;
      for (const [parameter, value] of Object.entries(given))
        comparison.add(bare(seen[i].arguments?.[parameter]), value, `${name} ${parameter}`);
      if (result !== undefined)
        comparison.add(bare(seen[i].returnValue), result, `${name} returned`);
    }
  }
  return calls;
}

const folder = mkdtempSync(join(tmpdir(), 'values-'));
const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const { extension, program, prelude, builds } of languages) {
    copyFileSync(join(root, 'proof', 'targets', 'generated', prelude), join(folder, prelude));
    const all = builds.map((build) => ({ build, calls: 0, comparison: new Comparison() }));
    for (let number = 0; number < programs; number++) {
      const random = randomOf(seed + number);
      const below = (most) => Math.floor(random() * most);
      const source = join(folder, `${seed + number}.${extension}`);
      writeFileSync(source, program({ below, isOneIn: (most) => below(most) === 0 }, functions));
      for (const one of all) {
        const [compiler, ...flags] = one.build.split(' ');
        const built = join(folder, 'program');
        execFileSync(compiler, [...flags, source, '-o', built], { stdio: 'ignore' });
        const before = one.comparison.wrong.length;
        one.calls += await compared(product, built, one.comparison);
        for (const wrong of one.comparison.wrong.slice(before, before + mostShown))
          console.log(`WRONG  ${one.build}, seed ${seed + number}: ${wrong}`);
      }
    }
    for (const { build, calls, comparison } of all) {
      const { right, untold, wrong } = comparison;
      rows.push({ build, calls, right, 'not told': untold, wrong: wrong.length });
      console.log(
        `${build}: ${calls} calls, ${right} right, ${untold} not told, ${wrong.length} wrong`,
      );
    }
  }
  await product.close();
} finally {
  home.close();
  rmSync(folder, { recursive: true, force: true });
}
const right = rows.reduce((sum, row) => sum + row.right, 0);
const wrong = rows.reduce((sum, row) => sum + row.wrong, 0);
const verdict = `${right} values of random programs as printed, ${wrong} otherwise, seed ${seed}`;
recordRows('values', verdict, rows);
if (wrong > 0) process.exitCode = 1;
