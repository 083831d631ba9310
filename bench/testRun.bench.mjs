/* Five hundred small tests run by their own runner and through debug_test, rounds interleaved. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 5;
const files = 10;
const testsPerFile = 50;

const numbers = (count) => Array.from({ length: count }, (_, number) => number);

/** The project, the bare command, and how often it is asked through us. */
const frameworks = {
  pytest: {
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
  node: {
    bare: ['node', '--test'],
    write(folder) {
      writeFileSync(join(folder, 'package.json'), '{"scripts":{"test":"node --test"}}');
      for (const file of numbers(files)) {
        const tests = numbers(testsPerFile).map((n) => `test('sums ${n}', () => {});`);
        writeFileSync(
          join(folder, `file${file}.test.cjs`),
          `const { test } = require('node:test');\n${tests.join('\n')}\n`,
        );
      }
    },
  },
};

const home = openHome();
try {
  const product = await Product.start(home);
  const rows = [];
  for (const [name, framework] of Object.entries(frameworks)) {
    const { bare } = framework;
    const projectRoot = join(home.project, name);
    mkdirSync(projectRoot);
    framework.write(projectRoot);
    const plain = () => {
      const started = performance.now();
      const { status } = spawnSync(bare[0], bare.slice(1), {
        cwd: projectRoot,
        stdio: 'pipe',
        env: home.env,
      });
      if (status !== 0) throw new Error(`${bare.join(' ')} ended with ${status}`);
      return performance.now() - started;
    };
    const ours = async () => {
      let answer = await product.call('debug_test', { projectRoot, waitMs: 50_000 });
      let { ms } = answer;
      while (answer.state === 'running') {
        answer = await product.call('debug_test', { action: 'wait', testRunId: answer.testRunId });
        ms += answer.ms;
      }
      if (answer.summary?.passed !== files * testsPerFile) throw new Error(answer.text);
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
        note: `${files * testsPerFile} tests in ${files} files, ${rounds} rounds`,
      },
      {
        what: `${name}, above bare through debug_test`,
        value: through - beside,
        unit: 'ms',
        limit: `≤ ${(beside * 0.03 + 150).toFixed(0)} ms (3 % + 150 ms)`,
      },
    );
  }
  await product.close();
  record('testRun', 'Test runs', rows);
} finally {
  home.close();
}
