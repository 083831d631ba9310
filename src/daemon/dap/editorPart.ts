import { dirname, resolve } from 'node:path';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseInput } from '../../protocol/parseInput.ts';
import { debugLaunch } from '../../protocol/tools/debugLaunch.ts';
import { debugSession } from '../../protocol/tools/debugSession.ts';
import type { Daemon, ToolHandlers } from '../daemon.ts';
import type { Client } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import { DapServer, type EditorPart, type Waiting } from './dapServer.ts';

type Handlers = Pick<ToolHandlers, 'debug_launch' | 'debug_session'>;

/** Serves editors. */
export function makeEditor(
  handlers: Handlers,
  sessions: Sessions,
  queries: QueryClient,
): Daemon['editor'] {
  return (client, write) =>
    new DapServer({ ...programsOf(client, handlers, sessions), client, queries }, write);
}

/** What an editor does with programs, by the same ways as everybody else. */
function programsOf(
  client: Client,
  handlers: Handlers,
  sessions: Sessions,
): Omit<EditorPart, 'client' | 'queries'> {
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

function sessionIn(answer: object): string {
  if ('sessionId' in answer && typeof answer.sessionId === 'string') return answer.sessionId;
  throw new StrobeError('INTERNAL', 'The program was started without a session.');
}
