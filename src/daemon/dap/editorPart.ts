import type { QueryClient } from '../../db/queryClient.ts';
import type { Client, RequestContext } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { AskedObject } from '../tools/askedBreakpoint.ts';
import type { DapArguments } from './arguments.ts';

/** How an editor waits for what it asked. */
export type Waiting = Pick<RequestContext, 'signal' | 'progress'>;

/** A program that an editor launches. */
export type LaunchedProgram = DapArguments<'launch'> & { readonly program: string };
/** Tests that an editor debugs. */
export type LaunchedTests = Required<Pick<DapArguments<'launch'>, 'test' | 'trace' | 'env'>>;

/** What serving an editor needs of the daemon. */
export interface EditorPart {
  readonly client: Client;
  readonly queries: QueryClient;
  /** The live session of this id or prefix; undefined: the newest. Throws NO_SESSION, UNKNOWN_SESSION, SESSION_ENDED. */
  find(wanted: string | undefined): LiveSession;
  /** Answers the session's id. Throws what debug_launch does. */
  launch(
    asked: LaunchedProgram,
    breakpoints: readonly AskedObject[],
    waiting: Waiting,
  ): Promise<string>;
  /** Runs tests as a session. Throws what debug_test does, and where tests of a framework cannot be traced. */
  startTests(
    asked: LaunchedTests,
    breakpoints: readonly AskedObject[],
    waiting: Waiting,
  ): Promise<{ readonly sessionId: string; readonly testRunId: string }>;
  attach(asked: DapArguments<'attach'>, waiting: Waiting): Promise<string>;
  /** Ends the program of a session. */
  stop(session: LiveSession): Promise<void>;
  restart(session: LiveSession, waiting: Waiting): Promise<string>;
}
