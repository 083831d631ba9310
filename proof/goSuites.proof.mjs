/*
 * The test suites of three well-known modules of Go, from the module proxy by version, run twice by debug_test: as they are,
 * and with all functions of the module traced. Every test must end in the same way, and calls must be recorded.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';

const modules = [
  'github.com/google/uuid@v1.6.0',
  'github.com/BurntSushi/toml@v1.4.0',
  'github.com/gorilla/mux@v1.8.1',
];
const cache = join(root, '.cache', 'go');
const limitMs = 120_000;

function fetched(module) {
  mkdirSync(cache, { recursive: true });
  const env = { ...process.env, GOMODCACHE: cache, GOFLAGS: '-modcacherw' };
  const said = execFileSync('go', ['mod', 'download', '-json', module], { env, cwd: cache });
  return JSON.parse(said.toString()).Dir;
}

async function ended(product, args) {
  let answer = await product.call('debug_test', { ...args, waitMs: 50_000 });
  while (answer.state === 'running')
    answer = await product.call('debug_test', {
      action: 'wait',
      testRunId: answer.testRunId,
      timeoutMs: 50_000,
    });
  const { tests } = JSON.parse(readFileSync(answer.details, 'utf8'));
  return {
    answer,
    outcomes: tests.map(({ id, outcome }) => `${id} ${outcome}`).toSorted(),
  };
}

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const module of modules) {
    const projectRoot = join(home.project, module.replaceAll(/\W/g, '-'));
    cpSync(fetched(module), projectRoot, { recursive: true });
    const asked = { projectRoot, framework: 'go', timeoutMs: limitMs };
    const plain = await ended(product, asked);
    const traced = await ended(product, { ...asked, patterns: ['@usercode'] });
    const isEqual = plain.outcomes.join('\n') === traced.outcomes.join('\n');
    const hooked = /traced: ([\d,]+) functions hooked/.exec(traced.answer.text)?.[1] ?? '0';
    rows.push({ module, tests: plain.outcomes.length, hooked, equal: isEqual ? 'yes' : 'NO' });
    console.log(
      `${isEqual ? 'yes' : 'NO '} ${module}: ${plain.outcomes.length} tests, ${hooked} functions hooked`,
    );
  }
  await product.close();
} finally {
  home.close();
}
const equal = rows.filter((row) => row.equal === 'yes' && row.hooked !== '0').length;
const verdict = `the test suites of ${equal} of ${rows.length} modules of Go end the same traced and untraced`;
console.log(verdict);
recordRows('goSuites', verdict, rows);
if (equal < rows.length) process.exitCode = 1;
