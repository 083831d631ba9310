import { existsSync, readFileSync, renameSync, writeFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Bundles the service of `strobe demo node` into dist/tickets: Node 20 reads no TypeScript. */
export async function buildTickets(root) {
  const { build } = createRequire(join(root, 'package.json'))('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['demo/tickets/src/main.ts', 'demo/tickets/src/rater.ts'],
    outdir: 'dist/tickets',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
  });
  for (const { path, contents } of outputFiles) {
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
