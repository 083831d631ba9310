import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallPaths } from '../../base/installPaths.ts';
import type { FridaHost, Transport } from './fridaHost.ts';

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
  readonly id: Transport;
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
  const folder = await mkdtemp(join(parent, 'host-'));
  return {
    env: { ...process.env, TMPDIR: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Removes what the hosts of a daemon that was killed left; they have ended with it. */
export function removeHostFolders(home: string): void {
  rmSync(hostFolders(home), { recursive: true, force: true });
}

function hostFolders(home: string): string {
  return join(home, 'run');
}
