import { build } from 'esbuild';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../support/strobe.ts';

/** An installation whose daemon is the stand-in of this folder. */
export interface StandInInstall {
  readonly client: string;
  close(): void;
}

/** Builds the real client and the stand-in daemon into a folder of their own. */
export async function installStandIn(): Promise<StandInInstall> {
  const root = mkdtempSync(join(tmpdir(), 'si-'));
  for (const file of ['package.json', 'settings.schema.json'])
    copyFileSync(join(packageRoot, file), join(root, file));
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  const shared = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    absWorkingDir: packageRoot,
  } as const;
  const requireBanner =
    "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);";
  await Promise.all([
    build({
      ...shared,
      entryPoints: ['src/client/main.ts'],
      outfile: join(root, 'dist', 'client.js'),
    }),
    build({
      ...shared,
      entryPoints: ['tests/integration/surface/standInDaemon.ts'],
      outfile: join(root, 'dist', 'daemon.js'),
      external: ['better-sqlite3'],
      banner: { js: requireBanner },
    }),
  ]);
  return {
    client: join(root, 'dist', 'client.js'),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
