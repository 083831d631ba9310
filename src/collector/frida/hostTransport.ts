import { readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallPaths } from '../../base/installPaths.ts';
import { isAlive } from '../../base/proc.ts';
import type { FridaHost } from './fridaHost.ts';

/** What a transport needs to know to start. */
export interface HostSurroundings {
  /** Strobe's folder; Frida lies below its `runtime`. */
  readonly home: string;
  /** The Python to use. */
  readonly python: string;
  readonly paths: InstallPaths;
  /** Told what a first use installs. */
  readonly progress?: (message: string) => void;
}

/** A way to speak Frida. */
export interface HostTransport {
  /** Why it cannot be used here right now, or null. Installs nothing. */
  unavailable(surroundings: HostSurroundings): Promise<string | null>;
  /** A fresh host; FRIDA_MISSING when it cannot be. */
  start(surroundings: HostSurroundings): Promise<FridaHost>;
}

/** The environment of a host, with a folder for its temporary files: Frida unpacks 10 MB into it and a host that is killed removes nothing. */
export async function hostEnvironment(
  home: string,
): Promise<{ readonly env: NodeJS.ProcessEnv; readonly remove: () => void }> {
  const parent = hostFolders(home);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, `host-${process.pid}-`));
  return {
    env: { ...process.env, TMPDIR: folder },
    remove: () => {
      // Not waited for: an answer may be on its way.
      rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

/**
 * Removes the folders of hosts which this process or one that has ended started: a host that is
 * killed leaves its own, and so does a daemon. What cannot be removed stays for the next time.
 */
export function removeHostFolders(home: string): void {
  const parent = hostFolders(home);
  for (const name of namesIn(parent)) {
    const owner = Number(/^host-(\d+)-/.exec(name)?.[1] ?? 0);
    if (owner !== process.pid && owner > 0 && isAlive(owner)) continue;
    try {
      // A host that has just ended may still be having its folder removed: those meet.
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
    } catch {
      continue;
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no host has been started yet
  }
}

function hostFolders(home: string): string {
  return join(home, 'run');
}
