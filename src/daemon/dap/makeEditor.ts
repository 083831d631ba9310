import { dirname, resolve } from 'node:path';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseInput } from '../../protocol/parseInput.ts';
import { debugLaunch } from '../../protocol/tools/debugLaunch.ts';
import { debugTest } from '../../protocol/tools/debugTest.ts';
import { debugSession } from '../../protocol/tools/debugSession.ts';
import type { Daemon, ToolHandlers } from '../daemon.ts';
import type { Client } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StartTests } from '../tools/debugTest.ts';
import { DapServer } from './dapServer.ts';
import type { EditorPart, Waiting } from './editorPart.ts';

type Handlers = Pick<ToolHandlers, 'debug_launch' | 'debug_session'>;

/** Serves editors. */
export function makeEditor(
  handlers: Handlers,
  sessions: Sessions,
  { queries, startTests }: { readonly queries: QueryClient; readonly startTests: StartTests },
): Daemon['editor'] {
  return (client, write) => {
    const programs = programsOf(client, handlers, sessions);
    return new DapServer({ ...programs, ...testsOf(client, startTests), client, queries }, write);
  };
}

/** What an editor does with programs, by the same ways as everybody else. */
function programsOf(
  client: Client,
  handlers: Handlers,
  sessions: Sessions,
): Omit<EditorPart, 'client' | 'queries' | 'startTests'> {
  async function started(request: object, waiting: Waiting): Promise<string> {
    const context = { client, ...waiting };
    const input = parseInput(debugLaunch, request);
    return sessionIn((await handlers.debug_launch(input, context)).structured);
  }
  async function ask(request: object, waiting: Waiting): Promise<object> {
    const context = { client, ...waiting };
    const input = parseInput(debugSession, request);
    return (await handlers.debug_session(input, context)).structured;
  }
  return {
    find: (wanted) => sessions.resolveLive(wanted, client),
    async launch(asked, breakpoints, waiting) {
      const { program, args, cwd, env, trace, projectRoot } = asked;
      const folder = resolve(client.cwd, cwd ?? '.');
      const command = program.includes('/') ? resolve(folder, program) : program;
      const root = projectRoot ?? cwd ?? (program.includes('/') ? dirname(command) : folder);
      const request = {
        command,
        args,
        cwd: folder,
        env,
        projectRoot: resolve(client.cwd, root),
        patterns: trace,
        breakpoints,
        onClientExit: 'stop',
      };
      return await started(request, waiting);
    },
    async attach({ pid, projectRoot, trace }, waiting) {
      const root = projectRoot === undefined ? {} : { projectRoot };
      return await started({ pid, patterns: trace, ...root }, waiting);
    },
    async stop(session) {
      await session.stop(1000, 'stop');
    },
    async restart(session, waiting) {
      return sessionIn(await ask({ action: 'restart', sessionId: session.facts.id }, waiting));
    },
  };
}

function testsOf(client: Client, startTests: StartTests): Pick<EditorPart, 'startTests'> {
  return {
    async startTests({ test: { projectRoot, file, test }, env, trace }, breakpoints, waiting) {
      const request = {
        action: 'run',
        projectRoot: resolve(client.cwd, projectRoot),
        ...(file === undefined ? {} : { file }),
        ...(test === undefined ? {} : { test }),
        env,
        patterns: trace,
        // One that is restarted may not have ended yet.
        allowParallel: true,
      };
      const input = parseInput(debugTest, request);
      const run = await startTests(input, breakpoints, { client, ...waiting });
      if (run.sessionId === null)
        throw new StrobeError('INTERNAL', 'The tests were started without a session.');
      return { sessionId: run.sessionId, testRunId: run.facts.id };
    },
  };
}

function sessionIn(answer: object): string {
  if ('sessionId' in answer && typeof answer.sessionId === 'string') return answer.sessionId;
  throw new StrobeError('INTERNAL', 'The program was started without a session.');
}
