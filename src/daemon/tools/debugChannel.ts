import type {
  Channel,
  ChannelState,
  ChannelTarget,
  OutputChannel,
} from '../../collector/channels/channel.ts';
import type { ChannelList } from '../../collector/channels/channels.ts';
import { parseChannelCursor } from '../../model/channels/channelCursor.ts';
import type { ChannelQuery } from '../../model/channels/channelEvent.ts';
import { StrobeError } from '../../model/errors.ts';
import type { CallFilter } from '../../model/questions/query.ts';
import type { DebugChannelInput } from '../../protocol/tools/debugChannel.ts';
import type { DebugQueryInput } from '../../protocol/tools/debugQuery.ts';
import { parseInput } from '../../protocol/parseInput.ts';
import { debugQuery as queryContract } from '../../protocol/tools/debugQuery.ts';
import type { QueryTarget, Queries } from '../queries.ts';
import { cancelledWith } from '../queries.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { fit } from '../report/answers/budget.ts';
import { endOf } from '../report/answers/header.ts';
import type { Scene } from '../report/answers/scene.ts';
import {
  renderChannelList,
  renderKeeping,
  renderKept,
  renderOpened,
  renderSent,
} from '../report/session/channelAnswers.ts';
import { renderChannel } from '../report/views/channelView.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { queryTarget } from '../session/queryTarget.ts';
import type { Sessions } from '../session/sessions.ts';
import { writeStdin } from '../session/stdinInput.ts';
import { patternRequest } from '../tracing/patternRequest.ts';
import { exportChannel } from './channelExport.ts';
import { faultNotes } from './channelProxies.ts';
import { timeRange } from './queryRequest.ts';

type Request<Action extends DebugChannelInput['action']> = Extract<
  DebugChannelInput,
  { action: Action }
>;

interface Parts {
  readonly channels: ChannelList;
  readonly sessions: Sessions;
  readonly queries: Queries;
  readonly debugQuery: ToolHandler<DebugQueryInput>;
  readonly answerBudget: number;
  /** Strobe's own folder. */
  readonly home: string;
  /** Carries out a scenario. */
  readonly run: ToolHandler<Request<'run'>>;
  /** Keeps what is done as a scenario. */
  readonly record: ToolHandler<Request<'record'>>;
}

const deadlineMs = 10_000;
const usualLimit = 50;

/** debug_channel: what goes in and out of a program. */
export function makeDebugChannel(parts: Parts): ToolHandler<DebugChannelInput> {
  const { channels, sessions, answerBudget } = parts;
  return async (input, context) => {
    switch (input.action) {
      case 'list': {
        const { session } = sessions.resolve(input.sessionId, context.client);
        const view = session.view(context.client);
        const states = channels.all.map((one) => ({ channel: one.name, ...one.state(view) }));
        return renderChannelList(view, states, answerBudget);
      }
      case 'open':
      case 'close':
        return await change(parts, input, context);
      case 'query':
        if (input.path === undefined) return await query(parts, input, context);
        return await exportChannel(parts, { ...input, path: input.path }, context, async (page) =>
          query(parts, page, context),
        );
      case 'send':
        return await send(parts, input, context);
      case 'run':
        return await parts.run(input, context);
      case 'record':
        return await parts.record(input, context);
    }
  };
}

async function change(
  { channels, sessions, answerBudget }: Parts,
  input: Request<'open' | 'close'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const channel = channels.called(input.channel);
  const { output } = channel;
  const session = usedWith(sessions, channel, input, context);
  if (output?.kind === 'kept' && output.open) {
    sessions.requireOwner(session, context.client, input.takeOver);
    const target = targetOf(session, context);
    if (input.action === 'open') await output.open(target);
    else output.close?.(target);
    return renderKeeping(target.view, input, answerBudget);
  }
  if (output?.kind !== 'calls')
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${input.channel} is always open: nothing has to be hooked for it.`,
      `debug_channel {"action":"query","channel":"${input.channel}"} shows it.`,
    );
  sessions.requireOwner(session, context.client, input.takeOver);
  const { pattern } = output;
  const isOpening = input.action === 'open';
  context.progress(isOpening ? 'hooking the functions of the channel' : 'removing the hooks');
  const report = await session.tracing.change({
    add: isOpening ? [patternRequest(pattern)] : [],
    remove: isOpening ? [] : [pattern],
    clear: false,
  });
  const hooked = report.patterns.find((one) => one.pattern === pattern) ?? null;
  if (!isOpening && report.removed.every(({ found }) => !found)) throw notOpen(channel);
  const view = session.view(context.client);
  return renderOpened(
    { view, action: input.action, channel: input.channel, hooked },
    report,
    answerBudget,
  );
}

/** The session that the channel is used with. Why it cannot be used comes before that the session has ended. */
function usedWith(
  sessions: Sessions,
  channel: Channel,
  { sessionId }: Request<'open' | 'close' | 'send'>,
  { client }: RequestContext,
): LiveSession {
  const state = channel.state(sessions.resolveRunning(sessionId, client).session.view(client));
  if (state.kind === 'unavailable') throw unavailable(channel, state);
  return sessions.resolveLive(sessionId, client);
}

function unavailable(
  { name }: Channel,
  { text, next }: Extract<ChannelState, { kind: 'unavailable' }>,
): StrobeError {
  const message = `Channel ${name} cannot be used: ${text}.`;
  return new StrobeError('CHANNEL_UNAVAILABLE', message, ...(next === null ? [] : [next]));
}

function notOpen({ name }: Channel): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `Channel ${name} is not open.`,
    `debug_channel {"action":"open","channel":"${name}"} opens it.`,
  );
}

async function query(
  parts: Parts,
  input: Request<'query'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const channel = parts.channels.called(input.channel);
  const { output } = channel;
  if (!output) {
    const { session } = parts.sessions.resolve(input.sessionId, context.client);
    const state = channel.state(session.view(context.client));
    if (state.kind !== 'unavailable')
      throw new StrobeError(
        'BAD_PARAMETER',
        `Channel ${channel.name} keeps no events: ${state.text}.`,
        'debug_ui {"action":"tree"} shows what there is.',
      );
    throw unavailable(channel, state);
  }
  if (output.kind === 'recorded') return await recorded(parts, input, output.view, context);
  if (output.kind === 'kept') return await kept(parts, input, { channel, output }, context);
  const target = queryTarget(
    parts.sessions.resolve(input.sessionId, context.client),
    context.client,
  );
  const index = await target.settle(context.signal);
  const queries = cancelledWith(parts.queries, context.signal);
  const scene = await sceneOf(target, index, queries);
  const end = endOf(scene.session) ?? scene.session.now;
  const asked = questionOf(input, output.channel, { end, until: index.until });
  const page = await queries.ask('channel', target.storePath, asked);
  const { sessionId: _id, cursor: _cursor, raw, limit, ...rest } = input;
  const request = {
    ...rest,
    ...(raw ? { raw } : {}),
    ...(limit === usualLimit ? {} : { limit }),
    sessionId: scene.session.id,
  };
  const notes = faultNotes(channel, scene.session);
  const rendered = renderChannel(scene, page, { asked, request, notes });
  return fit(input.budget ?? parts.answerBudget, rendered);
}

async function sceneOf(
  target: QueryTarget,
  index: Awaited<ReturnType<QueryTarget['settle']>>,
  queries: Queries,
): Promise<Scene> {
  return {
    session: target.view,
    summary: await queries.ask('summary', target.storePath, null),
    indexedTo: index.complete ? null : index.indexedTo,
    request: {},
    verbose: false,
    notes: [],
  };
}

function questionOf(
  input: Request<'query'>,
  channel: ChannelQuery['channel'],
  { end, until }: { readonly end: number; readonly until: number },
): ChannelQuery {
  const range = timeRange(input, end);
  const at = input.cursor === undefined ? null : parseChannelCursor(input.cursor);
  const calls: CallFilter = {
    ...(input.within === undefined ? {} : { within: input.within }),
    ...(input.threadId === undefined ? {} : { threadId: input.threadId }),
    ...(input.threadName === undefined ? {} : { threadName: input.threadName }),
  };
  return {
    channel,
    calls,
    timeFrom: range.from ?? 0,
    timeTo: range.to ?? Number.MAX_SAFE_INTEGER,
    pid: input.pid ?? null,
    connection: input.connection ?? null,
    direction: input.direction ?? null,
    raw: input.raw,
    text: input.text ?? null,
    part: at?.part ?? 0,
    from: at?.from ?? 0,
    limit: input.limit,
    until: Math.min(until, at?.until ?? until),
    deadlineMs,
  };
}

/** What debug_query shows of this channel. */
async function recorded(
  { debugQuery }: Parts,
  input: Request<'query'>,
  view: 'output' | 'events',
  context: RequestContext,
): Promise<ToolAnswer> {
  const { action: _action, channel, text, raw: _raw, ...rest } = input;
  const own = view === 'output' ? { match: text } : { text, eventType: ['call'] };
  const given = Object.entries({ ...rest, ...own }).filter(([, value]) => value !== undefined);
  const honoured = new Set<string>(filters[view]);
  const [other] = given.find(([name]) => !honoured.has(name)) ?? [];
  if (other !== undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${channel} cannot be filtered by ${other}.`,
      `Leave it out; ${channel} takes ${[...honoured].map((name) => (name === 'match' ? 'text' : name)).join(', ')}.`,
    );
  const { text: shown, structured } = await debugQuery(
    parseInput(queryContract, { view, ...Object.fromEntries(given) }),
    context,
  );
  const events =
    'lines' in structured ? structured.lines : 'events' in structured ? structured.events : [];
  return { text: shown, structured: { ...structured, action: 'query', channel, events } };
}

const filters = {
  output: ['sessionId', 'match', 'timeFrom', 'timeTo', 'pid', 'limit', 'cursor', 'budget'],
  events: [
    'sessionId',
    'text',
    'eventType',
    'within',
    'threadId',
    'threadName',
    'timeFrom',
    'timeTo',
    'pid',
    'limit',
    'cursor',
    'budget',
  ],
} as const;

/** What the channel kept by itself. */
async function kept(
  { sessions, answerBudget }: Parts,
  input: Request<'query'>,
  by: { readonly channel: Channel; readonly output: Extract<OutputChannel, { kind: 'kept' }> },
  context: RequestContext,
): Promise<ToolAnswer> {
  const session = sessions.resolveLive(input.sessionId, context.client);
  const { output } = by;
  const { action: _action, channel, sessionId: _id, raw: _raw, budget, ...asked } = input;
  const others = { connection: asked.connection, within: asked.within, pid: asked.pid };
  const thread = { threadId: asked.threadId, threadName: asked.threadName };
  const [other] =
    Object.entries({ ...others, ...thread }).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${channel} cannot be filtered by ${other}.`,
      `Leave it out; ${channel} takes text, direction, timeFrom, timeTo.`,
    );
  const target = targetOf(session, context);
  const events = await output.events(target, context.signal);
  const { view } = target;
  const state = by.channel.state(view);
  if (events.length === 0 && state.kind !== 'open')
    throw state.kind === 'unavailable' ? unavailable(by.channel, state) : notOpen(by.channel);
  const range = timeRange(input, view.now);
  const text = asked.text?.toLowerCase();
  const fitting = events.filter(
    (event) =>
      (range.from === null || event.time >= range.from) &&
      (range.to === null || event.time <= range.to) &&
      (asked.direction === undefined || event.direction === asked.direction) &&
      (text === undefined || event.text.toLowerCase().includes(text)),
  );
  const from = keptCursor(asked.cursor);
  const page = {
    channel,
    events: fitting.slice(from, from + asked.limit),
    from,
    total: fitting.length,
    dropped: output.dropped?.(target) ?? 0,
  };
  return renderKept(view, page, { ...asked, channel }, budget ?? answerBudget);
}

function keptCursor(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, from] = /^k(\d{1,9})$/.exec(text) ?? [];
  if (from !== undefined) return Number(from);
  throw new StrobeError('BAD_CURSOR', `"${text}" is not a cursor of this query.`);
}

function targetOf(session: LiveSession, { client }: RequestContext): ChannelTarget {
  return {
    view: session.view(client),
    directory: session.facts.directory,
    async write(part, eof) {
      await writeStdin(session, part, eof);
    },
  };
}

async function send(
  { channels, sessions, answerBudget }: Parts,
  input: Request<'send'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const channel = channels.called(input.channel);
  if (!channel.input)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${channel.name} has no input.`,
      `Send to one that has: ${channels.all
        .filter((one) => one.input)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  const session = usedWith(sessions, channel, input, context);
  if (input.text !== undefined && input.base64 !== undefined)
    throw new StrobeError('BAD_PARAMETER', 'Give text or base64, not both.');
  if (input.to !== undefined && !channel.input.takesAddress)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${channel.name} takes no address.`,
      'Leave it out.',
    );
  sessions.requireOwner(session, context.client, input.takeOver);
  if (!input.text && !input.base64 && !input.eof && !channel.input.takesAddress)
    throw new StrobeError(
      'BAD_PARAMETER',
      `There is nothing to send to channel ${channel.name}.`,
      `debug_channel {"action":"send","channel":"${channel.name}","text":"ping"} sends it.`,
    );
  const bytes =
    input.base64 === undefined
      ? Buffer.from(input.text ?? '', 'utf8')
      : Buffer.from(input.base64, 'base64');
  const target = targetOf(session, context);
  const message = { bytes, eof: input.eof, to: input.to ?? null };
  const sent = await channel.input.send(message, target, context.signal);
  return renderSent(
    { view: target.view, channel: channel.name, bytes: bytes.length, sent },
    answerBudget,
  );
}
