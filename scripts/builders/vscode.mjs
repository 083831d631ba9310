import { createRequire } from 'node:module';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** dist/vscode: the extension as a folder, which VS Code can run and `node scripts/vscode.mjs` packs. */
export async function buildVscode(root) {
  const source = join(root, 'editors/vscode');
  const out = join(root, 'dist/vscode');
  mkdirSync(out, { recursive: true });
  const esbuild = createRequire(join(root, 'package.json'))('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: [join(source, 'host/main.ts')],
    outfile: join(out, 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  for (const name of ['package.json', 'README.md'])
    copyFileSync(join(source, name), join(out, name));
  copyFileSync(join(root, 'settings.schema.json'), join(out, 'settings.schema.json'));
  cpSync(join(source, 'media'), join(out, 'media'), { recursive: true });
}
