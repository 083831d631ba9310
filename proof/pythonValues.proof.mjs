/*
 * Tables of pandas and arrays of numpy, read from memory: each shows what the packages themselves say of it.
 * `node proof/pythonValues.proof.mjs 3.12` tries one version. Packages come from PyPI into .cache/pythonData.
 */
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { chosenPythons } from '../bench/support/pythons.mjs';
import { root } from '../bench/support/record.mjs';
import { installed } from './support/pythonPackages.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const folder = join(root, 'proof', 'targets', 'python');
/** By version, where it is not the newest: the last ones with the layout of numpy 1. */
const older = { 3.11: ['numpy==1.26.4', 'pandas==2.2.3'] };

/** A value without the names of its classes, marks of what was left out, and shapes of arrays. */
function plain(value) {
  if (value === 'NaN') return null;
  if (Array.isArray(value)) return value.filter((one) => !String(one).startsWith('…(')).map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => !String(one).startsWith('<ndarray'));
  const [[name, first]] = members;
  if (name === 'value')
    return members.length === 1 ? plain(first) : members.map(([, one]) => plain(one));
  if (members.length === 1 && /^[A-Z]|^(?:complex|datetime64|void)$/.test(name))
    return plain(first);
  return Object.fromEntries(members.map(([key, one]) => [key, plain(one)]));
}

async function tried(product, command, packages) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    args: [join(folder, 'tables.py')],
    projectRoot: folder,
    env: { PYTHONPATH: packages },
    patterns: ['tables.take'],
  });
  await product.waitForExit(sessionId);
  const { lines } = await product.call('debug_query', { view: 'output', sessionId });
  const said = (stream) => lines.filter((line) => line.stream === stream).map(({ text }) => text);
  const { events } = await product.call('debug_query', {
    view: 'events',
    sessionId,
    eventType: ['call'],
    limit: 100,
    budget: 20_000,
    verbose: true,
  });
  const expected = said('stdout').map((line) => JSON.parse(line));
  const shown = events.map((event) => plain(event.arguments.value));
  return {
    wrong: expected.flatMap((one, i) =>
      isDeepStrictEqual(one, shown[i])
        ? []
        : [`${JSON.stringify(shown[i])} for ${JSON.stringify(one)}`],
    ),
    of: expected.length,
    versions: said('stderr').at(-1) ?? '',
  };
}

const rows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  for (const [version, command] of chosenPythons()) {
    const packages = join(root, '.cache', 'pythonData', version);
    const why = installed(packages, older[version] ?? ['numpy', 'pandas'], version);
    if (why !== null) {
      rows.push({ python: version, 'pandas, numpy': why, right: 'not run', wrong: '' });
      continue;
    }
    const { wrong, of, versions } = await tried(product, command, packages);
    rows.push({
      python: version,
      'pandas, numpy': versions,
      right: `${of - wrong.length} of ${of}`,
      wrong: wrong.join('; '),
    });
    console.log(rows.at(-1));
  }
  await product.close();
} finally {
  home.close();
}
const all = new Map([...recordedRows('pythonValues'), ...rows].map((row) => [row.python, row]));
const table = [...all.values()];
const isRight = ({ wrong, right }) => wrong === '' && right !== 'not run';
const verdict = `${table.filter(isRight).length} of ${table.length} versions show tables of pandas and arrays of numpy as these say them themselves`;
console.log(verdict);
recordRows('pythonValues', verdict, table);
if (rows.some(({ wrong }) => wrong !== '')) process.exitCode = 1;
