/*
 * Programs that are not ours, run plainly and traced: their output, status and files must be the
 * same to the byte. Arguments select cases by part of a name.
 */
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { cases, path } from './support/cases.mjs';
import { foreignCases } from './support/foreignCases.mjs';
import { differences } from './support/compare.mjs';
import { contentsOf, freshFolder } from './support/folder.mjs';
import { runPiped } from './support/piped.mjs';
import { record } from './support/record.mjs';
import { runLimited, runTraced } from './support/runs.mjs';
import { buildOwn, environmentIn, makeTemplate } from './support/templates.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'sproof-'));
const folder = join(scratch, 'work');
const home = openHome();
const made = { templates: new Map(), programs: new Map() };

function once(known, name, make) {
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
}

function onPath(name) {
  for (const place of path.split(':')) {
    try {
      accessSync(join(place, name), constants.X_OK);
      return join(place, name);
    } catch {
      // perhaps in the next
    }
  }
  return null;
}

/** The program of a case and its arguments, or why it cannot run here. */
function programOf(test) {
  if (test.find) {
    try {
      return once(made.programs, test.find, test.find);
    } catch (error) {
      return { missing: error.message };
    }
  }
  if (test.built) {
    const built = once(made.programs, test.built, () => buildOwn(test.built, scratch));
    return { ...built, args: test.args ?? [] };
  }
  const program = onPath(test.command);
  if (program === null) return { missing: `${test.command} is not installed` };
  if (!test.resolves) return { program, args: test.args };
  const told = spawnSync(program, test.args, { encoding: 'utf8' }).stdout.trim();
  return told.startsWith('/')
    ? { program: told, args: test.own }
    : { missing: `${program} ${test.args} names no file` };
}

async function runOnce(test, template, run) {
  freshFolder(template, folder);
  const ran = await run();
  const masked = (bytes) =>
    test.mask ? Buffer.from(bytes.toString('latin1').replaceAll(test.mask, '…'), 'latin1') : bytes;
  return {
    ...ran,
    stdout: masked(ran.stdout),
    stderr: masked(ran.stderr),
    files: contentsOf(folder, test.except),
  };
}

async function prove(test, product) {
  const { program, args, missing, env: own = {} } = programOf(test);
  if (missing) return { outcome: 'skipped', notes: [missing] };
  const template = once(made.templates, test.template ?? 'nothing', () =>
    makeTemplate(test.template ?? 'nothing', join(scratch, 'templates')),
  );
  const env = { ...environmentIn(folder, home.path), ...test.env, ...own };
  const { trace, stdin, limit, projectRoot } = test;
  const how = { command: program, args, trace, cwd: folder, env, stdin, limit, projectRoot };
  const plain = await runOnce(test, template, () => runLimited(program, args, how));
  const again = await runOnce(test, template, () => runLimited(program, args, how));
  const unsteady = differences(plain, again);
  if (unsteady.length > 0) return { outcome: 'unsteady', notes: unsteady };
  if (test.says && !test.says.test(plain.stdout.toString()))
    return {
      outcome: 'skipped',
      notes: [`it does not run here: ${plain.stderr.toString().slice(0, 300)}`],
    };
  const traced = await runOnce(test, template, () =>
    test.launch ? runPiped(product, how) : runTraced(home, how),
  );
  const found = differences(plain, traced);
  const { figures } = traced;
  const times = { plainMs: Math.min(plain.ms, again.ms), tracedMs: traced.ms };
  if (found.length > 0) return { outcome: 'DIFFERENT', notes: found, figures, ...times };
  if (!test.isForeign && (figures.hooked === 0 || figures.seen === 0)) {
    return { outcome: 'NOT TRACED', notes: [traced.report.slice(0, 400)], figures, ...times };
  }
  return {
    outcome: 'equal',
    notes: test.because ? [`not compared: ${test.because}`] : [],
    figures,
    ...times,
  };
}

const wanted = process.argv.slice(2);
const chosen = [...cases, ...foreignCases].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
try {
  mkdirSync(folder, { recursive: true });
  const product = await Product.start(home);
  const rows = [];
  for (const test of chosen) {
    const row = { name: test.name, trace: test.trace.join(' '), ...(await prove(test, product)) };
    rows.push(row);
    const { hooked = '', seen = '', lost = '' } = row.figures ?? {};
    const times = row.tracedMs ? `${row.plainMs.toFixed(0)} → ${row.tracedMs.toFixed(0)} ms` : '';
    console.log(
      `${row.outcome.padEnd(10)} ${row.name}: ${hooked} hooked, ${seen} seen, ${lost} lost, ${times}`,
    );
    if (row.outcome !== 'equal') for (const note of row.notes) console.log(`           ${note}`);
  }
  await product.close();
  const bad = rows.filter(({ outcome }) => outcome !== 'equal' && outcome !== 'skipped');
  const flat = rows.map((row) => ({ ...row, notes: row.notes.join('; ') }));
  if (wanted.length === 0) record('foreign', flat);
  console.log(`${rows.length} programs, ${bad.length} not equal`);
  if (bad.length > 0) process.exitCode = 1;
} finally {
  home.close();
  rmSync(scratch, { recursive: true, force: true });
}
