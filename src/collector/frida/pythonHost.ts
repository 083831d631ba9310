import type { FridaHost } from './fridaHost.ts';
import { HostProcess } from './hostProcess.ts';
import { findProvisioned, provisionFrida } from './provision.ts';
import type { HostTransport } from './hostTransport.ts';

/** The `frida` Python package, installed by ourselves, in a process of sidecar.py. */
export const pythonTransport: HostTransport = {
  async unavailable(surroundings) {
    const found = await findProvisioned(surroundings);
    return found === null ? 'Frida is not installed in Strobe’s folder yet' : null;
  },
  async start(surroundings): Promise<FridaHost> {
    const { folder, python } = await provisionFrida(surroundings);
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, folder];
    return await HostProcess.start({
      command: { command: python, args },
      surroundings,
    });
  },
};
