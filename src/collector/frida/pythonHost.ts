import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FridaHost } from './fridaHost.ts';
import { HostProcess } from './hostProcess.ts';
import { findProvisioned, provisionFrida } from './provision.ts';
import type { HostTransport } from './hostTransport.ts';

/** The `frida` Python package, installed by ourselves, in a process of sidecar.py. */
export const pythonTransport: HostTransport = {
  id: 'python',
  async unavailable(surroundings) {
    const found = await findProvisioned(surroundings);
    return found === null ? 'Frida is not installed in Strobe’s folder yet' : null;
  },
  async start(surroundings): Promise<FridaHost> {
    const { folder, python } = await provisionFrida(surroundings);
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, folder];
    const temporary = await temporaryFolder(surroundings.home);
    const remove = (): void => void rm(temporary, { recursive: true, force: true });
    try {
      const env = { ...process.env, TMPDIR: temporary };
      const command = { command: python, args, env };
      const host = await HostProcess.start({ transport: 'python', command });
      host.onExit(remove);
      return host;
    } catch (error) {
      remove();
      throw error;
    }
  },
};

/** Where Frida unpacks its helper (10 MB): a host that is killed cannot remove it itself. */
async function temporaryFolder(home: string): Promise<string> {
  const parent = join(home, 'run');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return await mkdtemp(join(parent, 'host-'));
}
