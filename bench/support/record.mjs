/*
 * Results: bench/results/<host>.json holds the rows of the last run of each bench that there still
 * is, with its date and commit; the .md beside it is made from it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineFacts } from './machine.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Prints and records one bench. A row: what was measured, value, unit, `limit` (what issue or
 * design asks for) and a note; `value: null` says that it was not measured, the note why.
 * `name`: that of the bench's file, with `@` and what it was asked for where that is not the usual;
 * `command`: what makes it again.
 */
export function record(name, title, rows, command = `bench/${name}.bench.mjs`) {
  const facts = machineFacts(root);
  const stem = join(root, 'bench', 'results', facts.host);
  mkdirSync(dirname(stem), { recursive: true });
  const known = existsSync(`${stem}.json`)
    ? JSON.parse(readFileSync(`${stem}.json`, 'utf8'))
    : { benches: {} };
  const still = Object.entries(known.benches).filter(([one]) =>
    existsSync(join(root, 'bench', `${one.split('@')[0]}.bench.mjs`)),
  );
  const benches = { ...Object.fromEntries(still), [name]: { title, command, facts, rows } };
  writeFileSync(`${stem}.json`, `${JSON.stringify({ benches }, null, 2)}\n`);
  writeFileSync(`${stem}.md`, page(benches));
  console.log(table(rows));
}

function page(benches) {
  const sections = Object.entries(benches).toSorted(([a], [b]) => a.localeCompare(b));
  const parts = sections.map(
    ([name, { title, command = `bench/${name}.bench.mjs`, facts, rows }]) => {
      const machine = Object.entries(facts)
        .map(([key, value]) => `${key}: ${value}`)
        .join(' · ');
      return `## ${title}\n\n\`${command}\`\n\n${table(rows)}\n\n${machine}\n`;
    },
  );
  return `# Measurements\n\nMade by \`npm run bench\`; medians unless a row says otherwise.\n\n${parts.join('\n')}`;
}

function table(rows) {
  const lines = rows.map(
    ({ what, value, unit, limit, note }) =>
      `| ${what} | ${shown(value)}${value === null || unit === undefined ? '' : ` ${unit}`} | ${limit ?? ''} | ${note ?? ''} |`,
  );
  return ['| what | value | wanted | note |', '|---|---:|---:|---|', ...lines].join('\n');
}

function shown(value) {
  if (value === null) return 'not measured';
  if (typeof value !== 'number') return String(value);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  });
}
