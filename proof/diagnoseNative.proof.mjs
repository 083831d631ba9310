/*
 * Bugs of native projects, each explained by one call of debug_test with diagnose: published releases that had a bug, fetched
 * from their registries by version and hash, and projects that were made for this. Before it counts, the test has to fail with
 * the bug and to pass with the release that mended it. A bug counts as explained when one of the three suspects is the function
 * at fault, with its file and line, and a line of the diagnosis shows the wrong value; both were written down before the first
 * run (support/freshNativeBugs.mjs). Arguments choose projects: `node proof/diagnoseNative.proof.mjs ipnet roster2`; `first` runs the
 * bugs by which the rules may be improved, which the others may not.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { fresh } from './support/freshNativeBugs.mjs';
import { first } from './support/nativeBugs.mjs';
import { spent } from './support/spentNativeBugs.mjs';
import { judged, mostMedian, summary } from './support/diagnosis.mjs';
import { recordRows } from './support/record.mjs';
import { fetched } from './support/registrySources.mjs';

const fewest = 13 / 15;
const isFirst = process.argv[2] === 'first';
const chosen = process.argv.slice(isFirst ? 3 : 2);
const proof = isFirst ? 'diagnoseNative first' : 'diagnoseNative';
const targets = join(root, 'proof', 'targets', 'diagnoseNative');
const libraries = { googletest: ['-lgtest', '-lgtest_main', '-lpthread'], catch2: [] };

/** A project's folder: a release with our test in it, or the project as it was made. */
function prepared(bug, release, folder) {
  if (release) {
    cpSync(join(fetched(release), bug.inside ?? ''), folder, { recursive: true });
    if (release.isPatched)
      for (const patch of readFileSync(join(folder, 'debian/patches/series'), 'utf8').split('\n'))
        if (patch !== '' && !patch.startsWith('#'))
          execFileSync('patch', ['-s', '-p1', '-i', `debian/patches/${patch}`], { cwd: folder });
  }
  if (bug.framework === 'cargo') return cargoProject(bug, folder);
  for (const own of ['debian', 'CMakeLists.txt', 'test.c', 'tests', 'test'])
    if (release) rmSync(join(folder, own), { recursive: true, force: true });
  cpSync(join(targets, bug.project), folder, { recursive: true });
  return folder;
}

/** Without what a release needs for its own tests. */
function cargoProject({ project }, folder) {
  for (const own of ['tests', 'benches', 'examples', 'Cargo.lock', '.cargo-checksum.json'])
    rmSync(join(folder, own), { recursive: true, force: true });
  mkdirSync(join(folder, 'tests'));
  cpSync(join(targets, project), join(folder, 'tests'), { recursive: true });
  const manifest = readFileSync(join(folder, 'Cargo.toml'), 'utf8');
  const tables = manifest.split(/^(?=\[)/m);
  const own = tables.filter(
    (table) => !/^\[(?:dev-dependencies|target\..*dev-dep|\[(?:bench|test|example)\])/.test(table),
  );
  const text = own.join('').replace(/^autotests = false$/m, '');
  writeFileSync(join(folder, 'Cargo.toml'), `${text}\n[workspace]\n`);
  return folder;
}

/** Builds a project; what debug_test is called with, and the command that runs its tests. */
function built(bug, folder, fault) {
  const env = { ...process.env, FAULT: String(fault) };
  const quiet = { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] };
  switch (bug.framework) {
    case 'cargo': {
      const run = ['test', '--test', 'regression'];
      execFileSync('cargo', [...run, '--no-run', '-q'], quiet);
      return { args: { file: 'tests/regression.rs' }, command: ['cargo', run] };
    }
    case 'ctest':
    case 'doctest':
      execFileSync('cmake', ['-S', '.', '-B', 'build'], quiet);
      execFileSync('cmake', ['--build', 'build'], quiet);
      return { args: { framework: 'ctest' }, command: ['ctest', ['--test-dir', 'build']] };
    default: {
      mkdirSync(join(folder, 'build'));
      const sources = ['*Test.cpp', ...bug.sources].flatMap((form) => filesOf(folder, form));
      const include = (bug.include ?? ['.']).map((path) => `-I${path}`);
      const objects = sources.map((source, at) => {
        const object = `build/${at}.o`;
        const compiler = source.endsWith('.c') ? ['gcc', '-std=gnu11'] : ['g++', '-std=c++17'];
        const words = [
          ...compiler,
          '-g',
          '-O0',
          `-DFAULT=${fault}`,
          ...(bug.flags ?? []),
          ...include,
        ];
        execFileSync(words[0], [...words.slice(1), '-w', '-c', source, '-o', object], quiet);
        return object;
      });
      const command = `build/${bug.project}Test`;
      execFileSync('g++', [...objects, ...libraries[bug.framework], '-o', command], quiet);
      return { args: { command, framework: bug.framework }, command: [join(folder, command), []] };
    }
  }
}

/** `*` stands at the beginning of a file's name. */
function filesOf(folder, form) {
  const end = basename(form).replace('*', '');
  return readdirSync(join(folder, dirname(form)))
    .filter((name) => (form.includes('*') ? name.endsWith(end) : name === end))
    .map((name) => join(dirname(form), name));
}

function hasPassed({ command: [program, words] }, folder) {
  return spawnSync(program, words, { cwd: folder, stdio: 'ignore' }).status === 0;
}

function stateOf(bug) {
  return bug.had ? `${bug.had.registry} ${bug.had.name} ${bug.had.version}` : 'made';
}

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const bug of isFirst ? [...first, ...spent] : fresh) {
    const id = `${bug.project}${bug.fault ?? ''}`;
    if (chosen.length > 0 && !chosen.includes(id)) continue;
    const folder = prepared(bug, bug.had, join(home.project, id));
    const wrong = built(bug, folder, bug.fault ?? 0);
    const other = prepared(bug, bug.mended, join(home.path, 'mended', id));
    if (hasPassed(wrong, folder)) throw new Error(`${id}: its test passes with the bug`);
    if (!hasPassed(built(bug, other, 0), other)) throw new Error(`${id}: it fails without the bug`);
    const [file, name] = bug.guilty;
    const { row, text } = await judged(
      product,
      { projectRoot: folder, ...wrong.args },
      {
        id,
        kind: bug.kind,
        name,
        guilty: `${name} (${file})`,
        isGuilty: (line) =>
          new RegExp(`\\b${name}(?:<.*>)?\\(`).test(line) && line.includes(`${file}:`),
        wrong: bug.wrong,
        facts: { from: stateOf(bug), framework: bug.framework },
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
const real = rows.filter((row) => row.from !== 'made').length;
const verdict = `${explained} of ${rows.length} bugs of native projects, ${real} of them real, are explained by one call (median ${median} tokens); ${hidden} failures do not name the guilty function`;
console.log(verdict);
if (chosen.length === 0) recordRows(proof, verdict, rows);
if (!isFirst && chosen.length === 0 && (explained < rows.length * fewest || median > mostMedian))
  process.exitCode = 1;
