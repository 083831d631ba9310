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
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { fresh, later, others, seeded } from './support/seededPython.mjs';

const mostMedian = 900;
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

/** From its `def` to its last line, from 1 on. */
function linesOf(folder, file, called) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const first = lines.findIndex((line) =>
    new RegExp(`^\\s*(?:async )?def ${called}\\(`).test(line),
  );
  const depth = lines[first].search(/\S/);
  const length = lines
    .slice(first + 1)
    .findIndex((line) => line.trim() !== '' && line.search(/\S/) <= depth);
  return [first + 1, length < 0 ? lines.length : first + 1 + length];
}

/** Whether a line of an answer names a place in these lines of a file. */
function standsIn(line, file, [first, last]) {
  const places = line.matchAll(/([\w./]+\.py):(\d+)/g);
  return [...places].some(
    ([, path, number]) =>
      (file === path || file.endsWith(`/${path}`)) && first <= number && number <= last,
  );
}

async function diagnosed(product, args) {
  let answer = await product.call('debug_test', { ...args, diagnose: true, waitMs: 50_000 });
  while (answer.state === 'running')
    answer = await product.call('debug_test', {
      action: 'wait',
      testRunId: answer.testRunId,
      timeoutMs: 50_000,
    });
  return answer;
}

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
    const place = linesOf(projectRoot, file, functionName);
    const framework = existsSync(join(projectRoot, 'pytest.ini')) ? 'pytest' : 'unittest';
    const started = performance.now();
    const { text, ms: _ms, ...twin } = await diagnosed(product, { projectRoot, framework });
    const seconds = (performance.now() - started) / 1000;
    const lines = (twin.diagnoses ?? []).flatMap((one) => one.text.split('\n'));
    const suspects = lines.filter((line) => /^ {2}[1-3]\. /.test(line));
    const rank = suspects.findIndex((line) => standsIn(line, file, place)) + 1;
    const shown = lines.find((line) => wrong.test(line));
    const failure = JSON.stringify(twin.failures ?? []);
    const row = {
      bug: `${project}: ${kind}`,
      framework,
      files: readdirSync(projectRoot, { recursive: true }).filter((one) => one.endsWith('.py'))
        .length,
      guilty: `${functionName} (${file}:${place[0]})`,
      'the failure names it': new RegExp(`\\b${functionName}\\b`).test(failure) ? 'yes' : 'no',
      explained: rank > 0 && shown !== undefined ? 'yes' : 'NO',
      suspect: rank > 0 ? rank : 'NO',
      tokens: Math.max(countTokens(text), countTokens(JSON.stringify(twin))),
      seconds: seconds.toFixed(1),
      'wrong value': (shown ?? 'NO').trim().slice(0, 160),
    };
    rows.push(row);
    console.log(`${row.explained.padEnd(4)} ${row.bug} (${row.tokens} tokens, ${row.seconds} s)`);
    if (row.explained === 'NO' || chosen.length > 0) console.log(`\n${text}\n`);
  }
  await product.close();
} finally {
  home.close();
}
const explained = rows.filter((row) => row.explained === 'yes').length;
const hidden = rows.filter((row) => row['the failure names it'] === 'no').length;
const median = rows.map((row) => row.tokens).toSorted((a, b) => a - b)[rows.length >> 1] ?? 0;
const verdict = `${explained} of ${rows.length} seeded bugs of Python are explained by one call (median ${median} tokens); ${hidden} failures do not name the guilty function`;
console.log(verdict);
if (chosen.length === 0) recordRows(name, verdict, rows);
if (chosen.length === 0 && (explained < fewest || median > mostMedian)) process.exitCode = 1;
