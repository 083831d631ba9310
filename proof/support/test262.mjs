/* Runs tests of test262 plain and rewritten, in processes that know nothing of each other, and compares what they wrote. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';

const MOST_MS = 600_000;

/** Results of one mode. `range`: `{ first, end, every }` of the tests. `node`: the program to run them with. */
async function runMode(root, mode, { first, end, every = 1 }, { node = process.execPath, folder }) {
  const out = join(folder, `${mode}-${first}.json`);
  const args = ['--experimental-vm-modules', '--no-warnings', '--stack-size=900'];
  const run = join(root, 'proof/support/test262Run.mjs');
  const given = [run, mode, out, join(folder, 'rewriter.mjs'), first, end, every].map(String);
  await promisify(execFile)(node, [...args, ...given], { timeout: MOST_MS, maxBuffer: 1 << 26 });
  return JSON.parse(readFileSync(out, 'utf8'));
}

/** Bundles the rewriter, as the processes that run tests are to load it. */
export function openRuns(root, name) {
  const folder = join(root, '.cache', `test262-${name}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const contents = `
    export { rewriteModule } from './src/symbols/javascript/rewriteModule.ts';
    export { applyInserts } from './src/model/rewriting/applyInserts.ts';
    export { originalText } from './src/model/rewriting/originalText.ts';`;
  const { outputFiles } = esbuild.buildSync({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  writeFileSync(join(folder, 'rewriter.mjs'), outputFiles[0].contents);
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * What differs between a plain run and a rewritten one. `declared`: `[part of an id, why]` of differences that are
 * known.
 */
export async function compareRuns(root, mode, range, place, declared = []) {
  const [plain, other] = await Promise.all([
    runMode(root, 'plain', range, place),
    runMode(root, mode, range, place),
  ]);
  const differences = plain.results.flatMap((result, i) => {
    const seen = other.results[i];
    const isEqual =
      result.end === seen.end && result.printed.join('\n') === seen.printed.join('\n');
    if (isEqual || declared.some(([part]) => result.id.includes(part))) return [];
    return [{ id: result.id, plain: shown(result), rewritten: shown(seen) }];
  });
  const passed = plain.results.filter(
    ({ end, printed }) =>
      end === 'ran to its end' && !printed.some((line) => line.includes('AsyncTestFailure')),
  );
  return {
    tests: plain.tests,
    runs: plain.results.length,
    passed: passed.length,
    differences,
    tally: other.tally,
    refused: other.results.flatMap(({ id, refused = [] }) => refused.map((why) => ({ id, why }))),
    left: other.results.flatMap(({ id, left = [] }) => left.map((why) => ({ id, why }))),
  };
}

function shown({ end, printed }) {
  return [end, ...printed].join(' · ');
}
