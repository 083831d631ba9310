import type { ExitStatus } from '../../model/outputRecord.ts';
import type { TargetState, Unsubscribe } from './supervisorClient.ts';

/**
 * Who holds a session's target and writes down its life: the supervisor of a launched one, the watch
 * over an attached one. Errors are those of Supervisor.
 */
export interface TargetHolder {
  readonly started: { readonly pid: number };
  readonly state: TargetState;
  /** The target's own end, or null; who is not its parent does not know. */
  readonly exit?: ExitStatus | null;
  resume(): Promise<void>;
  /** It was let go by its host. */
  resumed(): Promise<void>;
  /** Of a supervisor: what a process that it holds begins with in its environment. */
  environ?(pid: number, words: readonly string[]): Promise<void>;
  input(bytes: Uint8Array, options?: { readonly limitMs?: number | null }): Promise<void>;
  inputEof(): Promise<void>;
  signal(name: string, options: { readonly group: boolean }): Promise<void>;
  /** Makes cycle counter and time known together once more. */
  clock(): Promise<unknown>;
  /** Whether processes of the tree are held at their exec. */
  askAboutExecs(ask: boolean): Promise<void>;
  /** Looks for processes of the tree that are not known. */
  scan(): Promise<unknown>;
  /** What the target writes from now on is not kept. */
  forget(): Promise<void>;
  quit(): Promise<void>;
  onGrown(callback: (size: number) => void): Unsubscribe;
  onState?(callback: () => void): Unsubscribe;
  /** How a supervisor was lost, in sentences; empty while it is not. */
  readonly end?: string;
  /** Of a supervisor. */
  readonly supervisorPid?: number;
  /** A supervisor that is there and does not answer. */
  readonly isSilent?: boolean;
  onClosed(callback: () => void): Unsubscribe;
  close(): void;
}
