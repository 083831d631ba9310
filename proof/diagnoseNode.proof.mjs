/*
 * Twelve seeded bugs of different kinds in JavaScript and TypeScript projects of 3 to 10 files, tested by Vitest, Jest,
 * Mocha and node:test, each explained by one call of debug_test with diagnose. A bug counts as explained when one of the
 * three suspects stands in the guilty function (its file, and a line from its first to its last) and a line of the
 * diagnosis shows the wrong value. What is guilty was written down and committed before any of them was diagnosed.
 * Arguments choose projects: `node proof/diagnoseNode.proof.mjs rota`; `fresh` runs the set on which no rule was tuned,
 * `others` examples by which the rules may be improved.
 */
import { cpSync, existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { judged, linesOf, mostMedian, standsIn, summary } from './support/diagnosis.mjs';
import { recordRows } from './support/record.mjs';
import { fresh, others, seeded } from './support/seededNode.mjs';

const fewest = 10;
const sets = {
  fresh: { bugs: fresh, folder: 'diagnoseNodeFresh' },
  others: { bugs: others, folder: 'diagnoseNodeOthers' },
};
const named = sets[process.argv[2]];
const { bugs, folder } = named ?? { bugs: seeded, folder: 'diagnoseNode' };
const chosen = process.argv.slice(named ? 3 : 2);
const proof = named ? `diagnoseNode ${process.argv[2]}` : 'diagnoseNode';
const targets = join(root, 'proof', 'targets', folder);
/** Where the runners are installed. */
const packages = {
  vitest: join(root, 'node_modules'),
  jest: join(root, '.cache', 'frameworks', 'node_modules'),
  mocha: join(root, '.cache', 'frameworks', 'node_modules'),
};

const home = openHome();
// A Node that is known (scripts/nodes.mjs), else the machine's.
const node = join(root, '.cache', 'nodes', 'node_modules', 'node24', 'bin');
if (existsSync(node)) home.env.PATH = `${node}${delimiter}${home.env.PATH}`;
const rows = [];
try {
  const product = await Product.start(home);
  for (const [project, kind, framework, culprit, wrong] of bugs) {
    if (chosen.length > 0 && !chosen.includes(project)) continue;
    const [file, name] = culprit.split(' ');
    const projectRoot = join(home.project, project);
    cpSync(join(targets, project), projectRoot, { recursive: true });
    const begins = new RegExp(`(?:function\\*? ${name}\\b|^\\s*(?:\\w+ )*${name} ?[(=])`);
    const place = linesOf(readFileSync(join(projectRoot, file), 'utf8'), begins, true);
    const files = readdirSync(projectRoot, { recursive: true }).filter((path) =>
      /\.[cm]?[jt]s$/.test(path),
    ).length;
    if (packages[framework]) symlinkSync(packages[framework], join(projectRoot, 'node_modules'));
    const { row, text } = await judged(
      product,
      { projectRoot, framework },
      {
        id: project,
        kind,
        name,
        guilty: `${name} (${file}:${place[0]})`,
        isGuilty: (line) => standsIn(line, file, place),
        wrong,
        facts: { framework, language: file.endsWith('ts') ? 'TypeScript' : 'JavaScript', files },
      },
    );
    rows.push(row);
    if (row.explained === 'NO' || chosen.length > 0) console.log(`\n${text}\n`);
  }
  await product.close();
} finally {
  home.close();
}
const { explained, hidden, median } = summary(rows);
const verdict = `${explained} of ${rows.length} seeded bugs of JavaScript and TypeScript are explained by one call (median ${median} tokens); ${hidden} failures do not name the guilty function`;
console.log(verdict);
if (chosen.length === 0) recordRows(proof, verdict, rows);
if (chosen.length === 0 && (explained < fewest || median > mostMedian)) process.exitCode = 1;
