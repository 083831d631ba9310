import type { ClientKind } from '../model/session.ts';
import type { ClientMemory } from './clientMemory.ts';
import type { HelloRequest } from '../protocol/socket.ts';
import type { ToolAnswer } from './report/answers/answer.ts';

/** Whoever asks: an MCP client (through its proxy), a person's terminal session, or one `strobe run`. */
export interface Client {
  /** Stable across reconnects of the same proxy or terminal. */
  readonly id: string;
  readonly kind: ClientKind;
  readonly cwd: string;
  /** Base environment of what it launches. */
  readonly env: Readonly<Record<string, string>>;
  /** File mode mask of what it launches. */
  readonly umask: number;
  /** What it has read already; absent: each answer is as if it were the first. */
  readonly memory?: ClientMemory;
  /** Niceness and limits of what it launches; default: the daemon's own. */
  readonly resources?: HelloRequest['resources'];
}

/** One request's surroundings. */
export interface RequestContext {
  readonly client: Client;
  /** Aborted when the client cancels or goes. */
  readonly signal: AbortSignal;
  /** Tells a waiting client what is being done; `done` of `total` when known. */
  progress(message: string, done?: number, total?: number): void;
}

/** Answers one parsed request; throws StrobeError when the whole request fails. */
export type ToolHandler<Input> = (input: Input, context: RequestContext) => Promise<ToolAnswer>;
