/*
 * Twelve seeded bugs of different kinds in Python projects of 3 to 10 files, each explained by one call of debug_test with
 * diagnose. A bug counts as explained when a line among the three suspects stands in the guilty function (its file, and a
 * line from its first to its last) and a line of the diagnosis shows the wrong value. What is guilty was written down and
 * committed before any of them was diagnosed. Arguments choose projects: `node proof/diagnosePython.proof.mjs rota`; `others` runs
 * examples by which the rules may be improved, which these may not; `fresh` and `later` those that nobody
 * had in mind who wrote the rules.
 */
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { judged, linesOf, mostMedian, standsIn, summary } from './support/diagnosis.mjs';
import { recordRows } from './support/record.mjs';
import { fresh, later, others, seeded } from './support/seededPython.mjs';

const fewest = 10;
/** By the first argument: the bugs, and the folder of their projects. */
const sets = {
  others: [others, 'diagnosePythonOthers'],
  fresh: [fresh, 'diagnosePythonFresh'],
  later: [later, 'diagnosePythonLater'],
};
const isSet = process.argv[2] in sets;
const [bugs, projects] = isSet ? sets[process.argv[2]] : [seeded, 'diagnosePython'];
const chosen = process.argv.slice(isSet ? 3 : 2);
const name = isSet ? `diagnosePython ${process.argv[2]}` : 'diagnosePython';
const targets = join(root, 'proof', 'targets', projects);

const home = openHome();
// pytest of a version that is known (scripts/frameworks.mjs), else the machine's.
const frameworks = join(root, '.cache', 'frameworks', 'python', 'bin');
if (existsSync(frameworks)) home.env.PATH = `${frameworks}${delimiter}${home.env.PATH}`;
const rows = [];
try {
  const product = await Product.start(home);
  for (const [project, kind, guilty, wrong] of bugs) {
    if (chosen.length > 0 && !chosen.includes(project)) continue;
    const [file, functionName] = guilty.split(' ');
    const projectRoot = join(home.project, project);
    cpSync(join(targets, project), projectRoot, { recursive: true });
    const begins = new RegExp(`^\\s*(?:async )?def ${functionName}\\(`, 'm');
    const place = linesOf(readFileSync(join(projectRoot, file), 'utf8'), begins, false);
    const framework = existsSync(join(projectRoot, 'pytest.ini')) ? 'pytest' : 'unittest';
    const files = readdirSync(projectRoot, { recursive: true }).filter((one) =>
      one.endsWith('.py'),
    );
    const { row, text } = await judged(
      product,
      { projectRoot, framework },
      {
        id: project,
        kind,
        name: functionName,
        guilty: `${functionName} (${file}:${place[0]})`,
        isGuilty: (line) => standsIn(line, file, place),
        wrong,
        facts: { framework, files: files.length },
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
const verdict = `${explained} of ${rows.length} seeded bugs of Python are explained by one call (median ${median} tokens); ${hidden} failures do not name the guilty function`;
console.log(verdict);
if (chosen.length === 0) recordRows(name, verdict, rows);
if (chosen.length === 0 && (explained < fewest || median > mostMedian)) process.exitCode = 1;
