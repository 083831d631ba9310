/*
 * Every test framework that can be installed here, in the versions people use, asked the same
 * things through the whole product; the table says where each holds. Arguments are parts of the
 * frameworks' names: their rows alone are made anew. `--<clause>` tries that alone and records nothing.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { clauses, Bench } from './support/frameworks/clauses.mjs';
import { javaScript } from './support/frameworks/javaScript.mjs';
import { native } from './support/frameworks/native.mjs';
import { python } from './support/frameworks/python.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const isClause = (word) => word.startsWith('--');
const wanted = process.argv.slice(2).filter((word) => !isClause(word));
const only = process.argv.filter(isClause).map((word) => word.slice(2));

/** One framework's row: a sign for each clause. */
async function askedOf(framework, product, folder) {
  const { name, without } = framework;
  const bench = new Bench(product, framework, folder);
  const row = { framework: name };
  for (const [clause, hold] of Object.entries(clauses)) {
    if (only.length > 0 && !only.includes(clause)) continue;
    if (without[clause] !== undefined) {
      row[clause] = '–';
      continue;
    }
    try {
      await hold(bench, framework);
      row[clause] = '✓';
    } catch (error) {
      row[clause] = '✗';
      console.log(`✗ ${name}, ${clause}: ${error.message}`);
    }
  }
  console.log(Object.values(row).join(' '));
  const reasons = Object.entries(without).map(([clause, why]) => `${clause}: ${why}`);
  return { ...row, '–': reasons.join('; ') };
}

const frameworks = [...python(), ...javaScript(), ...native()];
const isWanted = ({ name }) =>
  wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part.toLowerCase()));
const rows = new Map(
  wanted.length === 0 ? [] : recordedRows('frameworks').map((row) => [row.framework, row]),
);
const home = openHome();
try {
  const product = await Product.start(home);
  const folder = join(home.path, 'frameworks');
  mkdirSync(folder);
  for (const framework of frameworks.filter(isWanted))
    rows.set(framework.name, await askedOf(framework, product, folder));
  await product.close();
} finally {
  home.close();
}
const inOrder = frameworks.flatMap(({ name }) => rows.get(name) ?? []);
const signs = inOrder.flatMap((row) => Object.values(row));
const held = signs.filter((sign) => sign === '✓').length;
const asked = held + signs.filter((sign) => sign === '✗').length;
if (only.length === 0)
  recordRows(
    'frameworks',
    `${held} of ${asked} clauses hold in ${inOrder.length} frameworks; –: the framework has no such thing`,
    inOrder,
  );
if (held < asked) process.exitCode = 1;
