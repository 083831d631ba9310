import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NativeTracer, type NumberedFunction } from '../../collector/native/nativeTracer.ts';
import type { FridaHost, HostSession } from '../../collector/frida/fridaHost.ts';
import type { AgentMessage, LoadedModule, StartResult } from '../../protocol/agent.ts';

export interface InstrumentOptions {
  readonly pid: number;
  /** It has not run yet: its only thread of its own is the main one. */
  readonly atExec: boolean;
  readonly sessionId: string;
  readonly agentSource: string;
  readonly enginePath: string;
  readonly slotCount: number;
  readonly ringBytes: number;
  readonly stringBytes: number;
  readonly loadAddressOf: (module: string) => number | null;
  /** Awaited with the ring's path before anything is armed. */
  readonly onRing: (path: string) => Promise<void>;
  readonly announce: (functions: readonly NumberedFunction[]) => Promise<void>;
  readonly onModuleLoaded: (module: LoadedModule) => void;
  readonly onLost: (why: string) => void;
}

const HOST_ENDED = 'the process that speaks Frida ended';

/**
 * Where rings lie: shared memory, so that they never touch a disk; the folder is the user's own.
 */
export function ringDirectory(sessionId: string): string {
  const uid = process.getuid?.() ?? 0;
  return join('/dev/shm', `strobe-${uid}`, sessionId);
}

/** Our presence inside one target process: agent, engine, hooks. */
export class Instrument {
  readonly tracer: NativeTracer;
  readonly modules = new Map<string, LoadedModule>();
  readonly #host: FridaHost;
  readonly #attached: HostSession;
  #closed = false;

  private constructor(host: FridaHost, attached: HostSession, tracer: NativeTracer) {
    this.#host = host;
    this.#attached = attached;
    this.tracer = tracer;
  }

  /** Attaches to the process, loads agent and engine. The host is closed when this throws. */
  static async install(host: FridaHost, options: InstrumentOptions): Promise<Instrument> {
    try {
      const attached = await host.attach(options.pid);
      const link = await attached.load(options.agentSource);
      const folder = ringDirectory(options.sessionId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const ringPath = join(folder, `${options.pid}.ring`);
      const started = await link.call<StartResult>('start', [
        {
          enginePath: options.enginePath,
          ringPath,
          slotCount: options.slotCount,
          ringBytes: options.ringBytes,
          ...(options.atExec ? { targetThreads: [options.pid] } : {}),
        },
      ]);
      await options.onRing(ringPath);
      const tracer = new NativeTracer({
        link,
        stringBytes: options.stringBytes,
        loadAddressOf: options.loadAddressOf,
        announce: options.announce,
      });
      const instrument = new Instrument(host, attached, tracer);
      for (const module of started.modules) instrument.#add(module);
      link.onMessage((message: AgentMessage) => {
        if (message.type === 'moduleLoaded') {
          instrument.#add(message.module);
          options.onModuleLoaded(message.module);
        } else if (message.type === 'moduleUnloaded') {
          instrument.modules.delete(message.path);
          tracer.moduleUnloaded(message.path);
        }
      });
      attached.onDetached((reason) => {
        if (instrument.#closed) return;
        options.onLost(reason === 'host-lost' ? HOST_ENDED : reason);
      });
      host.onExit(() => {
        if (!instrument.#closed) options.onLost(HOST_ENDED);
      });
      return instrument;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** Lets a process go that was stopped at its exec. */
  async resume(pid: number): Promise<void> {
    await this.#host.resume(pid);
  }

  /** `live`: the process runs on, so its code is restored first. */
  async close(live: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (live) {
        await this.tracer.setWanted([]);
        await this.#attached.detach();
      }
    } finally {
      await this.#host.close();
    }
  }

  #add(module: LoadedModule): void {
    this.modules.set(module.path, module);
    this.tracer.moduleLoaded(module);
  }
}

/** Removes a session's rings; their contents are in the store by then. */
export function removeRings(sessionId: string): void {
  rmSync(ringDirectory(sessionId), { recursive: true, force: true });
}
