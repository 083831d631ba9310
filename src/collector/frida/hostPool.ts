import { within } from '../../base/deadline.ts';
import type { InstallPaths } from '../../base/installPaths.ts';
import { startOwned } from '../../base/process.ts';
import { StrobeError } from '../../model/errors.ts';
import type { FridaHost } from './fridaHost.ts';
import { hostEnvironment, removeHostFolders, type HostSurroundings } from './hostTransport.ts';
import { pythonTransport } from './pythonHost.ts';

/** A new spare must not take the processor from the attach of the host just taken; `warm` ends the wait. */
const respiteMs = 2_000;
const practiceMs = 5_000;

export interface HostPoolOptions {
  readonly home: string;
  readonly settings: { readonly 'frida.python': string };
  readonly paths: InstallPaths;
  readonly log: (message: string, detail?: Record<string, unknown>) => void;
}

/** Hands out hosts, one per session, and keeps one started ahead, so that a launch does not wait for it. */
export class HostPool implements AsyncDisposable {
  readonly #options: HostPoolOptions;
  #spare: Promise<FridaHost | null> | null = null;
  #respite: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: HostPoolOptions) {
    this.#options = options;
    removeHostFolders(options.home);
  }

  /** Starts the spare, unless there is one, Frida is not installed yet, or the pool is closed. */
  warm(): void {
    if (this.#closed || this.#spare) return;
    const spare = this.#startSpare().catch((error: unknown) => {
      this.#options.log('no spare host', {
        error: error instanceof Error ? error.message : String(error),
      });
      return null;
    });
    this.#spare = spare;
    void spare.then((host) => {
      if (host === null) this.#forget(spare);
      else host.onExit(() => this.#forget(spare));
    });
  }

  /**
   * A host of one's own, ready to attach; the caller closes it. Installs Frida on first use and
   * tells `progress` about it. FRIDA_MISSING.
   */
  async take(progress?: (message: string) => void): Promise<FridaHost> {
    if (this.#closed) throw new StrobeError('TRACER_LOST', 'The daemon is ending.');
    const spare = this.#spare;
    this.#spare = null;
    const ready = await spare;
    const host = ready && isLeft(ready) ? ready : await this.#start(progress);
    if (this.#closed) {
      await host.close();
      throw new StrobeError('TRACER_LOST', 'The daemon is ending.');
    }
    this.#respite ??= setTimeout(() => {
      this.#respite = null;
      this.warm();
    }, respiteMs).unref();
    return host;
  }

  /** Ends the spare until somebody wants it warm again; hosts that were taken belong to their takers. */
  async rest(): Promise<void> {
    if (this.#respite) clearTimeout(this.#respite);
    this.#respite = null;
    const spare = this.#spare;
    this.#spare = null;
    await (await spare)?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.rest();
    removeHostFolders(this.#options.home);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #forget(spare: Promise<FridaHost | null>): void {
    if (this.#spare === spare) this.#spare = null;
  }

  async #startSpare(): Promise<FridaHost | null> {
    if ((await pythonTransport.unavailable(this.#surroundings())) !== null) return null;
    const host = await pythonTransport.start(this.#surroundings());
    await practise(host, this.#options.home).catch((error: unknown) => {
      // The first real attach then takes a little longer, and tells better what is wrong.
      this.#options.log('a spare host could not practise', { error: String(error) });
    });
    return host;
  }

  async #start(progress?: (message: string) => void): Promise<FridaHost> {
    return await pythonTransport.start(this.#surroundings(progress));
  }

  #surroundings(progress?: (message: string) => void): HostSurroundings {
    const { home, settings, paths } = this.#options;
    return { home, python: settings['frida.python'], paths, ...(progress ? { progress } : {}) };
  }
}

/** A host's first attach unpacks parts of Frida, which takes a third of its time: done ahead on a process of ours. */
async function practise(host: FridaHost, home: string): Promise<void> {
  // Frida has temporary files in there, too, which stay when it ends early.
  const { env, remove } = await hostEnvironment(home);
  try {
    await using partner = await startOwned({ command: '/bin/cat', args: [], env });
    const attach = host.attach(partner.pid).then(async (session) => await session.detach());
    await within(practiceMs, attach, () => new Error('no attach within its limit'));
  } finally {
    remove();
  }
}

function isLeft(host: FridaHost): boolean {
  let left = true;
  host.onExit(() => {
    left = false;
  })();
  return left;
}
