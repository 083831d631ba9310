import { crashNotes } from '../../model/endings/crashLine.ts';
import { callId, parseCallId, type SessionNs } from '../../model/ids.ts';
import type {
  CallFilter,
  CallView,
  EventsQuery,
  OutputQuery,
} from '../../model/questions/query.ts';
import { testAt } from '../../model/tests/testSpan.ts';
import type { SqlQuestion, SqlRows } from '../../db/sql/sqlMessages.ts';
import { textCompared } from '../../db/sql/textCompared.ts';
import type { SessionView } from '../../model/session.ts';
import type { DebugQueryInput } from '../../protocol/tools/debugQuery.ts';
import { StrobeError } from '../../model/errors.ts';
import { fit } from '../report/answers/budget.ts';
import { renderCallLines } from '../report/views/annotatedSource.ts';
import { renderChanges } from '../report/views/changes.ts';
import { renderDiff } from '../report/views/diff.ts';
import type { Emptiness } from '../report/views/emptiness.ts';
import { renderEvents } from '../report/views/events.ts';
import { endOf } from '../report/answers/header.ts';
import { renderOutput } from '../report/views/output.ts';
import { writersNotes, type Scene } from '../report/answers/scene.ts';
import { renderSql } from '../report/views/sql.ts';
import { renderStats } from '../report/views/stats.ts';
import { renderTree } from '../report/tree/tree.ts';
import { readSpans, testFilter } from '../testing/testSpans.ts';
import type { CodeNames } from '../postMortem/codeNames.ts';
import { exportView, type ExportParts } from './exportView.ts';
import { crashView } from './crashView.ts';
import { callsInTree, namedExceptions, withExceptions } from './namedExceptions.ts';
import { orderedCalls } from './orderedCalls.ts';
import { renderCalls } from '../report/tree/callsInOrder.ts';
import { withShown } from '../../model/questions/shownValues.ts';
import { shownNotes } from './shownNotes.ts';
import { shownOfRows } from './shownStats.ts';
import type { TreeResult } from '../../model/questions/treeResult.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { Client, RequestContext, ToolHandler } from '../request.ts';
import { cancelledWith, type Queries, type QueryTarget } from '../queries.ts';
import {
  callFilter,
  diffFilter,
  keptOutNotes,
  repeatable,
  timeRange,
  wantedFunction,
  type ExportInput,
  type QueryInput,
} from './queryRequest.ts';

export interface DebugQueryParts {
  /** Throws UNKNOWN_SESSION, NO_SESSION or AMBIGUOUS_SESSION. */
  resolve(sessionId: string | undefined, client: Client): QueryTarget | Promise<QueryTarget>;
  readonly queries: Queries;
  /** Runs a statement over a store (db/sql). */
  readonly runSql: (question: SqlQuestion, signal: AbortSignal) => Promise<SqlRows>;
  readonly exporting: ExportParts;
  /** Names the functions that values of an answer lead to. */
  readonly codeNames: (storePath: string, answer: unknown) => Promise<CodeNames>;
  /** Tokens of an answer to a request that does not say (setting `answer.budget`). */
  readonly answerBudget?: number;
}

const usualBudget = 2000;
/** A search that has not ended by then says how far it came. */
const deadlineMs = 4000;
const treeNodes = { least: 1000, most: 5000 } as const;
/** What a line of a tree takes, lines considered beside it included. */
const leastTokens = 10;

/** What all views work with. */
interface Question {
  readonly queries: Queries;
  readonly storePath: string;
  readonly until: SessionNs;
  /** What `-5s` counts back from. */
  readonly end: SessionNs;
  readonly budget: number;
  readonly scene: Scene;
  /** What the test that is asked for restricts. */
  readonly ofTest: CallFilter;
}

/** debug_query: what the program did. */
export function makeDebugQuery(parts: DebugQueryParts): ToolHandler<DebugQueryInput> {
  return async (input, context) => {
    const question = await questionOf(parts, input, context);
    switch (input.view) {
      case 'events':
        return await events(question, input, parts);
      case 'tree':
        return await tree(question, input, parts);
      case 'stats':
        return await stats(question, input);
      case 'diff':
        return await diffWith(parts, question, input, context);
      case 'sql':
        return await sql(question, input, parts.runSql, context.signal);
      case 'changes':
        return await changes(question, input);
      case 'output':
        return await output(question, input);
      case 'crash':
        return await crashView(question, input);
    }
  };
}

/** debug_session export: what the program did, as a file. */
export function makeExport(parts: DebugQueryParts): ToolHandler<ExportInput> {
  return async (input, context) => {
    const question = await questionOf(parts, input, context);
    const tellsCrash = input.format === 'html' && crashNotes(question.scene.session).length > 0;
    const story = tellsCrash ? await crashStory(question, question.scene.session.id) : null;
    return await exportView(parts.exporting, { ...question, story }, input, context);
  };
}

async function questionOf(
  parts: DebugQueryParts,
  input: DebugQueryInput | ExportInput,
  { client, signal }: RequestContext,
): Promise<Question> {
  const target = await parts.resolve(input.sessionId, client);
  const index = await target.settle(signal);
  const session = target.view;
  const queries = cancelledWith(parts.queries, signal);
  const summary = await queries.ask('summary', target.storePath, null);
  const spans = await readSpans(target.storePath);
  const wantedTest = 'test' in input ? input.test : undefined;
  return {
    queries,
    storePath: target.storePath,
    until: index.until,
    end: endOf(session) ?? session.now,
    budget: input.budget ?? parts.answerBudget ?? usualBudget,
    scene: {
      session,
      summary,
      indexedTo: index.complete ? null : index.indexedTo,
      request: repeatable(input, session.id),
      verbose: 'view' in input && input.view === 'events' && input.verbose,
      notes: [],
      ...(spans ? { testOf: (call) => testAt(spans, call) } : {}),
    },
    ofTest: wantedTest === undefined ? {} : testFilter(spans, wantedTest),
  };
}

/** Why it crashed, without what to ask next. */
async function crashStory(question: Question, sessionId: string): Promise<string> {
  const { text } = await crashView(question, { view: 'crash', sessionId });
  return text.split('\nnext:\n')[0] ?? '';
}

async function events(
  question: Question,
  input: QueryInput<'events'>,
  { codeNames }: DebugQueryParts,
): Promise<ToolAnswer> {
  const { queries, storePath, until, end, budget } = question;
  const wanted: EventsQuery = {
    filter: callFilter(input, end, question.ofTest),
    eventTypes: input.eventType ?? [],
    order: input.order,
    limit: input.limit,
    cursor: input.cursor ?? null,
    until,
    deadlineMs,
  };
  const found = await queries.ask('events', storePath, wanted);
  const calls = found.events.flatMap((event) => ('call' in event ? [event.call] : []));
  const named = await namedExceptions(queries, storePath, until, calls);
  const page = {
    ...found,
    events: found.events.map((event) =>
      'call' in event ? { ...event, call: shownOf(named(event.call), input.show) } : event,
    ),
  };
  const scene = {
    ...question.scene,
    codeNames: await codeNames(storePath, page.events),
    notes: [
      ...keptOutNotes(input, wanted.filter),
      ...shownNotes(calls, input.show),
      ...(asksForOutput(input) ? writersNotes(question.scene, input.pid) : []),
    ],
  };
  const isEmpty = page.events.length === 0 && asksForCalls(input);
  const emptiness = isEmpty ? await emptinessOf(question, input) : null;
  return plain(fit(budget, renderEvents(scene, page, emptiness)));
}

function asksForOutput(input: QueryInput<'events'>): boolean {
  const { eventType } = input;
  if (!eventType) return wantedFunction(input) === null;
  return eventType.includes('stdout') || eventType.includes('stderr');
}

function asksForCalls(input: QueryInput<'events'>): boolean {
  return (
    !input.eventType ||
    input.eventType.some((type) => type === 'call' || type.startsWith('function_'))
  );
}

async function tree(
  question: Question,
  input: QueryInput<'tree'>,
  { codeNames }: DebugQueryParts,
): Promise<ToolAnswer> {
  const { queries, storePath, until, end, budget } = question;
  const asked = input.lines && input.root !== undefined ? parseCallId(input.root) : null;
  if (asked && input.order === undefined && input.cursor === undefined) {
    const call = callId(asked.thread, asked.ordinal);
    const lines = await queries.ask('callLines', storePath, { call, most: mostCallLines, until });
    return plain(fit(budget, renderCallLines(question.scene, lines)));
  }
  if (input.order === 'calls' || input.cursor !== undefined) return await inOrder(question, input);
  const filter = callFilter(input, end, question.ofTest);
  const found = await queries.ask('tree', storePath, {
    filter,
    root: input.root ?? null,
    maxDepth: input.maxDepth,
    selfTime: input.selfTime,
    maxNodes: Math.min(treeNodes.most, Math.max(treeNodes.least, budget)),
    maxRead: Math.ceil(budget / leastTokens),
    until,
    deadlineMs,
  });
  if (input.order === undefined && isBetterInOrder(input, found))
    return await inOrder(question, input);
  const named = await namedExceptions(queries, storePath, until, callsInTree(found));
  const result = withExceptions(found, named, input.show);
  const emptiness = result.calls === 0 ? await emptinessOf(question, input) : null;
  const scene = {
    ...question.scene,
    notes: shownNotes(callsInTree(found), input.show),
    codeNames: await codeNames(storePath, result),
  };
  return plain(fit(budget, (room) => renderTree(scene, result, { emptiness }, room)));
}

/** Lines of one call that are read. */
const mostCallLines = 20_000;

/** So few calls that a filter leaves are the answer: each is shown. */
const fewCalls = 40;

/** Folding must not hide what a question picked out, and calls inside a root are found even when it is not picked. */
function isBetterInOrder(
  input: QueryInput<'tree'>,
  { calls: found, complete }: TreeResult,
): boolean {
  const { function: byName, argument, returnValue, watched, text, minDurationNs } = input;
  const byValue = [argument, returnValue, watched, text, minDurationNs].some(
    (filter) => filter !== undefined,
  );
  if (found === 0) return input.root !== undefined && (byValue || byName !== undefined);
  return complete && byValue && found <= fewCalls;
}

/** A tree in which each call has a line. */
async function inOrder(question: Question, input: QueryInput<'tree'>): Promise<ToolAnswer> {
  const { queries, scene, storePath, until, end, budget } = question;
  const asked = {
    filter: callFilter(input, end, question.ofTest),
    limit: input.limit,
    cursor: input.cursor ?? null,
    until,
    deadlineMs,
  };
  const page = await orderedCalls(queries, storePath, asked, input.root ?? null);
  if (page.calls.length === 0) {
    const nothing = { threads: [], calls: 0, complete: page.complete, uncompared: 0 };
    const emptiness = await emptinessOf(question, input);
    return plain(fit(budget, (room) => renderTree(scene, nothing, { emptiness }, room)));
  }
  const named = await namedExceptions(queries, storePath, until, page.calls);
  const shown = page.calls.map((call) => shownOf(named(call), input.show));
  const notes = shownNotes(page.calls, input.show);
  return plain(fit(budget, renderCalls({ ...scene, notes }, { ...page, calls: shown })));
}

function shownOf(call: CallView, show: readonly string[] | undefined): CallView {
  return show === undefined ? call : withShown(call, show);
}

async function stats(question: Question, input: QueryInput<'stats'>): Promise<ToolAnswer> {
  const { queries, scene, storePath, until, end, budget } = question;
  const { show, groupBy } = input;
  if (show && groupBy !== 'function')
    throw new StrobeError(
      'BAD_PARAMETER',
      `"show" picks values of functions; the groups are by ${groupBy}.`,
      'Leave out groupBy, or show.',
    );
  const filter = callFilter(input, end, question.ofTest);
  const result = await queries.ask('stats', storePath, {
    filter,
    groupBy: input.groupBy,
    sortBy: input.sortBy,
    limit: input.limit,
    until,
    deadlineMs,
  });
  const emptiness = result.rows.length === 0 ? await emptinessOf(question, input) : null;
  const store = { storePath, until, deadlineMs };
  const known = show && (await shownOfRows(queries, store, result.rows, { filter, show }));
  const { shown, notes = scene.notes } = known ?? {};
  return plain(
    fit(budget, (room) => renderStats({ ...scene, notes }, result, { emptiness, shown }, room)),
  );
}

/** What a diff compares with. */
interface OtherSide {
  readonly session: SessionView;
  readonly storePath: string;
  readonly until: SessionNs;
  readonly range: ReturnType<typeof timeRange>;
}

async function otherSide(
  parts: DebugQueryParts,
  question: Question,
  { other, timeFrom, timeTo }: QueryInput<'diff'>,
  context: RequestContext,
): Promise<OtherSide> {
  const { storePath, until, end, scene } = question;
  if (other.sessionId === undefined) {
    const range = timeRange(other, end);
    if (other.timeFrom === undefined && other.timeTo === undefined) {
      throw new StrobeError(
        'BAD_PARAMETER',
        'other says nothing to compare with.',
        'Give other.sessionId, or other.timeFrom and other.timeTo for a part of this session.',
      );
    }
    if (other.timeFrom === timeFrom && other.timeTo === timeTo) {
      throw new StrobeError('BAD_PARAMETER', 'Both sides are the same time range of one session.');
    }
    return { session: scene.session, storePath, until, range };
  }
  const target = await parts.resolve(other.sessionId, context.client);
  const index = await target.settle(context.signal);
  const session = target.view;
  const range = timeRange(other, endOf(session) ?? session.now);
  return { session, storePath: target.storePath, until: index.until, range };
}

async function diffWith(
  parts: DebugQueryParts,
  question: Question,
  input: QueryInput<'diff'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const other = await otherSide(parts, question, input, context);
  // The session that is asked about stays the one that is meant without an id.
  await parts.resolve(question.scene.session.id, context.client);
  return await diff(question, input, other);
}

async function diff(
  question: Question,
  input: QueryInput<'diff'>,
  other: OtherSide,
): Promise<ToolAnswer> {
  const { queries, scene, storePath, until, end, budget } = question;
  const result = await queries.ask('diff', storePath, {
    otherPath: other.storePath,
    here: { filter: diffFilter(input, timeRange(input, end)), until },
    there: { filter: diffFilter(input, other.range), until: other.until },
    limit: input.limit,
    deadlineMs,
  });
  return plain(
    fit(budget, (room) =>
      renderDiff(scene, result, { session: other.session, range: other.range }, room),
    ),
  );
}

function comparedAsText({ column, isJson }: NonNullable<ReturnType<typeof textCompared>>): string {
  if (!isJson) return `${column} is text: compared with a number, it is never equal.`;
  const path = column === 'arguments' ? '$.name' : '$';
  return `${column} is JSON text: it is compared and ordered as text, "10" before "9". Numbers are compared by ${column} ->> '${path}'.`;
}

async function sql(
  { scene, storePath, budget }: Question,
  input: QueryInput<'sql'>,
  runSql: DebugQueryParts['runSql'],
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const rows = await runSql(
    { storePath, sql: input.sql, params: input.params, limit: input.limit },
    signal,
  );
  const column = textCompared(input.sql);
  const notes = column === null ? scene.notes : [...scene.notes, comparedAsText(column)];
  return plain(fit(budget, (room) => renderSql({ ...scene, notes }, rows, room)));
}

async function output(question: Question, input: QueryInput<'output'>): Promise<ToolAnswer> {
  const { queries, storePath, until, end, budget } = question;
  if (input.tail !== undefined && input.cursor !== undefined) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'tail counts from the end, cursor continues after a page.',
      'Give one of them.',
    );
  }
  const scene = { ...question.scene, notes: writersNotes(question.scene, input.pid) };
  const range = timeRange(input, end);
  const wanted: OutputQuery = {
    stream: input.stream ?? null,
    tail: input.tail ?? null,
    match: input.match ?? null,
    pid: input.pid ?? null,
    timeFrom: range.from,
    timeTo: range.to,
    limit: input.tail ?? input.limit,
    cursor: input.cursor ?? null,
    until,
  };
  const page = await queries.ask('output', storePath, wanted);
  return plain(fit(budget, renderOutput(scene, page)));
}

async function changes(question: Question, input: QueryInput<'changes'>): Promise<ToolAnswer> {
  const { queries, scene, storePath, until, end, budget } = question;
  const range = timeRange(input, end);
  const page = await queries.ask('changes', storePath, {
    watch: input.watch ?? null,
    pid: input.pid ?? null,
    timeFrom: range.from,
    timeTo: range.to,
    limit: input.limit,
    cursor: input.cursor ?? null,
    until,
    deadlineMs,
  });
  return plain(fit(budget, renderChanges(scene, page)));
}

/** What a suggestion needs; the store is asked only when it has calls at all. */
async function emptinessOf(
  { queries, scene, storePath, until }: Question,
  input: DebugQueryInput,
): Promise<Emptiness> {
  if (scene.summary.calls === 0) return { calledFunctions: [], wantedFunction: null };
  const called = await queries.ask('stats', storePath, {
    filter: {},
    groupBy: 'function',
    sortBy: 'count',
    limit: 500,
    until,
    deadlineMs,
  });
  return {
    calledFunctions: called.rows.flatMap((row) => (row.function === null ? [] : [row.function])),
    wantedFunction: wantedFunction(input),
  };
}

function plain(answer: ToolAnswer): ToolAnswer {
  return { text: answer.text, structured: answer.structured };
}
