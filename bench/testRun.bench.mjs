/*
 * Five hundred small tests run by their own runner and through debug_test, rounds interleaved, for
 * every framework that is here (`node scripts/frameworks.mjs` installs some).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 5;
const files = 10;
const testsPerFile = 50;
const all = files * testsPerFile;

const numbers = (count) => Array.from({ length: count }, (_, number) => number);
const works = (command, args = ['--version']) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Where a package of npm's lies: with ours, with the tests' or with the proof's, newest first. */
function packages(name) {
  const installed = join(root, '.cache', 'frameworks');
  const versions = existsSync(installed)
    ? readdirSync(installed)
        .filter((folder) => folder.startsWith(`${name}-`))
        .toSorted()
        .toReversed()
    : [];
  const folders = [
    join(root, 'node_modules'),
    join(installed, 'node_modules'),
    ...versions.map((version) => join(installed, version, 'node_modules')),
  ];
  return folders.find((folder) => existsSync(join(folder, name))) ?? null;
}

/** Test files of JavaScript, each with tests by this line. */
function javaScript(manifest, head, extension, prefix = '') {
  return (folder) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    if (prefix !== '') mkdirSync(join(folder, prefix));
    for (const file of numbers(files)) {
      const tests = numbers(testsPerFile).map((n) => `it('sums ${n}', () => {});`);
      writeFileSync(
        join(folder, prefix, `file${file}.test.${extension}`),
        `${head}\n${tests.join('\n')}\n`,
      );
    }
  };
}

function compile(folder, source, flags) {
  mkdirSync(join(folder, 'build'));
  writeFileSync(join(folder, 'CMakeLists.txt'), '');
  writeFileSync(join(folder, 'tests.cpp'), source);
  execFileSync('g++', ['-O0', 'tests.cpp', ...flags, '-o', 'build/tests'], { cwd: folder });
}

function fromNpm(name, script, head, extension, prefix) {
  const at = packages(name);
  const write = javaScript({ scripts: { test: script } }, head, extension, prefix);
  return {
    isHere: at !== null,
    bare: [`node_modules/.bin/${name}`, ...script.split(' ').slice(1)],
    write(folder) {
      write(folder);
      symlinkSync(at, join(folder, 'node_modules'));
    },
  };
}

/** The project, the bare command, and whether it can be run here. */
const frameworks = {
  pytest: {
    isHere: works('pytest'),
    bare: ['pytest', '-q'],
    write(folder) {
      writeFileSync(join(folder, 'pytest.ini'), '[pytest]\n');
      for (const file of numbers(files)) {
        const tests = numbers(testsPerFile).map(
          (n) => `def test_${n}():\n    assert ${n} + 1 > ${n}\n`,
        );
        writeFileSync(join(folder, `test_file${file}.py`), tests.join('\n'));
      }
    },
  },
  unittest: {
    isHere: works('python3'),
    bare: ['python3', '-m', 'unittest', '-q'],
    write(folder) {
      for (const file of numbers(files)) {
        const tests = numbers(testsPerFile).map((n) => `    def test_${n}(self): pass\n`);
        writeFileSync(
          join(folder, `test_file${file}.py`),
          `import unittest\nclass Sums(unittest.TestCase):\n${tests.join('')}`,
        );
      }
    },
  },
  node: {
    isHere: true,
    bare: ['node', '--test'],
    write: javaScript(
      { scripts: { test: 'node --test' } },
      "const { it } = require('node:test');",
      'cjs',
    ),
  },
  vitest: fromNpm('vitest', 'vitest run', "import { it } from 'vitest';", 'js'),
  jest: fromNpm('jest', 'jest', '', 'js'),
  mocha: fromNpm('mocha', 'mocha --extension cjs test', '', 'cjs', 'test'),
  bun: fromNpm('bun', 'bun test', "const { it } = require('bun:test');", 'js'),
  deno: fromNpm('deno', 'deno test', 'const it = Deno.test;', 'js'),
  googletest: {
    isHere: existsSync('/usr/include/gtest/gtest.h'),
    bare: ['build/tests'],
    write(folder) {
      const tests = numbers(all).map((n) => `TEST(Sums, N${n}) {}`);
      const source = `#include <gtest/gtest.h>\n${tests.join('\n')}\n`;
      compile(folder, source, ['-lgtest', '-lgtest_main', '-pthread']);
    },
  },
  catch2: {
    isHere: existsSync('/usr/include/catch2/catch.hpp'),
    bare: ['build/tests'],
    write(folder) {
      const tests = numbers(all).map((n) => `TEST_CASE("sums ${n}") {}`);
      const source = `#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n${tests.join('\n')}\n`;
      compile(folder, source, []);
    },
  },
  cargo: {
    isHere: works('cargo'),
    bare: ['cargo', 'test'],
    write(folder) {
      mkdirSync(join(folder, 'src'));
      const manifest =
        '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n';
      writeFileSync(join(folder, 'Cargo.toml'), manifest);
      const tests = numbers(this.tests ?? all).map((n) => `#[test] fn sums_${n}() {}`);
      writeFileSync(join(folder, 'src', 'lib.rs'), tests.join('\n'));
    },
  },
  nextest: {
    isHere: works('cargo', ['nextest', '--version']),
    bare: ['cargo', 'nextest', 'run'],
    // It has a process for each.
    tests: 50,
    write(folder) {
      frameworks.cargo.write.call(this, folder);
      mkdirSync(join(folder, '.config'));
      writeFileSync(join(folder, '.config', 'nextest.toml'), '');
    },
  },
  go: {
    isHere: works('go', ['version']),
    // A cached result is no run.
    bare: ['go', 'test', '-count=1', './...'],
    env: { GOFLAGS: '-count=1' },
    write(folder) {
      writeFileSync(join(folder, 'go.mod'), 'module sums\n\ngo 1.21\n');
      const tests = numbers(all).map((n) => `func TestSums${n}(t *testing.T) {}`);
      writeFileSync(
        join(folder, 'sums_test.go'),
        `package sums\n\nimport "testing"\n\n${tests.join('\n')}\n`,
      );
    },
  },
  ctest: {
    isHere: works('ctest'),
    bare: ['ctest', '--test-dir', 'build'],
    tests: 50,
    write(folder) {
      const tests = numbers(50).map((n) => `add_test(NAME sums_${n} COMMAND true)\n`);
      const head = 'cmake_minimum_required(VERSION 3.21)\nproject(sums NONE)\nenable_testing()\n';
      writeFileSync(join(folder, 'CMakeLists.txt'), head + tests.join(''));
      execFileSync('cmake', ['-S', '.', '-B', 'build'], { cwd: folder, stdio: 'ignore' });
    },
  },
};

const wanted = process.argv.slice(2);
const home = openHome();
try {
  const product = await Product.start(home);
  const rows = [];
  for (const [name, framework] of Object.entries(frameworks)) {
    const { bare, isHere, tests = all } = framework;
    if (!isHere || (wanted.length > 0 && !wanted.includes(name))) continue;
    const projectRoot = join(home.project, name);
    mkdirSync(projectRoot);
    framework.write(projectRoot);
    const env = { ...home.env, ...framework.env };
    const command = bare[0].includes('/') ? join(projectRoot, bare[0]) : bare[0];
    const plain = () => {
      const started = performance.now();
      const { status } = spawnSync(command, bare.slice(1), {
        cwd: projectRoot,
        stdio: 'pipe',
        env,
      });
      if (status !== 0) throw new Error(`${bare.join(' ')} ended with ${status}`);
      return performance.now() - started;
    };
    const ours = async () => {
      const asked = { projectRoot, framework: name, env: framework.env ?? {}, waitMs: 50_000 };
      const isBinary = bare[0] === 'build/tests';
      let answer = await product.call('debug_test', {
        ...asked,
        ...(isBinary ? { command: bare[0] } : {}),
      });
      let { ms } = answer;
      while (answer.state === 'running') {
        answer = await product.call('debug_test', { action: 'wait', testRunId: answer.testRunId });
        ms += answer.ms;
      }
      if (answer.summary?.passed !== tests) throw new Error(answer.text);
      return ms;
    };
    plain();
    await ours();
    const times = { plain: [], ours: [] };
    for (let round = 0; round < rounds; round++) {
      times.plain.push(plain());
      times.ours.push(await ours());
    }
    const [beside, through] = [median(times.plain), median(times.ours)];
    rows.push(
      {
        what: `${name}, bare`,
        value: beside,
        unit: 'ms',
        note: `${tests} tests, ${rounds} rounds`,
      },
      {
        what: `${name}, above bare through debug_test`,
        value: through - beside,
        unit: 'ms',
        limit: `≤ ${(beside * 0.03 + 150).toFixed(0)} ms (3 % + 150 ms)`,
      },
    );
    console.log(`${name}: ${beside.toFixed(0)} ms bare, ${(through - beside).toFixed(0)} ms above`);
  }
  await product.close();
  if (wanted.length === 0) record('testRun', 'Test runs', rows);
} finally {
  home.close();
}
