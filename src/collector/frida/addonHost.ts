import { join } from 'node:path';
import type { FridaHost } from './fridaHost.ts';
import { HostProcess } from './hostProcess.ts';
import type { HostSurroundings, HostTransport } from './hostTransport.ts';

/** The `frida` npm package in a Node process of its own: dist/addonHostMain.js. */
export const addonTransport: HostTransport = {
  id: 'addon',
  async unavailable(surroundings) {
    try {
      await using host = await startAddon(surroundings);
      return host.version() === '' ? 'the addon does not say its version' : null;
    } catch (error) {
      const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      return first;
    }
  },
  start: startAddon,
};

async function startAddon(surroundings: HostSurroundings): Promise<FridaHost> {
  const args = [join(surroundings.paths.dist, 'addonHostMain.js')];
  return await HostProcess.start({
    transport: 'addon',
    command: { command: process.execPath, args },
    surroundings,
  });
}
