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
