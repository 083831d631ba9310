/*
 * Ten seeded bugs of different kinds in modules of Go, each explained by one call of debug_test with diagnose. A bug counts
 * as explained when a line among the three suspects stands in the guilty function (its file, and a line from its first to
 * its last) and a line of the diagnosis shows the wrong value. Both were written down before any of them was diagnosed
 * (support/seededGo.mjs). Arguments choose projects: `node proof/diagnoseGo.proof.mjs diary`.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { judged, linesOf, mostMedian, standsIn, summary } from './support/diagnosis.mjs';
import { recordRows } from './support/record.mjs';
import { seeded } from './support/seededGo.mjs';

const fewest = 8;
const chosen = process.argv.slice(2);
const targets = join(root, 'proof', 'targets', 'diagnoseGo');

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const [project, kind, name, wrong] of seeded) {
    if (chosen.length > 0 && !chosen.includes(project)) continue;
    const file = `${project}.go`;
    const projectRoot = join(home.project, project);
    cpSync(join(targets, project), projectRoot, { recursive: true });
    const begins = new RegExp(`^func ${name}\\(`, 'm');
    const text = readFileSync(join(projectRoot, file), 'utf8');
    const isShort = new RegExp(`^func ${name}\\(.*\\}$`, 'm').test(text);
    const [first, last] = linesOf(text, begins, true);
    const place = isShort ? [first, first] : [first, last];
    const judgement = await judged(
      product,
      { projectRoot, framework: 'go' },
      {
        id: project,
        kind,
        name,
        guilty: `${name} (${file}:${first})`,
        isGuilty: (line) => standsIn(line, file, place),
        wrong,
        facts: {},
      },
    );
    rows.push(judgement.row);
    if (judgement.row.explained === 'NO' || chosen.length > 0) console.log(`\n${judgement.text}\n`);
  }
  await product.close();
} finally {
  home.close();
}
const { explained, hidden, median } = summary(rows);
const verdict = `${explained} of ${rows.length} seeded bugs of Go are explained by one call (median ${median} tokens); ${hidden} failures do not name the guilty function`;
console.log(verdict);
if (chosen.length === 0) recordRows('diagnoseGo', verdict, rows);
if (chosen.length === 0 && (explained < fewest || median > mostMedian)) process.exitCode = 1;
