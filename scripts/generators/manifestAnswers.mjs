import { createRequire } from 'node:module';
import { join } from 'node:path';

/** scripts/manifestAnswers.cjs: what answers a client of a clone that is not built yet, from the client's own source. */
export async function generateManifestAnswers(root) {
  const esbuild = createRequire(join(root, 'package.json'))('esbuild');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['src/client/manifestAnswers.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    banner: {
      js: '// Generated from src/client/manifestAnswers.ts by npm run generate; do not edit.',
    },
    logLevel: 'silent',
  });
  return [{ path: 'scripts/manifestAnswers.cjs', text: outputFiles[0].text }];
}
