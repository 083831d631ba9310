/*
 * Makes tests/targets/test262/language.json.br of a checkout of github.com/tc39/test262:
 * `node proof/support/packTest262.mjs <checkout>`. Of its language tests those that a rewritten module can differ in,
 * as they have functions, evenly from all folders; with the harness they need and the license.
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from '../../bench/support/record.mjs';
import { loadTypeScript } from '../../scripts/loadTypeScript.mjs';

const MOST_OF_A_FOLDER = 220;
/** What no released engine has, or what needs threads. */
const left =
  /tail-call-optimization|source-phase|import-defer|import-bytes|import-text|CanBlockIsFalse/;

const checkout = process.argv[2];
const { rewriting } = await loadTypeScript(root, {
  rewriting: 'src/symbols/javascript/rewriteModule.ts',
});

function filesIn(folder) {
  return readdirSync(join(checkout, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.js') ? [path] : [];
  });
}

const read = (path) => readFileSync(join(checkout, path), 'utf8');
const headOf = (text) => /\/\*---([\s\S]*?)---\*\//.exec(text)?.[1] ?? '';

/** A list of the head of a test, in either form of YAML. */
function listOf(head, key) {
  const inline = new RegExp(`${key}:\\s*\\[([^\\]]*)\\]`).exec(head);
  if (inline)
    return inline[1]
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  const block = new RegExp(`${key}:\\s*\\n((?:\\s+-.*\\n)+)`).exec(head);
  return block
    ? block[1]
        .split('\n')
        .map((line) => line.replace(/^\s+-\s*/, '').trim())
        .filter(Boolean)
    : [];
}

function isRewritten(path, text, flags) {
  const format = flags.includes('module') ? 'module' : 'script';
  return rewriting.rewriteModule({ text, file: path, format }).inserts?.length > 0;
}

const paths = filesIn('test/language').toSorted();
const fixtures = paths.filter((path) => path.includes('_FIXTURE'));
const byFolder = new Map();
for (const path of paths) {
  if (path.includes('_FIXTURE')) continue;
  const text = read(path);
  const head = headOf(text);
  const flags = listOf(head, 'flags');
  if (left.test(head) || /negative:[\s\S]*phase:\s*(parse|early)/.test(head)) continue;
  if (!isRewritten(path, text, flags)) continue;
  const folder = path.split('/').slice(2, 4).join('/');
  const test = { path, text, flags, includes: listOf(head, 'includes') };
  byFolder.set(folder, [...(byFolder.get(folder) ?? []), test]);
}
const tests = [...byFolder.values()].flatMap((all) => {
  const step = Math.max(1, all.length / MOST_OF_A_FOLDER);
  return Array.from(
    { length: Math.min(all.length, MOST_OF_A_FOLDER) },
    (_, i) => all[Math.floor(i * step)],
  );
});
const names = new Set(tests.flatMap(({ includes }) => includes));
for (const name of ['assert.js', 'sta.js', 'doneprintHandle.js']) names.add(name);
const harness = Object.fromEntries(
  [...names].toSorted((a, b) => a.localeCompare(b)).map((name) => [name, read(`harness/${name}`)]),
);
const folders = new Set(
  tests
    .filter(({ flags, text }) => flags.includes('module') || text.includes('import'))
    .map(({ path }) => path.slice(0, path.lastIndexOf('/'))),
);
const needed = fixtures.filter((path) => folders.has(path.slice(0, path.lastIndexOf('/'))));
const pack = {
  harness,
  fixtures: Object.fromEntries(needed.map((path) => [path, read(path)])),
  tests,
};

const folder = join(root, 'tests/targets/test262');
const json = JSON.stringify(pack);
const params = { [constants.BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(join(folder, 'language.json.br'), brotliCompressSync(json, { params }));
copyFileSync(join(checkout, 'LICENSE'), join(folder, 'LICENSE'));
console.log(`${tests.length} tests of ${byFolder.size} folders, ${needed.length} fixtures`);
