import type { InstallPaths } from '../../base/installPaths.ts';
import { StrobeError } from '../../model/errors.ts';
import { addonTransport } from './addonHost.ts';
import type { FridaHost, Transport } from './fridaHost.ts';
import { pythonTransport } from './pythonHost.ts';

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

/** In the order of `auto`: the proven one first. */
export const transports = [pythonTransport, addonTransport] as const satisfies readonly HostTransport[];

/** The transport a setting asks for. */
export function chooseTransport(setting: 'auto' | Transport): HostTransport {
  if (setting === 'auto') return transports[0];
  for (const transport of transports) if (transport.id === setting) return transport;
  throw new StrobeError('BAD_SETTING', `frida.transport ${String(setting)} is not a transport.`);
}
