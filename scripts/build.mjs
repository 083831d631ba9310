/*
 * Builds everything in dist: the bundles of the processes and worker threads, and the native and
 * in-target parts through scripts/builders/*.mjs, each of which exports one `build*` function
 * taking the root folder and a function for words about what takes long. A file is written only when it changed, and by rename, so that a running
 * daemon never reads half a file.
 */
import { createRequire } from 'node:module';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const entries = {
  client: 'src/client/main.ts',
  daemon: 'src/daemon/main.ts',
  indexWorker: 'src/daemon/indexing/indexWorker.ts',
  symbolWorker: 'src/symbols/native/symbolWorker.ts',
  rewriteWorker: 'src/daemon/rewriting/rewriteWorker.ts',
  queryWorker: 'src/db/queryWorker.ts',
  uiWorker: 'src/collector/ui/uiWorker.ts',
  packWorker: 'src/db/packWorker.ts',
  exportWorker: 'src/db/export/exportWorker.ts',
  sqlMain: 'src/db/sql/sqlMain.ts',
  provisionMain: 'src/collector/frida/provisionMain.ts',
};

// Packages written in CommonJS call `require` for Node's own modules.
const requireBanner =
  "import { createRequire as strobeCreateRequire } from 'node:module'; const require = strobeCreateRequire(import.meta.url);";

function writeIfChanged(path, bytes) {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  const partial = `${path}.${process.pid}.partial`;
  writeFileSync(partial, bytes);
  renameSync(partial, path);
}

/** Licences of the packages inside the bundles, and of what is compiled or copied from packages. */
function writeLicenses(root, inputs) {
  const copied = ['better-sqlite3', 'gecko-profiler-demangle', 'node-addon-api'];
  const bundled = inputs.flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const texts = [...new Set([...copied, ...bundled])]
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .map((name) => {
      const folder = join(root, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
      const found = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      return `${[`${name} ${version} (${license})`, ...found].join('\n\n')}\n`;
    });
  writeIfChanged(
    join(root, 'dist', 'licenses.txt'),
    Buffer.from(texts.join(`\n${'-'.repeat(80)}\n`)),
  );
}

/** A part that does not build is removed, so that nothing runs on with what was built before. */
async function bundle(root, name) {
  try {
    return await writeBundle(root, name);
  } catch (error) {
    rmSync(join(root, 'dist', `${name}.js`), { force: true });
    throw error;
  }
}

async function writeBundle(root, name) {
  const require = createRequire(join(root, 'package.json'));
  const esbuild = require('esbuild');
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [{ in: entries[name], out: name }],
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The client starts with every command and has no packages: nothing to require.
    banner: name === 'client' ? {} : { js: requireBanner },
    // A package that is written for both cannot be bundled in its older form.
    ...(name === 'client' ? { mainFields: ['module', 'main'] } : {}),
    // A part is read whole at its start, and the package has a limit. Names stay for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // Most of it is one package.
    minifyIdentifiers: name === 'uiWorker',
    legalComments: 'none',
    logLevel: 'silent',
  });
  for (const file of result.outputFiles) writeIfChanged(file.path, Buffer.from(file.contents));
  return Object.keys(result.metafile.inputs);
}

async function builders(root, log) {
  const folder = join(root, 'scripts', 'builders');
  const found = [];
  for (const name of existsSync(folder) ? readdirSync(folder).toSorted() : []) {
    if (!name.endsWith('.mjs')) continue;
    const module = await import(pathToFileURL(join(folder, name)).href);
    for (const [key, value] of Object.entries(module)) {
      if (/^build[A-Z]/.test(key) && typeof value === 'function')
        found.push(() => value(root, log));
    }
  }
  return found;
}

/** Builds all parts, in parallel; throws an error whose message is fit for a person. */
export async function build(root, log = () => {}) {
  // Newer than what is installed: as after a pull.
  if (!existsSync(join(root, 'node_modules', 'node-api-headers')))
    throw new Error('Packages are missing. Next: npm run setup, which installs them and builds.');
  mkdirSync(join(root, 'dist'), { recursive: true });
  const present = [];
  for (const [name, source] of Object.entries(entries)) {
    if (existsSync(join(root, source))) present.push(name);
    else log(`skipped ${name}: ${source} does not exist`);
  }
  const parts = [
    ...present.map((name) => () => bundle(root, name)),
    ...(await builders(root, log)),
  ];
  const results = await Promise.allSettled(parts.map(async (part) => part()));
  const inputs = results.flatMap(({ value }) => (Array.isArray(value) ? value : []));
  if (inputs.length > 0) writeLicenses(root, inputs);
  const failures = results
    .filter((result) => result.status === 'rejected')
    .map((result) => result.reason);
  if (failures.length > 0) throw new Error(failures.map(describeFailure).join('\n'));
}

function describeFailure(error) {
  // esbuild keeps its findings in `errors`; a compiler's are in its standard error.
  const stderr = error?.stderr ? `\n${String(error.stderr).trim()}` : '';
  return `${error?.message ?? error}${stderr}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const started = performance.now();
  if (process.argv.includes('--clean'))
    rmSync(join(root, 'dist'), { recursive: true, force: true });
  try {
    await build(root, (line) => console.error(line));
    console.error(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
