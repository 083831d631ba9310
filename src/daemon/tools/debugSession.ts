import { dirname } from 'node:path';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StopReport } from '../../model/session.ts';
import type { DebugSessionInput } from '../../protocol/tools/debugSession.ts';
import {
  renderDelete,
  renderDetach,
  renderRetain,
  renderStop,
} from '../report/session/sessionEnds.ts';
import { renderInput, renderList, renderStatus } from '../report/session/sessionAnswers.ts';
import { openPack, packSession, type PackParts } from '../export/packing.ts';
import { renderOpened, renderPacked } from '../report/answers/packed.ts';
import type { LaunchParts } from '../session/launchSession.ts';
import type { Retention } from '../session/retention.ts';
import { stopLeftOver } from '../session/leftOver.ts';
import { launchAnswer } from './debugLaunch.ts';
import { outputTail } from '../session/outputTail.ts';
import { restart } from '../session/restart.ts';
import { idOf, type AnySession, type Sessions } from '../session/sessions.ts';
import { sessionEnded } from '../session/sessionFacts.ts';
import { writeStdin } from '../session/stdinInput.ts';
import { cursorText, waitFor } from '../session/wait.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { ExportInput } from './queryRequest.ts';

const TAIL_LINES = 20;
/** A launch that is still under way is waited for this long. */
const START_LIMIT_MS = 20_000;

type Request<Action extends DebugSessionInput['action']> = Extract<
  DebugSessionInput,
  { action: Action }
>;

/** What the actions share. */
export interface Desk {
  readonly services: LaunchParts;
  readonly sessions: Sessions;
  readonly retention: Retention;
  readonly queries: QueryClient;
  readonly packing: PackParts;
  /** Tokens of an answer. */
  readonly answerBudget: number;
}

/** debug_session: manages running and ended sessions. */
export function makeDebugSession(
  desk: Desk,
  exportSession: ToolHandler<ExportInput>,
): ToolHandler<DebugSessionInput> {
  const { sessions, retention, queries, answerBudget } = desk;
  return async (input, context) => {
    switch (input.action) {
      case 'status':
        return status(desk, input, context);
      case 'list':
        return renderList(
          sessions.list(context.client, input.scope, input.state ?? null, input.cursor ?? null),
          answerBudget,
        );
      case 'wait': {
        const found = sessions.resolve(input.sessionId, context.client);
        return retention.keepFor(idOf(found), () =>
          waitFor({ found, queries, input, context, answerBudget }),
        );
      }
      case 'input':
        return sendInput(sessions, input, context);
      case 'stop':
        return stop(desk, input, context);
      case 'detach':
        return detach(desk, input, context);
      case 'restart':
        return restartSession(desk, input, context);
      case 'retain':
        return retain(desk, input, context);
      case 'delete':
        return remove(desk, input, context);
      case 'pack':
        return pack(desk, input, context);
      case 'open':
        return open(desk, input, context);
      case 'export':
        return await exportSession(input, context);
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
  if (found.kind === 'live') await found.session.lookForProcesses();
  const settled = found.kind === 'live' ? await found.session.settle() : null;
  const storePath = found.kind === 'live' ? found.session.facts.storePath : found.session.storePath;
  const summary = settled?.summary ?? (await queries.ask('summary', storePath, null));
  return {
    session: found.session.view(context.client),
    summary,
    indexedTo: settled?.complete === false ? settled.summary.indexedTo : null,
    trace: found.kind === 'live' ? found.session.tracing.report() : null,
    outputTail: await outputTail(queries, storePath, TAIL_LINES, settled),
    look: found.kind === 'live' ? await found.session.look() : null,
  };
}

async function sendInput(
  sessions: Sessions,
  input: Request<'input'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const session = sessions.resolveLive(input.sessionId, context.client);
  sessions.requireOwner(session, context.client, input.takeOver);
  const bytes =
    input.base64 === undefined
      ? Buffer.from(input.text ?? '', 'utf8')
      : Buffer.from(input.base64, 'base64');
  const from = await writeStdin(session, bytes, input.eof);
  return renderInput({
    cursor: cursorText(from),
    session: session.view(context.client),
    bytes: bytes.length,
    eof: input.eof,
  });
}

async function stop(
  { sessions, retention, queries, answerBudget }: Desk,
  input: Request<'stop'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolveRunning(input.sessionId, context.client);
  sessions.requireOwner(found.session, context.client, input.takeOver);
  context.progress('stopping the program');
  const how: StopReport['how'] =
    found.kind === 'live'
      ? await found.session.stop(input.graceMs, 'stop')
      : await stopLeftOver(dirname(found.session.storePath), input.graceMs);
  const row = input.retain ? sessions.retain(idOf(found)) : sessions.row(idOf(found));
  const report = await statusReport(found, queries, context);
  const kept = { endedWallMs: null, retain: input.retain, ...row };
  return renderStop(
    { ...report, how, retained: kept.retain, keptUntilMs: retention.keptUntil(kept) },
    answerBudget,
  );
}

async function detach(
  { sessions, queries }: Desk,
  input: Request<'detach'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const session = sessions.resolveLive(input.sessionId, context.client);
  sessions.requireOwner(session, context.client, input.takeOver);
  if (!(await session.started(START_LIMIT_MS)))
    throw new StrobeError('TIMED_OUT', `Session ${session.facts.id} is still starting.`);
  if (!session.isLive) throw sessionEnded(session);
  context.progress('removing the hooks');
  await session.release();
  const { summary } = await statusReport({ kind: 'live', session }, queries, context);
  return renderDetach(session.view(context.client), summary);
}

async function restartSession(
  { services, sessions, queries, answerBudget }: Desk,
  input: Request<'restart'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolve(input.sessionId, context.client);
  sessions.requireOwner(found.session, context.client, input.takeOver);
  const { before, session, how } = await restart(services, sessions, found, input.graceMs, context);
  const { text, structured } = await launchAnswer(
    session,
    { reused: false },
    queries,
    answerBudget,
    context,
  );
  return {
    text,
    structured: { action: 'restart', restartedFrom: before.facts.id, how, ...structured },
  };
}

function retain(
  { sessions, retention }: Desk,
  input: Request<'retain'>,
  context: RequestContext,
): ToolAnswer {
  const found = sessions.resolve(input.sessionId, context.client);
  const row = sessions.retain(idOf(found));
  return renderRetain({
    session: found.session.view(context.client),
    keptUntilMs: typeof row?.endedWallMs === 'number' ? retention.keptUntil(row) : null,
    days: retention.retainedDays,
  });
}

async function remove(
  { sessions, retention }: Desk,
  input: Request<'delete'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolve(input.sessionId, context.client);
  sessions.requireOwner(found.session, context.client, input.takeOver);
  const view = found.session.view(context.client);
  await sessions.requireEnded(found);
  await retention.remove(view.id);
  return renderDelete(view);
}

async function pack(
  { sessions, packing }: Desk,
  input: Request<'pack'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = sessions.resolve(input.sessionId, context.client);
  if (found.kind === 'live') await found.session.settle();
  context.progress('packing the session');
  const { path, overwrite } = input;
  const packed = await packSession(packing, found, { path, overwrite }, context);
  return renderPacked(found.session.view(context.client), packed);
}

async function open(
  { sessions, packing }: Desk,
  input: Request<'open'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  context.progress('opening the pack');
  const { id, wasHere } = await openPack(packing, input.path, context);
  return renderOpened(sessions.resolve(id, context.client).session.view(context.client), wasHere);
}
