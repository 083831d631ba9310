import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** As a module it runs; as a script, which start.ts makes of it, it is a function. */
const eitherWay = {
  banner:
    '(main => typeof __filename == "undefined" ? main : main(require, __filename, __dirname))(function (require, __filename, __dirname) {',
  footer: '});',
};

const outputs = [
  { source: 'main.ts', format: 'cjs', product: 'nodePreload.cjs', ...eitherWay },
  { source: 'loaderMain.ts', format: 'esm', product: 'nodeLoader.mjs' },
  // It names what the first became.
  { source: 'start.ts', format: 'cjs', product: 'nodeStart.cjs' },
];

/** Bundles what Node runs before a traced program, and in its thread that loads modules. */
export async function buildNodePreload(root) {
  const { build } = createRequire(join(root, 'package.json'))('esbuild');
  let digest = '';
  for (const { source, format, product, banner = '', footer = '' } of outputs) {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: [`src/collector/node/preload/${source}`],
      outfile: `dist/${product}`,
      bundle: true,
      write: false,
      platform: 'node',
      format,
      target: 'node20',
      // Each process that is traced reads it.
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'none',
      logLevel: 'silent',
      banner: { js: banner },
      footer: { js: footer },
      define: { MAIN_DIGEST: JSON.stringify(digest) },
    });
    for (const { path, contents } of outputFiles) put(path, Buffer.from(contents));
    digest ||= createHash('sha1').update(outputFiles[0].contents).digest('hex').slice(0, 16);
  }
}

function put(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const draft = `${path}.${process.pid}.partial`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}
