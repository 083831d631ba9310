import { dirname } from 'node:path';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StopReport } from '../../model/session.ts';
import type { DebugSessionInput } from '../../protocol/tools/debugSession.ts';
import { renderInput, renderList, renderStatus, renderStop } from '../report/session.ts';
import { stopLeftOver } from '../session/leftOver.ts';
import { outputTail } from '../session/outputTail.ts';
import type { AnySession, Sessions } from '../session/sessions.ts';
import { waitFor } from '../session/wait.ts';
import type { RequestContext, ToolAnswer, ToolHandler } from './handler.ts';

const TAIL_LINES = 20;

type Request<Action extends DebugSessionInput['action']> = Extract<
  DebugSessionInput,
  { action: Action }
>;

/** What the actions share. */
interface Desk {
  readonly sessions: Sessions;
  readonly queries: QueryClient;
  /** Tokens of an answer. */
  readonly answerBudget: number;
}

/** debug_session: looks after running and ended sessions. */
export function makeDebugSession(desk: Desk): ToolHandler<DebugSessionInput> {
  const { sessions, queries, answerBudget } = desk;
  return async (input, context) => {
    switch (input.action) {
      case 'status':
        return status(desk, input, context);
      case 'list':
        return renderList(
          sessions.list(context.client, input.scope, input.state ?? null, input.cursor ?? null),
          answerBudget,
        );
      case 'wait':
        return waitFor({
          found: sessions.resolve(input.sessionId, context.client),
          queries,
          input,
          context,
          answerBudget,
        });
      case 'input':
        return sendInput(sessions, input, context);
      case 'stop':
        return stop(desk, input, context);
    }
  };
}

async function status(
  { sessions, queries, answerBudget }: Desk,
  input: Request<'status'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolve(input.sessionId, context.client);
  return renderStatus(await statusReport(found, queries, context), answerBudget);
}

async function statusReport(
  found: AnySession,
  queries: QueryClient,
  context: RequestContext,
): Promise<Parameters<typeof renderStatus>[0]> {
  const settled = found.kind === 'live' ? await found.session.settle() : null;
  const storePath = found.kind === 'live' ? found.session.facts.storePath : found.session.storePath;
  const summary = settled?.summary ?? (await queries.summary(storePath));
  return {
    session: found.session.view(context.client),
    summary,
    trace: found.kind === 'live' ? found.session.tracing.report() : null,
    outputTail: await outputTail(queries, storePath, TAIL_LINES, settled),
  };
}

async function sendInput(
  sessions: Sessions,
  input: Request<'input'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const session = sessions.resolveLive(input.sessionId, context.client);
  sessions.requireOwner(session, context.client, input.takeOver);
  if (session.facts.stdin === 'closed') {
    throw new StrobeError(
      'STDIN_CLOSED',
      `Session ${session.facts.id} was launched without open stdin.`,
    );
  }
  const bytes =
    input.base64 === undefined
      ? Buffer.from(input.text ?? '', 'utf8')
      : Buffer.from(input.base64, 'base64');
  await session.input(bytes, { eof: input.eof });
  return renderInput({
    session: session.view(context.client),
    bytes: bytes.length,
    eof: input.eof,
  });
}

async function stop(
  { sessions, queries, answerBudget }: Desk,
  input: Request<'stop'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolve(input.sessionId, context.client);
  sessions.requireOwner(found.session, context.client, input.takeOver);
  context.progress('stopping the program');
  const how: StopReport['how'] =
    found.kind === 'live'
      ? await found.session.stop(input.graceMs, 'stop')
      : await stopLeftOver(dirname(found.session.storePath), input.graceMs);
  if (input.retain)
    sessions.retain(found.kind === 'live' ? found.session.facts.id : found.session.id);
  const report = await statusReport(found, queries, context);
  return renderStop({ ...report, how, retained: input.retain }, answerBudget);
}
