import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

/** The exports of some TypeScript modules, as `{ name: path below root }`, bundled and loaded together. */
export async function loadTypeScript(root, modules) {
  const contents = Object.entries(modules)
    .map(([name, path]) => `export * as ${name} from ${JSON.stringify(`./${path}`)};`)
    .join('\n');
  const result = await esbuild.build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  });
  const folder = join(root, '.cache');
  const file = join(folder, `generate-${process.pid}-${Math.random().toString(36).slice(2)}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, result.outputFiles[0].contents);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
