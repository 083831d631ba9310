import { readComplaints } from '../../model/endings/complaint.ts';
import { sanitizerLines } from '../../model/endings/sanitizerLines.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { OutputPage } from '../../model/questions/query.ts';
import type { Queries } from '../queries.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { goEndIn } from '../postMortem/goEnds.ts';
import { uncaughtExceptions } from '../postMortem/uncaughtExceptions.ts';
import { exitOf } from '../report/answers/header.ts';
import type { Scene } from '../report/answers/scene.ts';
import { renderCrash, type CrashFacts } from '../report/views/crash.ts';
import type { QueryInput } from './queryRequest.ts';

/** The session as it was asked about. */
interface CrashQuestion {
  readonly queries: Queries;
  readonly scene: Scene;
  readonly storePath: string;
  readonly until: SessionNs;
}

/** Lines of output in which a complaint is looked for, and the traced calls shown per thread. */
const complaintLines = 400;
const outputLines = 10;
const lastCallsPerThread = 12;
const crashBudget = 1500;

export async function crashView(
  question: CrashQuestion,
  input: QueryInput<'crash'>,
): Promise<ToolAnswer> {
  const { queries, scene, storePath, until } = question;
  const crashes = await queries.ask('crashes', storePath, null);
  const crashed = crashes.find(({ pid }) => input.pid === undefined || pid === input.pid) ?? null;
  if (input.pid !== undefined && crashed === null && crashes.length > 0) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `Process ${input.pid} left no crash.`,
      `These did: ${crashes.map(({ pid }) => pid).join(', ')}.`,
    );
  }
  const tail = (stream: 'stderr' | null, lines: number): Promise<OutputPage> =>
    queries.ask('output', storePath, {
      stream,
      tail: lines,
      limit: lines,
      until,
      match: null,
      pid: null,
      timeFrom: null,
      timeTo: null,
      cursor: null,
    });
  const stderr = await tail('stderr', complaintLines);
  const both = await tail(null, complaintLines);
  const hasDied = crashed !== null || exitOf(scene.session)?.kind === 'signalled';
  // One stream may carry both (a terminal, 2>&1), and some say on stdout why they die.
  const isOne = hasDied || stderr.lines.length === 0;
  const stdout = isOne ? both.lines.filter(({ stream }) => stream === 'stdout') : [];
  const saying = [stderr.lines, stdout].map((lines) => ({
    lines,
    complaints: readComplaints(lines.map(({ text }) => text)),
  }));
  const said = saying.find(({ complaints }) => complaints.length > 0) ?? saying[0];
  const told = sanitizerLines(said?.lines.map(({ text }) => text) ?? []);
  const reported = new Set(said?.lines.filter((_line, at) => told.has(at)).map(({ id }) => id));
  const lastCalls = await queries.ask('lastCalls', storePath, {
    perThread: lastCallsPerThread,
    until,
  });
  const written = await goEndIn(queries, storePath, until);
  const uncaught = await uncaughtExceptions(queries, storePath, {
    until,
    pid: input.pid ?? null,
  });
  const isTold = (id: number): boolean => reported.has(id) || written?.lines.has(id) === true;
  const facts: CrashFacts = {
    crash: crashed,
    others: crashes.filter((other) => other !== crashed),
    complaints: said?.complaints ?? [],
    goEnd: written?.end ?? null,
    // Of a panic Go's runtime writes the stack itself.
    uncaught: uncaught.filter(({ language }) => written === null || language !== 'Go'),
    output: both.lines.filter(({ id }) => !isTold(id)).slice(-outputLines),
    lastCalls: lastCalls.filter(
      ({ thread }) => input.pid === undefined || thread.pid === input.pid,
    ),
  };
  const budget = input.budget ?? crashBudget;
  return renderCrash(scene, facts, budget);
}
