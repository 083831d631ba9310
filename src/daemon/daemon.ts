import type {
  RunAbandonRequest,
  RunEnded,
  RunLive,
  RunLiveRequest,
  RunPrepared,
  RunPrepareRequest,
  RunStarted,
  RunStartRequest,
  RunWaitRequest,
} from '../protocol/runCommand.ts';
import type { SessionFigures } from '../protocol/socket.ts';
import type { ToolInput, ToolName } from '../protocol/tools/tools.ts';
import type { DapServer } from './dap/dapServer.ts';
import type { Client, RequestContext, ToolHandler } from './request.ts';

/** One handler per tool; a missing one is a type error. */
export type ToolHandlers = { readonly [Name in ToolName]: ToolHandler<ToolInput<Name>> };

/** The daemon's side of `strobe run`. Each throws StrobeError when the request fails as a whole. */
export interface RunHandlers {
  prepare(request: RunPrepareRequest, context: RequestContext): Promise<RunPrepared>;
  start(request: RunStartRequest, context: RequestContext): Promise<RunStarted>;
  /** What it did since the answer before; waits for more for a moment. */
  live(request: RunLiveRequest, context: RequestContext): Promise<RunLive>;
  /** Takes as long as the program runs. */
  wait(request: RunWaitRequest, context: RequestContext): Promise<RunEnded>;
  /** The supervisor could not be started, or the command line gave up: the session is removed. */
  abandon(request: RunAbandonRequest, context: RequestContext): Promise<void>;
  /** Removes what a client prepared and will never start. */
  clientGone(clientId: string): Promise<void>;
}

/** A parameter of which a client wants to know how it may go on. */
export interface Completing {
  readonly parameter: string;
  readonly begun: string;
  /** Other parameters that are known already. */
  readonly given: Readonly<Record<string, string>>;
}

/** Everything behind the socket: what `compose` puts together. */
export interface Daemon {
  readonly handlers: ToolHandlers;
  /** What a parameter of a prompt or resource may be. */
  complete(asked: Completing, client: Client): Promise<readonly string[]>;
  /** The session that is meant when the client names none; null: it has none. */
  defaultSession(client: Client): string | null;
  /** Serves an editor; `write` sends it a message. */
  editor(client: Client, write: (message: object) => void): DapServer;
  /** What `strobe run` asks for. */
  readonly run: RunHandlers;
  /** A client's first connection is there, or it came back after `clientGone`. */
  clientArrived(client: Client): void;
  /** Nobody has been there for a while: what is only kept ready may go. */
  rest(): void;
  /** Its last connection ended; sessions follow their `onClientExit`. */
  clientGone(client: Client): Promise<void>;
  /** Owners of sessions that were taken over from a daemon that died: they may come back. */
  readonly awaited: readonly Client[];
  /** True while a session lives: the daemon then neither ends by itself nor gives way. */
  readonly busy: boolean;
  /** A client has left something here that the next daemon would not have: staged patterns. */
  readonly holding: boolean;
  readonly figures: SessionFigures;
  close(): Promise<void>;
}
