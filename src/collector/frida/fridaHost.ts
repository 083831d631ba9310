import type { AgentMessage } from '../../protocol/agent.ts';

/** Ends a subscription. */
export type Unsubscribe = () => void;

/**
 * A process that speaks Frida for one session. Starting programs, their output and their exit
 * belong to the supervisor. Every request has a limit (TIMED_OUT) and fails with TRACER_LOST when the
 * host has ended; the target lives on in either case.
 */
export interface FridaHost extends AsyncDisposable {
  readonly pid: number;
  /** Of Frida. */
  version(): string;
  /**
   * Any number of processes, each of them once: a host that loaded an agent into a process may
   * refuse to attach to it again.
   * PTRACE_DENIED, ALREADY_OBSERVED, SESSION_ENDED (no such process), INSTRUMENTATION_FAILED. Whether it can be entered
   * at all was looked at before (entryConditions.ts).
   */
  attach(pid: number, options?: AttachOptions): Promise<HostSession>;
  /** Lets a process go that was attached to at its exec stop. */
  resume(pid: number): Promise<void>;
  /** Ends the host; what it is attached to is let go. */
  close(): Promise<void>;
  /** The host ended, by `close` or by itself. Called at once when it has already. */
  onExit(callback: (reason: string) => void): Unsubscribe;
}

export interface AttachOptions {
  /**
   * Of a process that runs: its thread that is stopped for a moment.
   */
  readonly thread: number;
}

/** An attached process. */
export interface HostSession {
  readonly pid: number;
  /** Runs an agent's source in the process; INSTRUMENTATION_FAILED when it throws while loading. */
  load(source: string): Promise<AgentLink>;
  /** Unloads the agents and lets go; the process runs on. */
  detach(): Promise<void>;
  /** The hold on the process ended. Called at once when it has already. Reasons are Frida's: `process-terminated`, `application-requested`, … */
  onDetached(callback: (reason: string) => void): Unsubscribe;
}

/** A loaded agent. */
export interface AgentLink {
  /**
   * Calls one of the agent's exports; `data` goes in as a last argument of type ArrayBuffer.
   * Calls are served in order. The value is what the export answered (an ArrayBuffer arrives as
   * Uint8Array, a pair with one as [value, Uint8Array]); its type is the caller's claim.
   * INSTRUMENTATION_FAILED when the export throws.
   */
  call<T>(
    method: string,
    args: readonly unknown[],
    data?: Uint8Array,
    options?: { readonly limitMs?: number },
  ): Promise<T>;
  /** What the agent sends unasked; what came before the first listener is told to it. */
  onMessage(callback: (message: AgentMessage, data: Uint8Array | null) => void): Unsubscribe;
  /** Hands a message to the agent's `recv`. */
  post(message: unknown, data?: Uint8Array): Promise<void>;
}
