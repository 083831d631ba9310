import { build } from 'esbuild';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../support/strobe.ts';

/** An installation whose daemon is the stand-in of this folder. */
export interface StandInInstall {
  readonly client: string;
  close(): void;
}

/** Builds the real client and the stand-in daemon into a folder of their own, as some version. */
export async function installStandIn(version?: string): Promise<StandInInstall> {
  const root = mkdtempSync(join(tmpdir(), 'si-'));
  copyFileSync(join(packageRoot, 'settings.schema.json'), join(root, 'settings.schema.json'));
  const facts: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({
      ...(typeof facts === 'object' ? facts : {}),
      ...(version === undefined ? {} : { version }),
    }),
  );
  mkdirSync(join(root, 'dist'));
  symlinkSync(join(packageRoot, 'dist', 'sqlite.node'), join(root, 'dist', 'sqlite.node'));
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
      mainFields: ['module', 'main'],
      outfile: join(root, 'dist', 'client.js'),
    }),
    build({
      ...shared,
      entryPoints: ['tests/integration/surface/standInDaemon.ts'],
      outfile: join(root, 'dist', 'daemon.js'),
      banner: { js: requireBanner },
    }),
  ]);
  return {
    client: join(root, 'dist', 'client.js'),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
