import type { Complaint } from '../../../model/endings/complaint.ts';
import { faultOf, type CrashReport, type StoredCrash } from '../../../model/endings/crashReport.ts';
import type { RaisedException } from '../../../model/endings/exception.ts';
import { endText, exceptionLine } from '../../../model/endings/exceptionLine.ts';
import type { GoEnd } from '../../../model/endings/goEnd.ts';
import { engineRefusal } from '../../../model/session.ts';
import type { OutputLine } from '../../../model/outputRecord.ts';
import { matchesName, parsePattern } from '../../../model/names/pattern.ts';
import { crashSignals } from '../../../model/endings/signals.ts';
import type { CallView, LastCalls } from '../../../model/questions/query.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { callText, signatureText, type CallStyle } from '../text/callText.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import {
  crashLine,
  isCrashNote,
  lastPart,
  noStackBecause,
} from '../../../model/endings/crashLine.ts';
import { readGoroutineName } from '../../../model/functions/goroutineName.ts';
import { engineLines, failedEngine } from './crashEngine.ts';
import { tracingLines } from './crashTracing.ts';
import { uncaughtTwin } from './exceptionTwin.ts';
import { goEndLines, goFrames, goStackSections } from './goStacks.ts';
import { stateSections, type StateAmount } from './crashState.ts';
import { variableValue } from './variableLines.ts';
import { stackLines, uncaughtSections, withoutStart, type StackAmount } from './crashStack.ts';
import { exitOf } from '../answers/header.ts';
import { chosen, launchAgain, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import {
  callStyle,
  outputStep,
  query,
  sceneLines,
  sceneTwin,
  type Scene,
} from '../answers/scene.ts';

/** What is known of the end of a session's program. */
export interface CrashFacts {
  /** The one that is told; null when no stack was kept. */
  readonly crash: StoredCrash | null;
  /** Further crashes in the session. */
  readonly others: readonly Pick<StoredCrash, 'pid' | 'report'>[];
  readonly complaints: readonly Complaint[];
  /** What Go's runtime wrote as it ended the program; null: nothing. */
  readonly goEnd: GoEnd | null;
  /** Exceptions that a runtime told of as nothing caught them; the last ones. */
  readonly uncaught: readonly RaisedException[];
  /** The last lines, without the reports that `complaints` tell. */
  readonly output: readonly OutputLine[];
  readonly lastCalls: readonly LastCalls[];
}

/** How much is shown; the first level is the richest. */
interface Amount extends StackAmount {
  readonly excerpts: number;
  readonly calls: number;
  readonly output: number;
  readonly threads: number;
  /** Null: nothing of it. */
  readonly state: StateAmount | null;
}

const whole: StateAmount = { registers: 'all', openFiles: 12 };
const part: StateAmount = { registers: 'few', openFiles: 4 };
const amounts: readonly Amount[] = [
  { ...most(24, 4, 160), excerpts: 3, calls: 10, output: 8, threads: 12, state: whole },
  { ...most(24, 4, 160), excerpts: 3, calls: 10, output: 8, threads: 12, state: part },
  { ...most(24, 4, 80), excerpts: 3, calls: 10, output: 8, threads: 12, state: part },
  { ...most(16, 3, 80), excerpts: 2, calls: 6, output: 5, threads: 8, state: part },
  { ...most(16, 3, 40), excerpts: 2, calls: 6, output: 5, threads: 8, state: part },
  { ...most(10, 2, 40), excerpts: 1, calls: 4, output: 3, threads: 4, state: part },
  { ...most(6, 1, 40), excerpts: 1, calls: 2, output: 2, threads: 2, state: part },
  { ...most(4, 1, 40), excerpts: 0, calls: 0, output: 1, threads: 0, state: null },
];

function most(frames: number, framesWithLocals: number, value: number): StackAmount {
  return { frames, framesWithLocals, value };
}

const lineShown = 200;
const framesPerThread = 3;
const othersShown = 6;
const pidsShown = 6;
/** Patterns of the session that a launch of the same again names. */
const patternsShown = 8;

/** What ended the program: signal, place, stack with values, what led there. */
export function renderCrash(scene: Scene, facts: CrashFacts, budget: number): ToolAnswer {
  return richest(budget, [...amounts.keys()], (level, room) =>
    atLevel(scene, facts, amounts[level] ?? nothing, room),
  );
}

const nothing: Amount = {
  frames: 4,
  framesWithLocals: 1,
  value: 40,
  excerpts: 0,
  calls: 0,
  output: 0,
  threads: 0,
  state: null,
};

function atLevel(
  scene: Scene,
  facts: CrashFacts,
  amount: Amount,
  room: number,
): { text: string; structured: object } {
  const isRefused = engineRefusal(scene.session) !== null;
  const wanted = isRefused ? outputSteps(scene, facts) : nextSteps(scene, facts);
  const steps = chosen(wanted, room, scene);
  const parts = sections(scene, facts, amount);
  const about: Scene = withoutCrashNotes(scene);
  return {
    text: [
      ...sceneLines(about),
      ...parts.flatMap(({ title, lines }) => (title === '' ? lines : [`${title}:`, ...lines])),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      view: 'crash',
      ...sceneTwin(
        about,
        {
          pids: facts.crash === null ? [] : [facts.crash.pid],
          total: (facts.crash === null ? 0 : 1) + facts.others.length,
          totalIsExact: true,
          hasMore: false,
          cursor: null,
        },
        { steps, room, notes: [] },
      ),
      crashed: hasCrashed(scene, facts),
      fault: facts.crash === null ? null : faultOf(facts.crash.report),
      complaints: facts.complaints.map(({ kind, name, place: at }) => ({
        kind,
        ...(name === null ? {} : { name }),
        ...(at === null ? {} : { line: `${lastPart(at.file)}:${at.line}` }),
      })),
      uncaught: facts.uncaught.map((one) => uncaughtTwin(one)),
      story: parts.map(({ title, lines }) => ({ title: title || 'what happened', lines })),
    },
  };
}

/** This answer says itself what a note refers to it for. */
function withoutCrashNotes(scene: Scene): Scene {
  const refusal = failedEngine(scene)?.refusal;
  const notes = scene.session.notes.filter(
    (note) => note !== refusal && (!isCrashNote(note) || !note.includes('"view": "crash"')),
  );
  return { ...scene, session: { ...scene.session, notes } };
}

function hasCrashed(scene: Scene, facts: CrashFacts): boolean {
  const exit = exitOf(scene.session);
  if (facts.crash !== null || exit?.kind === 'signalled') return true;
  if (scene.session.notes.some(isCrashNote)) return true;
  const hasPanicked =
    facts.goEnd !== null || facts.uncaught.some(({ language }) => language === 'Go');
  if (hasPanicked && exit?.kind === 'exited' && exit.code !== 0) return true;
  // A sanitizer may complain and let the program go on.
  return facts.complaints.length > 0 && exit?.kind === 'exited' && exit.code !== 0;
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

function sections(scene: Scene, facts: CrashFacts, amount: Amount): Section[] {
  const report = facts.crash?.report ?? null;
  const style = callStyle(
    scene,
    facts.lastCalls.flatMap(({ calls, open }) => [...calls, ...open].map((call) => call.function)),
  );
  const found: Section[] = [{ title: '', lines: headLines(scene, facts) }];
  if (report !== null) found.push(...stackSections(scene, report, amount));
  if (facts.goEnd !== null)
    found.push(...goStackSections(facts.goEnd, facts.lastCalls, scene.session.projectRoot, amount));
  const { projectRoot, pid } = scene.session;
  found.push(...uncaughtSections(facts.uncaught, projectRoot, amount, pid));
  found.push(...callSections(facts, style, amount, report));
  const output = facts.output.slice(Math.max(0, facts.output.length - amount.output));
  found.push({
    title: 'last output',
    lines: output.map((line) => `  ${line.stream}| ${escaped(shortened(line.text, lineShown))}`),
  });
  if (report !== null) found.push(threadSection(scene, report, amount));
  if (report !== null && amount.state !== null)
    found.push(...stateSections(report, scene.session.projectRoot, amount.state));
  found.push({ title: 'not known', lines: (report?.problems ?? []).map((text) => `  ${text}`) });
  return found.filter(({ lines }) => lines.length > 0);
}

function headLines(scene: Scene, facts: CrashFacts): string[] {
  const lines: string[] = [];
  const { projectRoot } = scene.session;
  if (facts.crash !== null) lines.push(escaped(`CRASH ${crashLine(facts.crash.report)}`));
  if (facts.goEnd !== null) lines.push(...goEndLines(facts.goEnd));
  lines.push(...tracingLines(facts).map((line) => escaped(line)));
  for (const complaint of facts.complaints) {
    const where =
      complaint.place === null
        ? ''
        : `  ${place(complaint.place.file, complaint.place.line, projectRoot)}`;
    lines.push(`it said: ${escaped(shortened(complaint.text, lineShown))}${where}`);
    // Its frames are shown with their values.
    const isShown = facts.uncaught
      .flatMap(({ type, causes = [] }) => [type, ...causes.map((cause) => cause.type)])
      .includes(complaint.name ?? '');
    if (!isShown)
      lines.push(...complaint.details.map((line) => `  ${escaped(shortened(line, lineShown))}`));
  }
  lines.push(...otherLines(facts));
  const failed = failedEngine(scene);
  if (failed !== null)
    return [...lines, ...engineLines(failed, scene, facts), escaped(failed.refusal)];
  return facts.crash !== null ? lines : [...lines, ...stacklessLines(scene, facts, lines)];
}

/** Of an end without a kept stack; `said`: the lines that stand there already. */
function stacklessLines(scene: Scene, facts: CrashFacts, said: readonly string[]): string[] {
  const exit = exitOf(scene.session);
  if (exit?.kind === 'signalled' && !crashSignals.has(exit.signal))
    return [endedByOther(exit.signal)];
  const isSaidWhy = scene.session.notes.some((note) => note.includes(noStackBecause));
  if (exit?.kind === 'signalled' && !isSaidWhy)
    return [
      'No stack was kept: that needs a program of the project or at least one traced function, the signal left to its default action, and, for a stack overflow, a thread that began under Strobe or called a traced function before.',
    ];
  const panics = facts.goEnd === null ? panicsOf(facts) : [];
  if (panics.length > 0) return panics.map((one) => escaped(`CRASH ${exceptionLine(one)}`));
  if (said.length > 0) return [];
  if (facts.uncaught.length === 0 && endedUnseen(scene, facts))
    return [
      'A program of Go ends with status 2 when it panics or Go finds a fatal error: it writes why to stderr, which is not recorded here (strobe launch records it).',
    ];
  return scene.session.notes.some(isCrashNote) ? [] : uncaughtLines(facts);
}

/** A signal that is no fault of the program. */
function endedByOther(signal: string): string {
  const byKernel = signal === 'SIGKILL' ? '; the kernel sends it where memory runs out' : '';
  return `It did not crash: ${signal} was sent to it${byKernel}. Such an end leaves no stack.`;
}

function panicsOf({ uncaught }: CrashFacts): RaisedException[] {
  return uncaught.filter(({ language }) => language === 'Go');
}

function uncaughtLines({ uncaught }: CrashFacts): string[] {
  if (uncaught.length === 0) return ['Nothing crashed.'];
  // Those with frames have a section each.
  const placeless = uncaught.filter(({ frames }) => frames.length === 0);
  const isOver = uncaught.some(({ end }) => end.kind === 'uncaught' && end.what !== 'thread');
  return [
    isOver ? 'Nothing caught an exception.' : 'An exception that nothing caught ended its thread.',
    ...placeless.map((one) => escaped(shortened(placelessLine(one), lineShown))),
  ];
}

/** Only errors have a stack. */
function placelessLine(one: RaisedException): string {
  if (one.value === undefined) return exceptionLine(one);
  return `thrown: ${variableValue(one.value)}, which is no Error and has no stack, ${endText(one)}`;
}

/** By Go's runtime, in a session without output. */
function endedUnseen({ session }: Scene, { lastCalls }: CrashFacts): boolean {
  const exit = exitOf(session);
  const isOfGo = lastCalls.some(({ thread }) => readGoroutineName(thread.name) !== null);
  return session.outputPassesBy === true && isOfGo && exit?.kind === 'exited' && exit.code === 2;
}

/** Crashes of one kind in one line. */
function otherLines({ crash, others }: CrashFacts): string[] {
  const alike = new Map<string, number[]>();
  for (const { pid, report } of others) {
    const text = crashLine(report);
    alike.set(text, [...(alike.get(text) ?? []), pid]);
  }
  const same = crash === null ? null : crashLine(crash.report);
  const lines = [...alike].slice(0, othersShown).map(([text, all]) => {
    const pids = all.slice(0, pidsShown);
    const more = all.length > pids.length ? ` and ${all.length - pids.length} more` : '';
    const what = text === same ? 'the same' : text;
    return escaped(`also pid ${pids.join(', ')}${more}: ${what}`);
  });
  const rest = alike.size - lines.length;
  return rest > 0 ? [...lines, `also: ${counted(rest, 'other crash', 'other crashes')}`] : lines;
}

function stackSections(scene: Scene, report: CrashReport, amount: Amount): Section[] {
  const [thread] = report.threads;
  if (thread === undefined) return [];
  const { projectRoot } = scene.session;
  const excerpts = report.source.slice(0, amount.excerpts);
  return [
    {
      title: `stack of thread ${thread.name} (${thread.tid}), newest first`,
      lines: stackLines(thread, projectRoot, amount),
    },
    ...excerpts.map(({ file, line, first, lines }) => ({
      title: place(file, line, projectRoot),
      lines: lines.map((text, i) => {
        const mark = first + i === line ? '>' : ' ';
        return `${mark}${String(first + i).padStart(4)} ${escaped(shortened(text.replaceAll('\t', '  '), 120))}`;
      }),
    })),
  ];
}

function callSections(
  facts: CrashFacts,
  style: CallStyle,
  amount: Amount,
  report: CrashReport | null,
): Section[] {
  if (amount.calls === 0) return [];
  const died = report?.threads[0]?.tid ?? facts.goEnd?.goroutines[0]?.number;
  const own = facts.lastCalls.filter(({ thread }) => thread.pid === facts.crash?.pid);
  const threads = (own.length > 0 ? own : facts.lastCalls).toSorted(
    (a, b) => nearness(b, died) - nearness(a, died),
  );
  const severalPids = new Set(threads.map(({ thread }) => thread.pid)).size > 1;
  const found: Section[] = [];
  for (const [i, { thread, calls, open, total }] of threads.slice(0, 3).entries()) {
    // A thread may have been named after its first call.
    const last = report?.threads.find(({ tid }) => tid === thread.tid)?.name ?? thread.name;
    const pid = severalPids ? `, pid ${thread.pid}` : '';
    const who = threads.length > 1 ? ` of thread ${last} (${thread.tid}${pid})` : '';
    if (i > 0 && amount.calls < 6) break;
    if (open.length > 0 && !isWritten(thread, facts))
      found.push({
        title: `traced calls that never returned${who}`,
        lines: foldedLines(open.slice(-amount.calls), (call) => signatureText(call, style)),
      });
    const ended = calls.filter((call) => call.end !== 'open').slice(-amount.calls);
    if (ended.length > 0)
      found.push({
        title: `last of ${counted(total, 'traced call')}${who}`,
        lines: foldedLines(ended, (call) => callText(call, style)),
      });
  }
  return found;
}

/** Whether Go wrote its stack, which has the same calls. */
function isWritten({ name }: LastCalls['thread'], { goEnd }: CrashFacts): boolean {
  const number = readGoroutineName(name)?.number;
  return goEnd?.goroutines.some((one) => one.number === number) === true;
}

/** First the thread that died, then who called last. */
function nearness({ thread, calls }: LastCalls, died: number | undefined): number {
  return thread.tid === died ? Number.MAX_VALUE : (calls.at(-1)?.time ?? 0);
}

/** Equal neighbours become one line. */
function foldedLines(calls: readonly CallView[], text: (call: CallView) => string): string[] {
  const lines: { text: string; times: number; last: CallView }[] = [];
  for (const call of calls) {
    const last = lines.at(-1);
    if (
      last !== undefined &&
      last.last.function === call.function &&
      sameText(last.text, text(call))
    )
      last.times++;
    else lines.push({ text: text(call), times: 1, last: call });
  }
  return lines.map(
    ({ text: line, times, last }) => `  ${line}${times > 1 ? ` ×${times}` : ''}  [${last.id}]`,
  );
}

/** Equal but for how long they took. */
function sameText(a: string, b: string): boolean {
  return a.replace(/ {2}\S+ \S+$/, '') === b.replace(/ {2}\S+ \S+$/, '');
}

function threadSection(scene: Scene, report: CrashReport, amount: Amount): Section {
  const others = report.threads.slice(1);
  const lines = others.slice(0, amount.threads).map((thread) => {
    const frames = withoutStart(thread.frames).filter((frame) => frame.function !== null);
    const own = frames.filter((frame) => frame.isOwn);
    const shown = (own.length > 0 ? own : frames).slice(0, framesPerThread);
    const stack = shown
      .map((frame) => {
        const where = place(frame.file, frame.line, scene.session.projectRoot);
        return `${frame.function ?? ''}${where === '' ? '' : ` ${where}`}`;
      })
      .join(' ← ');
    const waits = thread.systemCall === null ? '' : ` in ${thread.systemCall}:`;
    return `  thread ${thread.name} (${thread.tid})${waits} ${stack}`;
  });
  const rest = others.length - lines.length;
  if (rest > 0 && lines.length > 0) lines.push(`  … ${counted(rest, 'more thread')}`);
  return { title: 'other threads', lines };
}

/** Of a program that no launch traces. */
function outputSteps(scene: Scene, { output }: CrashFacts): NextStep[] {
  return output.length > 0 ? outputStep(scene, 'all that it wrote') : [];
}

function nextSteps(scene: Scene, facts: CrashFacts): NextStep[] {
  const steps: NextStep[] = [];
  const { goEnd, lastCalls, crash } = facts;
  const frames =
    crash === null && goEnd !== null
      ? goFrames(goEnd, lastCalls, scene.session.projectRoot)
      : (crash?.report.threads[0]?.frames ?? []);
  const own = frames.filter((frame) => frame.isOwn && !frame.isInlined && frame.function !== null);
  const [newest, caller] = own.map((frame) => frame.function ?? '');
  const pid = facts.crash?.pid ?? scene.request['pid'];
  const of = pid === undefined || pid === scene.session.pid ? {} : { pid };
  if (facts.lastCalls.length > 0)
    steps.push(query(scene, { view: 'tree', ...of }, 'the calls that led there'));
  if (facts.crash === null && pid !== undefined)
    steps.push(query(scene, { eventType: ['process'], pid }, 'how this process ended'));
  const patterns = [...new Set([caller, newest])].filter(
    (name): name is string =>
      name !== undefined && name !== 'main' && name !== 'main.main' && name !== '_start',
  );
  const traced = scene.session.hooks.patterns.slice(0, patternsShown);
  if (scene.session.command.length > 0 && scene.session.tracing.kind !== 'unavailable') {
    const asked = traced.map(asAsked);
    const untraced = patterns.filter((name) => !asked.some((pattern) => covers(pattern, name)));
    const wanted = [...asked, ...untraced];
    // Without a crash the same run again shows nothing that this one did not.
    if (facts.crash === null && asked.length > 0 && untraced.length === 0) return steps;
    steps.push(
      launchAgain(
        scene.session,
        wanted.length > 0 ? wanted : ['@usercode'],
        'the same run with these functions traced',
      ),
    );
  }
  return steps;
}

type Asked = string | { readonly pattern: string; readonly trigger: string };

/** Whether a pattern has this function of the project's own code recorded. */
function covers(asked: Asked, name: string): boolean {
  if (typeof asked !== 'string') return false;
  return asked === '@usercode' || matchesName(parsePattern(asked), name);
}

/** A listed pattern as a launch takes it: a trigger is listed as `start handle` (session/traceState). */
function asAsked(text: string): Asked {
  const [, trigger, pattern] = /^(start|stop) (.+)$/.exec(text) ?? [];
  return trigger === undefined || pattern === undefined ? text : { pattern, trigger };
}
