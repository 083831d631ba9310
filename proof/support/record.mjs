/* Results: proof/results/<host>.json, the last run of each proof; the .md beside it is made from it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { machineFacts } from '../../bench/support/machine.mjs';
import { root } from '../../bench/support/record.mjs';

/** Records one proof; others stay. */
export function record(name, rows) {
  write(name, { rows });
}

/** Records a proof whose rows are shown as they are. `verdict`: a sentence about all of them. */
export function recordRows(name, verdict, rows) {
  write(name, { verdict, rows });
}

/** The rows of a proof that were recorded here today. */
export function recordedRows(name) {
  const now = machineFacts(root);
  const file = `${stemOf(now)}.json`;
  const { facts, rows } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')).proofs[name] ?? {})
    : {};
  return facts?.date.slice(0, 10) === now.date.slice(0, 10) ? rows : [];
}

/** As `recordRows`, a row for each language: those of languages that ran earlier today stay. `verdictOf`: of all rows. */
export function recordLanguages(name, verdictOf, rows) {
  const ran = new Set(rows.map(({ language }) => language));
  const all = [...recordedRows(name).filter(({ language }) => !ran.has(language)), ...rows];
  recordRows(name, verdictOf(all), all);
}

function stemOf({ host }) {
  return join(root, 'proof', 'results', host);
}

function write(name, told) {
  const facts = machineFacts(root);
  const stem = stemOf(facts);
  mkdirSync(dirname(stem), { recursive: true });
  const known = existsSync(`${stem}.json`)
    ? JSON.parse(readFileSync(`${stem}.json`, 'utf8'))
    : { proofs: {} };
  const proofs = { ...known.proofs, [name]: { facts, ...told } };
  writeFileSync(`${stem}.json`, `${JSON.stringify({ proofs }, null, 2)}\n`);
  writeFileSync(`${stem}.md`, page(proofs));
}

function page(proofs) {
  const sections = Object.entries(proofs).toSorted(([a], [b]) => a.localeCompare(b));
  const parts = sections.map(([name, { facts, rows, verdict }]) => {
    const machine = Object.entries(facts)
      .map(([key, value]) => `${key}: ${value}`)
      .join(' · ');
    if (verdict) {
      return `## ${name}\n\n\`proof/${name.split(' ')[0]}.proof.mjs\`: ${verdict}.\n\n${plainTable(rows)}\n\n${machine}\n`;
    }
    const equal = rows.filter(({ outcome }) => outcome === 'equal').length;
    return `## ${name}\n\n\`proof/${name}.proof.mjs\`: ${equal} of ${rows.length} equal.\n\n${table(rows)}\n\n${machine}\n`;
  });
  return `# Proofs\n\nMade by \`npm run proof\`. Time: start to end, traced by plain; a short program pays for arming.\n\n${parts.join('\n')}`;
}

function table(rows) {
  const lines = rows.map(({ name, trace, outcome, figures, plainMs, tracedMs, notes }) => {
    const number = (value) => (value === undefined ? '' : value.toLocaleString('en'));
    const ratio = tracedMs
      ? `${(tracedMs / plainMs).toFixed(1)} (${plainMs.toFixed(0)} → ${tracedMs.toFixed(0)} ms)`
      : '';
    const cells = [
      name,
      trace
        .split(' ')
        .map((pattern) => `\`${pattern}\``)
        .join(' '),
      outcome,
      number(figures?.hooked),
      number(figures?.refused),
      number(figures?.seen),
      number(figures?.stored),
      number(figures?.lost),
      ratio,
      notes.replaceAll('|', '\\|').replaceAll('\n', ' '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| program | traced | outcome | hooked | refused | seen | stored | lost | time | note |',
    '|---|---|---|---:|---:|---:|---:|---:|---:|---|',
    ...lines,
  ].join('\n');
}

function plainTable(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const text = (value) => `${value ?? ''}`.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => text(row[column])))),
  ].join('\n');
}
